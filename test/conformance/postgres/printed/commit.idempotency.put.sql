with idempotency_row as (
  select * from (
    select columns."key", columns."fingerprint", columns."insteadOf", columns."createdAt", columns."replaces",
    columns."outcome",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::bigint[],($6::text)::bigint[],
      ($7::text)::json[]) with ordinality columns ("key", "fingerprint", "insteadOf", "createdAt", "replaces",
      "outcome", place)
    where columns.place between 1 and 2147483647
  ) r
),
idempotency_put as (
  insert into simplan.idempotency as stored (
    organization_id, key, fingerprint, created_at, outcome
  )
  select r."organizationId", r.key, r.fingerprint, r."createdAt", r.outcome
  from idempotency_row r
  on conflict (organization_id, key) do update set
  fingerprint = excluded.fingerprint, created_at = excluded.created_at, outcome = excluded.outcome
  where exists (
    select from idempotency_row r
    where r."organizationId" = excluded.organization_id and r.key = excluded.key
    and (
      stored.created_at <= r.replaces
      or stored.outcome->>'_tag' = 'Interrupted' and stored.outcome->>'attemptId' = r."insteadOf"
    )
  )
  returning 1
)
select simplan.ensure((select count(*) from idempotency_put) = $8::int, 'idempotency key');
