with due as (
  select job.due_at as at, coalesce(job.lease_until > $1::bigint, false)
  as is_held
  from simplan.job
  where job.ended_at is null and job.due_at <= $2::bigint
  order by job.due_at, job.job_id
  limit 10000
)
select json_build_object(
  'due', count(*) filter (where not due.is_held), 'held', count(*) filter (where due.is_held),
  'oldestDueAt', min(due.at) filter (where not due.is_held)
)::text as value
from due;
