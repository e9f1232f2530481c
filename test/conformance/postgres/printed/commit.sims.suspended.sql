with sim_touched as (
  update simplan.sim set
  version = r.version + 1, reservation_token = null, reserved_until = null
  from (
    select columns."iccid", columns."version",coalesce(columns."organizationId", $1::text) as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::bigint[]) with ordinality columns ("organizationId",
      "iccid", "version", place)
    where columns.place between 1 and 2147483647
  ) r
  where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
  returning 1
),
attachment_updated as (
  update simplan.attachment set confirmed = r.confirmed, anchor = r.anchor, suspended_at = r."suspendedAt",
  last_threshold_notified = r."lastThresholdNotified"
  from (
    select columns."attachmentId", columns."anchor", columns."suspendedAt", columns."lastThresholdNotified",
    columns."confirmed",coalesce(columns."organizationId", $5::text) as "organizationId"
    from unnest(($6::text)::text[],($7::text)::text[],($8::text)::bigint[],($9::text)::bigint[],($10::text)::integer[],
      ($11::text)::boolean[]) with ordinality columns ("organizationId", "attachmentId", "anchor", "suspendedAt",
      "lastThresholdNotified", "confirmed", place)
    where columns.place between 1 and 2147483647
  ) r
  where attachment.organization_id = r."organizationId" and attachment.attachment_id = r."attachmentId"
  returning 1
)
select simplan.ensure((select count(*) from sim_touched) = $12::int, 'version'),(select count(*)
  from attachment_updated);
