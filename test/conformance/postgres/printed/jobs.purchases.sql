select (json_build_array(job.job_id, job.organization_id, job.work, job.due_at, job.attempts, job.created_at,
  job.idempotency_key, job.origin, job.command, job.refused, job.ended_at, job.waiting))::text as value
from simplan.job
where job.organization_id = $1 and job.ended_at is null and job.work->>'_tag' = 'BuySim'
order by job.created_at, job.job_id
limit $2::int;
