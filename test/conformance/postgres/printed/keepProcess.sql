with gone as (
  delete from simplan.process
  where process.process_id in (
    select silent.process_id
    from simplan.process silent
    where silent.beat_at < $1::bigint and silent.process_id <> $2
    for update skip locked
  )
), process_put as (
  insert into simplan.process (
    process_id, version, host, runs, started_at, beat_at, held_jobs, held_deliveries, rates
  )
  select r."processId", r.version, r.host, r.runs, r."startedAt", r."beatAt", r."heldJobs", r."heldDeliveries", r.rates
  from (
    select columns."processId", columns."version", columns."host", columns."startedAt", columns."beatAt",
    columns."heldJobs", columns."heldDeliveries", columns."rates", columns."runs"::text[]
    from unnest(($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::bigint[],($7::text)::bigint[],
      ($8::text)::integer[],($9::text)::integer[],($10::text)::json[],
      ($11::text)::text[]) with ordinality columns ("processId", "version", "host", "startedAt", "beatAt", "heldJobs",
      "heldDeliveries", "rates", "runs", place)
    where columns.place between 1 and 2147483647
  ) r
  on conflict (process_id) do update set
  version = excluded.version, host = excluded.host, runs = excluded.runs, started_at = excluded.started_at,
  beat_at = excluded.beat_at, held_jobs = excluded.held_jobs, held_deliveries = excluded.held_deliveries,
  rates = excluded.rates
  returning 1
)
select to_json((select count(*) from process_put))::text as value;
