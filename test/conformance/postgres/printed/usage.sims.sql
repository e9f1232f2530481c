select json_build_object('iccid', used.iccid, 'bytes', used.bytes)::text as value
from (select * from (
  select usage_entry.iccid, least(sum(usage_entry.bytes), 9007199254740991) as bytes
  from simplan.usage_entry
  where usage_entry.organization_id = $1 and usage_entry.iccid > $2::text
  and usage_entry.day >= $3::bigint and usage_entry.day < $4::bigint
  group by usage_entry.iccid
  having sum(usage_entry.bytes) > 0
  order by usage_entry.iccid limit 100
  ) first limit $5::int) used;
