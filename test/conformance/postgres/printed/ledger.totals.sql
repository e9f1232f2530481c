select json_build_object(
  'month', summed.month, 'planId', nullif(summed.plan, ''), 'telco', nullif(summed.supplier, ''), 'currency',
  nullif(summed.currency, ''),
  'cost', summed.cost::text, 'price', summed.price::text, 'purchases', summed.purchases,
  'topUps', summed.top_ups, 'refunds', summed.refunds, 'sales', summed.sales
)::text as value
from (select * from (
  select (extract(epoch from date_trunc('month',
    timestamp 'epoch' + (cost.at / 86400000) * interval '1 day')) * 1000)::bigint as month, coalesce(cost.plan_id,
    '') as plan, coalesce(cost.telco, '') as supplier, coalesce(cost.currency, '') as currency,
  coalesce(sum(cost.amount) filter (where cost.kind <> 'sale'), 0) as cost,
  coalesce(sum(cost.amount) filter (where cost.kind = 'sale'), 0) as price,
  count(*) filter (where cost.kind = 'purchase') as purchases, count(*) filter (where cost.kind = 'top_up') as top_ups,
  count(*) filter (where cost.kind = 'refund') as refunds, count(*) filter (where cost.kind = 'sale') as sales
  from simplan.cost
  where cost.organization_id = $1 and cost.at >= $2::bigint and cost.at < $3::bigint
  group by 1, 2, 3, 4
  order by 1, 2, 3, 4 limit 100
  ) first limit $4::int) summed;
