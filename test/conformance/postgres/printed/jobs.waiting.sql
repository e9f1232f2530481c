select json_build_object(
  'at', job.scanned_at, 'createdAt', job.created_at, 'id', job.job_id,
  'item', case when filtered.is_taken then json_build_array(job.job_id, job.organization_id, job.work, job.due_at,
    job.attempts, job.created_at, job.idempotency_key, job.origin, job.command, job.refused, job.ended_at, job.waiting) end
)::text as value
from (
  select job.*, row_number() over listed as scanned_at, lead(1) over listed is null as is_last
  from simplan.job
  where (job.waiting is not null and job.ended_at is null AND (job.created_at, job.job_id) > ($1::bigint, $2::text))
  window listed as (order by job.created_at, job.job_id)
  order by job.created_at, job.job_id
  limit 512
) job
cross join lateral (select (job.organization_id = $3 AND job.work->>'_tag' = $4) as is_taken) filtered
where filtered.is_taken or job.is_last
or job.scanned_at = 512
order by job.created_at, job.job_id
limit $5::int;
