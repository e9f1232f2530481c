with taken as (
  select * from (
    select job.tableoid as part, job.ctid as place
    from simplan.job
    where job.ended_at is null and job.due_at <= $1::bigint
    and (job.lease_until is null or job.lease_until <= $2::bigint) order by job.due_at,
    job.job_id limit 100 for update skip locked
  ) first limit $3::int
), job as (
  update simplan.job set lease_token = $4, lease_until = $5::bigint
  where job.ctid = any(array(select taken.place from taken))
  and (job.tableoid, job.ctid) in (select taken.part, taken.place from taken)
  returning job.*
)
select (json_build_array(job.job_id, job.organization_id, job.work, job.due_at, job.attempts, job.created_at,
  job.idempotency_key, job.origin, job.command, job.refused, job.ended_at, job.waiting))::text as value
from job order by job.due_at, job.job_id;
