select json_build_object('at', r.at, 'found', json_build_object('organizationId', plan.organization_id, 'planId',
  plan.plan_id, 'terms', plan.terms, 'metadata', plan.metadata, 'price', plan.price, 'bundle', plan.bundle, 'createdAt',
  plan.created_at, 'archivedAt', plan.archived_at, 'deletedAt', plan.deleted_at, 'version', plan.version))::text as value
from (
  select columns."planId", columns."at",$1::text as "organizationId"
  from unnest(($2::text)::text[],($3::text)::integer[]) with ordinality columns ("planId", "at", place)
  where columns.place between 1 and 2147483647
) r
join simplan.plan on plan.organization_id = r."organizationId" and plan.plan_id = r."planId";
