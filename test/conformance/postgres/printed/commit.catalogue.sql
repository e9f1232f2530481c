with catalogue_put as (
  insert into simplan.catalogue as stored (version, value) values (1, ($1::text)::json)
  on conflict (singleton) do update set version = stored.version + 1, value = excluded.value
  returning 1
)
select (select count(*) from catalogue_put);
