with old as (
  select entry.*
  from (
    select organization.organization_id from simplan.organization
    union all
    select $1::text
  ) owner, lateral (
    select audit_entry.organization_id, audit_entry.created_at, audit_entry.entry_id
    from simplan.audit_entry
    where audit_entry.organization_id = owner.organization_id
    and audit_entry.created_at < $2::bigint
    order by audit_entry.organization_id, audit_entry.created_at, audit_entry.entry_id
    limit $3::int
  ) entry
  limit $4::int
), gone as (
  delete from simplan.audit_entry using old
  where audit_entry.organization_id = old.organization_id and audit_entry.created_at = old.created_at
  and audit_entry.entry_id = old.entry_id
  returning 1
)
select to_json(count(*))::text as value from gone;
