with api_key_put as (
  insert into simplan.api_key as stored (
    organization_id, api_key_id, name, scope, hash, hint, previous_hash, previous_until, created_at, expires_at,
    revoked_at, version
  )
  select r."organizationId", r."apiKeyId", r.name, r.scope, r.hash, r.hint, r."previousHash", r."previousUntil",
  r."createdAt", r."expiresAt", r."revokedAt", r.version + 1
  from (
    select columns."apiKeyId", columns."name", columns."scope", columns."hash", columns."hint", columns."previousHash",
    columns."previousUntil", columns."createdAt", columns."expiresAt", columns."revokedAt", columns."version",
    $1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::text[],
      ($7::text)::text[],($8::text)::bigint[],($9::text)::bigint[],($10::text)::bigint[],($11::text)::bigint[],
      ($12::text)::bigint[]) with ordinality columns ("apiKeyId", "name", "scope", "hash", "hint", "previousHash",
      "previousUntil", "createdAt", "expiresAt", "revokedAt", "version", place)
    where columns.place between 1 and 2147483647
  ) r
  where r.version = 0 or exists (
    select from simplan.api_key known
    where known.organization_id = r."organizationId" and known.api_key_id = r."apiKeyId"
  )
  on conflict (organization_id, api_key_id) do update set
  name = excluded.name, scope = excluded.scope, hash = excluded.hash, hint = excluded.hint,
  previous_hash = excluded.previous_hash, previous_until = excluded.previous_until, created_at = excluded.created_at,
  expires_at = excluded.expires_at, revoked_at = excluded.revoked_at, version = excluded.version
  where stored.version = excluded.version - 1
  returning 1
)
select simplan.ensure((select count(*) from api_key_put) = $13::int, 'version');
