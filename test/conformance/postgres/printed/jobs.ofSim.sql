select (json_build_array(job.job_id, job.organization_id, job.work, job.due_at, job.attempts, job.created_at,
  job.idempotency_key, job.origin, job.command, job.refused, job.ended_at, job.waiting))::text as value
from simplan.job
where job.organization_id = $1 and job.work->>'iccid' = $2
and (job.waiting is not null or job.ended_at is not null)
and (job.created_at, job.job_id) > ($3::bigint, $4::text)
order by job.created_at, job.job_id
limit $5::int;
