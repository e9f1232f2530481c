with delivery_replayed as (
  update simplan.delivery set status = r.status, attempts = r.attempts, retry_step = r."retryStep",
  response_status = r."responseStatus", last_error = r."lastError", last_attempt_at = r."lastAttemptAt",
  next_attempt_at = r."nextAttemptAt", lease_token = null, lease_until = null
  from (
    select columns."deliveryId", columns."status", columns."lastError", columns."lastAttemptAt", columns."nextAttemptAt",
    columns."attempts", columns."retryStep", columns."responseStatus",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::bigint[],($6::text)::bigint[],
      ($7::text)::integer[],($8::text)::integer[],($9::text)::integer[]) with ordinality columns ("deliveryId", "status",
      "lastError", "lastAttemptAt", "nextAttemptAt", "attempts", "retryStep", "responseStatus", place)
    where columns.place between 1 and 2147483647
  ) r
  where delivery.organization_id = r."organizationId" and delivery.delivery_id = r."deliveryId"
  returning 1
)
select (select count(*) from delivery_replayed);
