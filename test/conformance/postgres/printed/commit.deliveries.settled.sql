with delivery_settled as (
  update simplan.delivery set status = r.status, attempts = r.attempts, retry_step = r."retryStep",
  response_status = r."responseStatus", last_error = r."lastError", last_attempt_at = r."lastAttemptAt",
  next_attempt_at = r."nextAttemptAt", lease_token = null, lease_until = null
  from (
    select columns."deliveryId", columns."lastError", columns."token", columns."error", columns."lastAttemptAt",
    columns."nextAttemptAt", columns."at", columns."durationMillis",coalesce(columns."status", $1::text) as "status",
    coalesce(columns."responseBody", $2::text) as "responseBody",coalesce(columns."attempts", $3::integer) as "attempts",
    coalesce(columns."retryStep", $4::integer) as "retryStep",coalesce(columns."responseStatus",
      $5::integer) as "responseStatus",coalesce(columns."number", $6::integer) as "number",coalesce(columns."attemptStatus",
      $7::integer) as "attemptStatus",$8::text as "organizationId"
    from unnest(($9::text)::text[],($10::text)::text[],($11::text)::text[],($12::text)::text[],($13::text)::text[],
      ($14::text)::text[],($15::text)::bigint[],($16::text)::bigint[],($17::text)::bigint[],($18::text)::integer[],
      ($19::text)::integer[],($20::text)::integer[],($21::text)::integer[],($22::text)::integer[],
      ($23::text)::integer[]) with ordinality columns ("deliveryId", "status", "lastError", "token", "error", "responseBody",
      "lastAttemptAt", "nextAttemptAt", "at", "attempts", "retryStep", "responseStatus", "number", "durationMillis",
      "attemptStatus", place)
    where columns.place between 1 and 2147483647
  ) r
  where delivery.organization_id = r."organizationId" and delivery.delivery_id = r."deliveryId"
  and delivery.lease_token = r.token
  returning r."organizationId", r."deliveryId", r.number, r.at, r."durationMillis", r."attemptStatus", r.error,
  r."responseBody"
),
delivery_attempted as (
  insert into simplan.delivery_attempt (
    organization_id, delivery_id, number, at, duration_millis, response_status, error, response_body
  )
  select r.* from delivery_settled r where r.number is not null
  on conflict (organization_id, delivery_id, number) do update set
  at = excluded.at, duration_millis = excluded.duration_millis, response_status = excluded.response_status,
  error = excluded.error, response_body = excluded.response_body
  returning 1
)
select simplan.ensure((select count(*) from delivery_settled) = $24::int, 'lease'),
(select count(*) from delivery_attempted);
