select (json_build_array(job.job_id, job.organization_id, job.work, job.due_at, job.attempts, job.created_at,
  job.idempotency_key, job.origin, job.command, job.refused, job.ended_at, job.waiting))::text as value
from simplan.job
where job.ended_at is not null and (job.created_at, job.job_id) > ($1::bigint, $2::text)
and true
order by job.created_at, job.job_id
limit $3::int;
