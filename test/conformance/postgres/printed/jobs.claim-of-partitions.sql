with taken as (
  select part, place
  from simplan.job_places(
    ($1::text)::json, $2::bigint, $3::bigint
  )
), job as (
  update simplan.job set lease_token = $4, lease_until = $5::bigint
  where job.ctid = any(array(select taken.place from taken))
  and (job.tableoid, job.ctid) in (select taken.part, taken.place from taken)
  returning job.*
)
select (json_build_array(job.job_id, job.organization_id, job.work, job.due_at, job.attempts, job.created_at,
  job.idempotency_key, job.origin, job.command, job.refused, job.ended_at, job.waiting))::text as value
from job order by job.due_at, job.job_id;
