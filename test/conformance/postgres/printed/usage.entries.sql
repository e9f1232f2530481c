select json_build_object(
  'attachmentId', used.attachment_id, 'day', nullif(used.day, $1::bigint),
  'countryAlpha2', nullif(used.country, $2::text), 'bytes', used.bytes
)::text as value
from (select * from (
  select usage_entry.attachment_id, usage_entry.day, usage_entry.country, usage_entry.bytes
  from simplan.usage_entry
  where usage_entry.organization_id = $3 and usage_entry.iccid = $4
  and (usage_entry.day >= $5::bigint and usage_entry.day < $6::bigint
    or usage_entry.day = $7::bigint)
  and usage_entry.bytes > 0
  and (usage_entry.day, usage_entry.country, usage_entry.attachment_id)
  > ($8::bigint, $9::text,
    $10::text)
  order by usage_entry.day, usage_entry.country, usage_entry.attachment_id limit 100
  ) first limit $11::int) used;
