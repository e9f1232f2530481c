select json_build_object(
  'telco', nullif(spent.telco, ''), 'load', spent.load, 'currency', spent.currency, 'sum', spent.sum::text
)::text as value
from (
  select coalesce(cost.telco, '') as telco, cost.load, cost.currency, sum(cost.amount) as sum
  from simplan.cost
  where cost.organization_id = $1 and cost.at >= $2::bigint
  and cost.kind in ('purchase', 'top_up') and cost.currency is not null and cost.load is not null
  group by 1, 2, 3
  order by 1, 2, 3
) spent;
