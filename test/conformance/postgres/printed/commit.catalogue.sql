with catalogue_put as (
  insert into simplan.catalogue as stored (version, value)
  select 1, ($1::text)::json
  where coalesce($2::bigint, 0) = 0 or exists (select from simplan.catalogue)
  on conflict (singleton) do update set version = stored.version + 1, value = excluded.value
  where stored.version = coalesce($3::bigint, stored.version)
  returning 1
)
select simplan.ensure((select count(*) from catalogue_put) = 1, 'version');
