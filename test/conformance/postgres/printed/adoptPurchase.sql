with job as (
  update simplan.job set awaited_until = $1::bigint
  where job.organization_id = $2 and job.job_id = (
    select job.job_id from simplan.job
    where job.organization_id = $3 and job.ended_at is null and job.work->>'_tag' = 'BuySim'
    and job.work->>'label' = $4 and job.work->>'load' = $5
    and (job.awaited_until is null or job.awaited_until <= $6::bigint)
    order by job.created_at, job.job_id
    limit 1
    for update skip locked
  )
  returning job.*
)
select (json_build_array(job.job_id, job.organization_id, job.work, job.due_at, job.attempts, job.created_at,
  job.idempotency_key, job.origin, job.command, job.refused, job.ended_at, job.waiting))::text as value from job;
