select json_build_object('day', used.day, 'countryAlpha2', nullif(used.country, ''), 'bytes', used.bytes)::text as value
from (select * from (
  select usage_total.day as day, usage_total.country as country, least(sum(usage_total.bytes), 9007199254740991) as bytes
  from simplan.usage_total
  where usage_total.organization_id = $1
  and usage_total.day >= $2::bigint and usage_total.day < $3::bigint
  and (usage_total.day >= $4::bigint or
    (usage_total.country) > ($5::text))
  group by 1, 2
  having sum(usage_total.bytes) > 0
  order by 1, 2 limit 100
  ) first limit $6::int) used;
