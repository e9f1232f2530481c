with usage_entry_added as (
  insert into simplan.usage_entry (
    organization_id, iccid, attachment_id, day, country, bytes
  )
  select r."organizationId", r.iccid, r."attachmentId", r.day, r.country, r.bytes
  from (
    select columns."iccid", columns."attachmentId", columns."bytes",coalesce(columns."country", $1::text) as "country",
    coalesce(columns."day", $2::bigint) as "day",$3::text as "organizationId"
    from unnest(($4::text)::text[],($5::text)::text[],($6::text)::text[],($7::text)::bigint[],
      ($8::text)::bigint[]) with ordinality columns ("iccid", "attachmentId", "country", "day", "bytes", place)
    where columns.place between 1 and 2147483647
  ) r
  on conflict (organization_id, iccid, attachment_id, day, country) do update set bytes = least(usage_entry.bytes,
    9007199254740991 - excluded.bytes) + excluded.bytes
  returning 1
),
usage_total_added as (
  insert into simplan.usage_total (organization_id, day, country, plan_id, label, shard, bytes)
  select r."organizationId", r.day, r.country, r."planId", r.label, pg_backend_pid() % 16, r.bytes
  from (
    select columns."country", columns."planId", columns."label", columns."day", columns."bytes",$9::text as "organizationId"
    from unnest(($10::text)::text[],($11::text)::text[],($12::text)::text[],($13::text)::bigint[],
      ($14::text)::bigint[]) with ordinality columns ("country", "planId", "label", "day", "bytes", place)
    where columns.place between 1 and 2147483647
  ) r
  on conflict (organization_id, day, country, plan_id, label, shard) do update set bytes = least(usage_total.bytes,
    9007199254740991 - excluded.bytes) + excluded.bytes
  returning 1
)
select (select count(*) from usage_entry_added), (select count(*) from usage_total_added);
