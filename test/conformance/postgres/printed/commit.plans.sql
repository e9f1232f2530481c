with plan_put as (
  insert into simplan.plan as stored (
    organization_id, plan_id, label, coverage_id, folded_name, terms, created_at, archived_at, deleted_at, version
  )
  select r."organizationId", r."planId", r.terms->>'label', r.terms->>'coverageId', r."foldedName", r.terms,
  r."createdAt", r."archivedAt", r."deletedAt", r.version + 1
  from (
    select columns."organizationId", columns."planId", columns."foldedName", columns."createdAt", columns."archivedAt",
    columns."deletedAt", columns."version", columns."terms"
    from unnest(($1::text)::text[],($2::text)::text[],($3::text)::text[],($4::text)::bigint[],($5::text)::bigint[],
      ($6::text)::bigint[],($7::text)::bigint[],($8::text)::jsonb[]) with ordinality columns ("organizationId", "planId",
      "foldedName", "createdAt", "archivedAt", "deletedAt", "version", "terms", place)
    where columns.place between 1 and 2147483647
  ) r
  where r.version = 0 or exists (
    select from simplan.plan known
    where known.organization_id = r."organizationId" and known.plan_id = r."planId"
  )
  on conflict (organization_id, plan_id) do update set
  label = excluded.label, coverage_id = excluded.coverage_id, folded_name = excluded.folded_name,
  terms = excluded.terms, created_at = excluded.created_at, archived_at = excluded.archived_at,
  deleted_at = excluded.deleted_at, version = excluded.version
  where stored.version = excluded.version - 1
  returning 1
)
select simplan.ensure((select count(*) from plan_put) = $9::int, 'version');
