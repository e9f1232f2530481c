with plan_put as (
  insert into simplan.plan as stored (
    organization_id, plan_id, terms, metadata, price, bundle, created_at, archived_at, deleted_at, version, label,
    coverage_id, folded_name
  )
  select r."organizationId", r."planId", r.terms, r.metadata, r.price, r.bundle, r."createdAt", r."archivedAt",
  r."deletedAt", r.version + 1, r.label, r."coverageId", r."foldedName"
  from (
    select columns."planId", columns."metadata", columns."label", columns."coverageId", columns."foldedName",
    columns."createdAt", columns."archivedAt", columns."deletedAt", columns."version", columns."terms", columns."price",
    columns."bundle",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::text[],
      ($7::text)::bigint[],($8::text)::bigint[],($9::text)::bigint[],($10::text)::bigint[],($11::text)::jsonb[],
      ($12::text)::jsonb[],($13::text)::jsonb[]) with ordinality columns ("planId", "metadata", "label", "coverageId",
      "foldedName", "createdAt", "archivedAt", "deletedAt", "version", "terms", "price", "bundle", place)
    where columns.place between 1 and 2147483647
  ) r
  where r.version = 0 or exists (
    select from simplan.plan known
    where known.organization_id = r."organizationId" and known.plan_id = r."planId"
  )
  on conflict (organization_id, plan_id) do update set
  terms = excluded.terms, metadata = excluded.metadata, price = excluded.price, bundle = excluded.bundle,
  created_at = excluded.created_at, archived_at = excluded.archived_at, deleted_at = excluded.deleted_at,
  version = excluded.version, label = excluded.label, coverage_id = excluded.coverage_id,
  folded_name = excluded.folded_name
  where stored.version = excluded.version - 1
  returning 1
)
select simplan.ensure((select count(*) from plan_put) = $14::int, 'version');
