select to_json(count(*))::text as value
from (
  select true from simplan.plan
  where plan.organization_id = $1 and plan.deleted_at is null order by plan.created_at, plan.plan_id
  limit $2::int
) found;
