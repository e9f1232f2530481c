with clock_put as (
  insert into simplan.clock (instant) values ($1::bigint)
  on conflict (singleton) do update set instant = excluded.instant
  returning 1
)
select (select count(*) from clock_put);
