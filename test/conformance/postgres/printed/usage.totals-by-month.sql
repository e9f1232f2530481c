select json_build_object('month', used.month, 'bytes', used.bytes)::text as value
from (select * from (
  select (extract(epoch from date_trunc('month',
    timestamp 'epoch' + (usage_total.day / 86400000) * interval '1 day')) * 1000)::bigint as month,
  least(sum(usage_total.bytes), 9007199254740991) as bytes
  from simplan.usage_total
  where usage_total.organization_id = $1
  and usage_total.day >= $2::bigint and usage_total.day < $3::bigint
  group by 1
  having sum(usage_total.bytes) > 0
  order by 1 limit 100
  ) first limit $4::int) used;
