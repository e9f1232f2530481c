select (json_build_object('processId', process.process_id, 'version', process.version, 'host', process.host, 'runs',
  process.runs, 'startedAt', process.started_at, 'beatAt', process.beat_at, 'heldJobs', process.held_jobs,
  'heldDeliveries', process.held_deliveries, 'rates', process.rates))::text as value
from simplan.process
where process.beat_at >= $1::bigint
order by process.started_at, process.process_id
limit $2::int;
