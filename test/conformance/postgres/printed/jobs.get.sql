select (json_build_array(job.job_id, job.organization_id, job.work, job.due_at, job.attempts, job.created_at,
  job.idempotency_key, job.origin, job.command, job.refused, job.ended_at, job.waiting))::text as value
from simplan.job
where job.job_id = $1
and job.organization_id = $2;
