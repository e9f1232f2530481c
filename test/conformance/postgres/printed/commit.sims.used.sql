with sim_used as (
  update simplan.sim set
  downloaded = r.downloaded, last_activity_at = r."lastActivityAt", version = r.version + 1, reservation_token = null,
  reserved_until = null
  from (
    select columns."iccid", columns."version", columns."lastActivityAt", columns."downloaded",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[],($4::text)::bigint[],
      ($5::text)::boolean[]) with ordinality columns ("iccid", "version", "lastActivityAt", "downloaded", place)
    where columns.place between 1 and 2147483647
  ) r
  where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
  returning 1
),
attachment_notified as (
  update simplan.attachment set anchor = r.anchor, last_threshold_notified = r."lastThresholdNotified"
  from (
    select columns."attachmentId", columns."anchor", columns."lastThresholdNotified",$6::text as "organizationId"
    from unnest(($7::text)::text[],($8::text)::bigint[],($9::text)::integer[]) with ordinality columns ("attachmentId",
      "anchor", "lastThresholdNotified", place)
    where columns.place between 1 and 2147483647
  ) r
  where attachment.organization_id = r."organizationId" and attachment.attachment_id = r."attachmentId"
  returning 1
),
package_used as (
  update simplan.package set activation_at = r."activationAt", expiration_at = r."expirationAt",
  used_bytes = r."usedBytes"
  from (
    select columns."attachmentId", columns."activationAt", columns."expirationAt", columns."usedBytes",
    coalesce(columns."occurrence", $10::integer) as "occurrence",$11::text as "organizationId"
    from unnest(($12::text)::text[],($13::text)::bigint[],($14::text)::bigint[],($15::text)::bigint[],
      ($16::text)::integer[]) with ordinality columns ("attachmentId", "activationAt", "expirationAt", "usedBytes",
      "occurrence", place)
    where columns.place between 1 and 2147483647
  ) r
  where package.organization_id = r."organizationId" and package.attachment_id = r."attachmentId"
  and package.occurrence = r.occurrence
  returning 1
)
select simplan.ensure((select count(*) from sim_used) = $17::int, 'version'),(select count(*) from attachment_notified),
(select count(*) from package_used);
