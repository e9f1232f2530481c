select json_build_object(
  'month', summed.month, 'telco', nullif(summed.supplier, ''), 'currency', nullif(summed.currency, ''),
  'cost', summed.cost::text, 'price', summed.price::text, 'purchases', summed.purchases,
  'topUps', summed.top_ups, 'refunds', summed.refunds, 'sales', summed.sales
)::text as value
from (select * from (
  select (extract(epoch from date_trunc('month',
    timestamp 'epoch' + (cost.at / 86400000) * interval '1 day')) * 1000)::bigint as month, coalesce(cost.telco,
    '') as supplier, coalesce(cost.currency, '') as currency,
  coalesce(sum(cost.amount) filter (where cost.kind <> 'sale'), 0) as cost,
  coalesce(sum(cost.amount) filter (where cost.kind = 'sale'), 0) as price,
  count(*) filter (where cost.kind = 'purchase') as purchases, count(*) filter (where cost.kind = 'top_up') as top_ups,
  count(*) filter (where cost.kind = 'refund') as refunds, count(*) filter (where cost.kind = 'sale') as sales
  from simplan.cost
  where cost.organization_id = $1 and cost.at >= $2::bigint and cost.at < $3::bigint and ((extract(epoch
    from date_trunc('month',
      timestamp 'epoch' + (cost.at / 86400000) * interval '1 day')) * 1000)::bigint, coalesce(cost.telco, ''),
    coalesce(cost.currency, '')) > ($4::bigint,$5::text,$6::text)
  group by 1, 2, 3
  order by 1, 2, 3 limit 100
  ) first limit $7::int) summed;
