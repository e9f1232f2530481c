with stock_level_put as (
  insert into simplan.stock_level as stored (
    organization_id, label, level, is_low, version
  )
  select r."organizationId", r.label, r.level, r."isLow", r.version + 1
  from (
    select columns."label", columns."level", columns."version", columns."isLow",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[],($4::text)::bigint[],
      ($5::text)::boolean[]) with ordinality columns ("label", "level", "version", "isLow", place)
    where columns.place between 1 and 2147483647
  ) r
  where r.version = 0 or exists (
    select from simplan.stock_level known
    where known.organization_id = r."organizationId" and known.label = r.label
  )
  on conflict (organization_id, label) do update set
  level = excluded.level, is_low = excluded.is_low, version = excluded.version
  where stored.version = excluded.version - 1
  returning 1
)
select simplan.ensure((select count(*) from stock_level_put) = $6::int, 'version');
