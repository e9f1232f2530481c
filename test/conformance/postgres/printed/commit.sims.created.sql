with sim_allocated as (
  update simplan.sim set
  allocation = r.allocation, allocated_to = r."allocatedTo", recycled_at = r."recycledAt", moved_to = r."movedTo",
  moves = r.moves, releasing = nullif(r.allocation in ('Releasing'), false), version = r.version + 1,
  reservation_token = null, reserved_until = null
  from (
    select columns."iccid", columns."allocation", columns."allocatedTo", columns."movedTo", columns."version",
    columns."recycledAt", columns."moves",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::bigint[],
      ($7::text)::bigint[],($8::text)::jsonb[]) with ordinality columns ("iccid", "allocation", "allocatedTo", "movedTo",
      "version", "recycledAt", "moves", place)
    where columns.place between 1 and 2147483647
  ) r
  where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
  returning 1
),
subscription_added as (
  insert into simplan.subscription (
    organization_id, subscription_id, iccid, metadata, created_at, status
  )
  select r."organizationId", r."subscriptionId", r.iccid, r.metadata, r."createdAt", r.status
  from (
    select columns."subscriptionId", columns."iccid", columns."metadata", columns."status", columns."createdAt",
    $9::text as "organizationId"
    from unnest(($10::text)::text[],($11::text)::text[],($12::text)::text[],($13::text)::text[],
      ($14::text)::bigint[]) with ordinality columns ("subscriptionId", "iccid", "metadata", "status", "createdAt", place)
    where columns.place between 1 and 2147483647
  ) r
  returning 1
),
attachment_added as (
  insert into simplan.attachment (
    organization_id, attachment_id, subscription_id, iccid, plan_id, terms, active_period, metadata, created_at, confirmed,
    anchor, suspended_at, last_threshold_notified, replacements
  )
  select r."organizationId", r."attachmentId", r."subscriptionId", r.iccid, r."planId", r.terms, r."activePeriod",
  r.metadata, r."createdAt", r.confirmed, r.anchor, r."suspendedAt", r."lastThresholdNotified", r.replacements
  from (
    select columns."attachmentId", columns."subscriptionId", columns."iccid", columns."planId", columns."metadata",
    columns."createdAt", columns."anchor", columns."suspendedAt", columns."lastThresholdNotified", columns."replacements",
    columns."confirmed", columns."terms", columns."activePeriod",$15::text as "organizationId"
    from unnest(($16::text)::text[],($17::text)::text[],($18::text)::text[],($19::text)::text[],($20::text)::text[],
      ($21::text)::bigint[],($22::text)::bigint[],($23::text)::bigint[],($24::text)::integer[],($25::text)::integer[],
      ($26::text)::boolean[],($27::text)::jsonb[],($28::text)::jsonb[]) with ordinality columns ("attachmentId",
      "subscriptionId", "iccid", "planId", "metadata", "createdAt", "anchor", "suspendedAt", "lastThresholdNotified",
      "replacements", "confirmed", "terms", "activePeriod", place)
    where columns.place between 1 and 2147483647
  ) r
  returning 1
),
package_added as (
  insert into simplan.package (
    organization_id, attachment_id, occurrence, iccid, status, refusal, telco_package_id, activation_at, expiration_at,
    used_bytes, replacement
  )
  select r."organizationId", r."attachmentId", r.occurrence, r.iccid, r.status, r.refusal, r."telcoPackageId",
  r."activationAt", r."expirationAt", r."usedBytes", r.replacement
  from (
    select columns."attachmentId", columns."iccid", columns."status", columns."refusal", columns."telcoPackageId",
    columns."activationAt", columns."expirationAt", columns."usedBytes", columns."occurrence", columns."replacement",
    $29::text as "organizationId"
    from unnest(($30::text)::text[],($31::text)::text[],($32::text)::text[],($33::text)::text[],($34::text)::text[],
      ($35::text)::bigint[],($36::text)::bigint[],($37::text)::bigint[],($38::text)::integer[],
      ($39::text)::jsonb[]) with ordinality columns ("attachmentId", "iccid", "status", "refusal", "telcoPackageId",
      "activationAt", "expirationAt", "usedBytes", "occurrence", "replacement", place)
    where columns.place between 1 and 2147483647
  ) r
  returning 1
)
select simplan.ensure((select count(*) from sim_allocated) = $40::int, 'version'),(select count(*)
  from subscription_added),(select count(*) from attachment_added),(select count(*) from package_added);
