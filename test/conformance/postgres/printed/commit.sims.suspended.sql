with sim_touched as (
  update simplan.sim set
  version = r.version + 1, reservation_token = null, reserved_until = null
  from (
    select columns."iccid", columns."version",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[]) with ordinality columns ("iccid", "version", place)
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
    columns."confirmed",$4::text as "organizationId"
    from unnest(($5::text)::text[],($6::text)::bigint[],($7::text)::bigint[],($8::text)::integer[],
      ($9::text)::boolean[]) with ordinality columns ("attachmentId", "anchor", "suspendedAt", "lastThresholdNotified",
      "confirmed", place)
    where columns.place between 1 and 2147483647
  ) r
  where attachment.organization_id = r."organizationId" and attachment.attachment_id = r."attachmentId"
  returning 1
)
select simplan.ensure((select count(*) from sim_touched) = $10::int, 'version'),(select count(*)
  from attachment_updated);
