select json_build_object(
  'kind', waiting.kind, 'reason', waiting.reason, 'count', count(*), 'since', min(waiting.since),
  'nextAt', min(waiting.due_at)
)::text as value
from (
  select job.work->>'_tag' as kind, job.waiting->>'reason' as reason, (job.waiting->>'since')::bigint as since,
  job.due_at
  from simplan.job
  where job.waiting is not null and job.ended_at is null
  order by job.created_at, job.job_id
  limit 10000
) waiting
group by waiting.kind, waiting.reason;
