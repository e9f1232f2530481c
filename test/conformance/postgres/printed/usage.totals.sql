select json_build_object('key', usage_total.country, 'bytes', least(sum(usage_total.bytes),
  9007199254740991))::text as value
from simplan.usage_total
where usage_total.organization_id = $1
and usage_total.day >= $2::bigint and usage_total.day < $3::bigint
group by usage_total.country
having sum(usage_total.bytes) > 0
order by usage_total.country;
