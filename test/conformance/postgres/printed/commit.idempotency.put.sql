with idempotency_put as (
  insert into simplan.idempotency as stored (
    organization_id, key, fingerprint, created_at, outcome
  )
  select r."organizationId", r.key, r.fingerprint, r."createdAt", r.outcome
  from (
    select columns."key", columns."fingerprint", columns."createdAt", columns."outcome",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::bigint[],
      ($5::text)::json[]) with ordinality columns ("key", "fingerprint", "createdAt", "outcome", place)
    where columns.place between 1 and 2147483647
  ) r
  on conflict (organization_id, key) do update set
  fingerprint = excluded.fingerprint, created_at = excluded.created_at, outcome = excluded.outcome
  where stored.created_at <= excluded.created_at - $6::bigint
  or stored.outcome->>'_tag' = 'Interrupted' and stored.outcome->>'attemptId' = $7::text
  returning 1
)
select simplan.ensure((select count(*) from idempotency_put) = $8::int, 'idempotency key');
