with job_put as (
  insert into simplan.job (
    job_id, organization_id, work, due_at, attempts, created_at, idempotency_key, origin, command, refused, ended_at,
    waiting, lease_token, lease_until
  )
  select r."jobId", r."organizationId", r.work, r."dueAt", r.attempts, r."createdAt", r."idempotencyKey", r.origin,
  r.command, r.refused, r."endedAt", r.waiting, r."leaseToken", r."leaseUntil"
  from (
    select columns."jobId", columns."idempotencyKey", columns."leaseToken", columns."dueAt", columns."createdAt",
    columns."endedAt", columns."leaseUntil", columns."attempts", columns."work", columns."origin", columns."command",
    columns."refused", columns."waiting",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::bigint[],($6::text)::bigint[],
      ($7::text)::bigint[],($8::text)::bigint[],($9::text)::integer[],($10::text)::jsonb[],($11::text)::jsonb[],
      ($12::text)::jsonb[],($13::text)::jsonb[],($14::text)::jsonb[]) with ordinality columns ("jobId", "idempotencyKey",
      "leaseToken", "dueAt", "createdAt", "endedAt", "leaseUntil", "attempts", "work", "origin", "command", "refused",
      "waiting", place)
    where columns.place between 1 and 2147483647
  ) r
  on conflict do nothing
  returning 1
)
select (select count(*) from job_put);
