with operator_put as (
  insert into simplan.operator as stored (
    operator_id, name, role, organization_id, hash, hint, previous_hash, previous_until, created_at, expires_at,
    deleted_at, version
  )
  select r."operatorId", r.name, r.role, r."organizationId", r.hash, r.hint, r."previousHash", r."previousUntil",
  r."createdAt", r."expiresAt", r."deletedAt", r.version + 1
  from (
    select columns."operatorId", columns."name", columns."role", columns."organizationId", columns."hash", columns."hint",
    columns."previousHash", columns."previousUntil", columns."createdAt", columns."expiresAt", columns."deletedAt",
    columns."version"
    from unnest(($1::text)::text[],($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],
      ($6::text)::text[],($7::text)::text[],($8::text)::bigint[],($9::text)::bigint[],($10::text)::bigint[],
      ($11::text)::bigint[],($12::text)::bigint[]) with ordinality columns ("operatorId", "name", "role", "organizationId",
      "hash", "hint", "previousHash", "previousUntil", "createdAt", "expiresAt", "deletedAt", "version", place)
    where columns.place between 1 and 2147483647
  ) r
  where r.version = 0 or exists (
    select from simplan.operator known
    where known.operator_id = r."operatorId"
  )
  on conflict (operator_id) do update set
  name = excluded.name, role = excluded.role, organization_id = excluded.organization_id, hash = excluded.hash,
  hint = excluded.hint, previous_hash = excluded.previous_hash, previous_until = excluded.previous_until,
  created_at = excluded.created_at, expires_at = excluded.expires_at, deleted_at = excluded.deleted_at,
  version = excluded.version
  where stored.version = excluded.version - 1
  returning 1
)
select simplan.ensure((select count(*) from operator_put) = $13::int, 'version');
