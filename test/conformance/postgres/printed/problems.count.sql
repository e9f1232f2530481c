select to_json(count(*))::text as value
from (
  select true from simplan.job
  where job.ended_at is not null
  order by job.created_at, job.job_id
  limit 10000
) problem;
