select json_build_object('at', r.at, 'found', entry.actor)::text as value
from (
  select columns."action", columns."resourceId", columns."createdAt", columns."at",$1::text as "organizationId"
  from unnest(($2::text)::text[],($3::text)::text[],($4::text)::bigint[],
    ($5::text)::integer[]) with ordinality columns ("action", "resourceId", "createdAt", "at", place)
  where columns.place between 1 and 2147483647
) r
cross join lateral (
  select audit_entry.actor
  from simplan.audit_entry
  where audit_entry.organization_id = r."organizationId" and audit_entry.created_at = r."createdAt"
  and audit_entry.action = r.action and audit_entry.resource_id = r."resourceId"
  order by audit_entry.entry_id desc
  limit 1
) entry;
