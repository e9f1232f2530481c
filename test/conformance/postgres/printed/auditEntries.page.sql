select json_build_object(
  'at', audit_entry.scanned_at, 'createdAt', audit_entry.created_at, 'id', audit_entry.entry_id,
  'item', case when filtered.is_taken then json_build_object('organizationId', audit_entry.organization_id, 'entryId',
    audit_entry.entry_id, 'createdAt', audit_entry.created_at, 'actor', audit_entry.actor, 'action', audit_entry.action,
    'resourceId', audit_entry.resource_id, 'iccid', audit_entry.iccid, 'address', audit_entry.address, 'requestId',
    audit_entry.request_id, 'reason', audit_entry.reason, 'changed', audit_entry.changed) end
)::text as value
from (
  select audit_entry.*, row_number() over listed as scanned_at, lead(1) over listed is null as is_last
  from simplan.audit_entry
  where (audit_entry.organization_id = $1 AND audit_entry.created_at >= $2::bigint AND audit_entry.created_at < $3::bigint AND (audit_entry.created_at, audit_entry.entry_id) < ($4::bigint, $5::text))
  window listed as (order by audit_entry.created_at desc, audit_entry.entry_id desc)
  order by audit_entry.created_at desc, audit_entry.entry_id desc
  limit 512
) audit_entry
cross join lateral (select (simplan.folded(audit_entry.actor) = $6 AND audit_entry.action = $7 AND (audit_entry.resource_id = $8 or audit_entry.iccid = $9)) as is_taken) filtered
where filtered.is_taken or audit_entry.is_last
or audit_entry.scanned_at = 512
order by audit_entry.created_at desc, audit_entry.entry_id desc
limit $10::int;
