select to_json(count(*))::text as value
from (select $1::text collate "C" as organization_id) of
cross join lateral (select from simplan.plan where plan.organization_id = of.organization_id and plan.deleted_at is null
  order by plan.created_at, plan.plan_id limit $2::int) found;
