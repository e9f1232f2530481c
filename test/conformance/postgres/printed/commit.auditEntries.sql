with audit_entry_added as (
  insert into simplan.audit_entry (
    organization_id, entry_id, created_at, actor, action, resource_id, iccid, address, request_id, reason, changed
  )
  select r."organizationId", r."entryId", r."createdAt", r.actor, r.action, r."resourceId", r.iccid, r.address,
  r."requestId", r.reason, r.changed
  from (
    select columns."entryId", columns."actor", columns."action", columns."resourceId", columns."iccid", columns."address",
    columns."requestId", columns."reason", columns."createdAt", columns."changed",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::text[],
      ($7::text)::text[],($8::text)::text[],($9::text)::text[],($10::text)::bigint[],
      ($11::text)::jsonb[]) with ordinality columns ("entryId", "actor", "action", "resourceId", "iccid", "address",
      "requestId", "reason", "createdAt", "changed", place)
    where columns.place between 1 and 2147483647
  ) r
  returning 1
)
select (select count(*) from audit_entry_added);
