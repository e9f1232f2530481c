select json_build_object(
  'attachmentId', used.attachment_id, 'day', used.day, 'countryAlpha2', nullif(used.country, $1::text),
  'bytes', used.bytes
)::text as value
from (select * from (
  select usage_entry.attachment_id, usage_entry.day, usage_entry.country, usage_entry.bytes
  from simplan.usage_entry
  where usage_entry.organization_id = $2 and usage_entry.iccid = $3
  and usage_entry.day > $4::bigint and usage_entry.day <= $5::bigint and usage_entry.bytes > 0
  and (usage_entry.day, usage_entry.country, usage_entry.attachment_id)
  < ($6::bigint, $7::text, $8::text)
  order by usage_entry.day desc, usage_entry.country desc, usage_entry.attachment_id desc limit 100
  ) first limit $9::int) used;
