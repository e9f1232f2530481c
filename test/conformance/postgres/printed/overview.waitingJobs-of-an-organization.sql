select json_build_object(
  'kind', waiting.kind, 'reason', waiting.reason, 'telco', waiting.telco, 'count', count(*),
  'since', min(waiting.since), 'nextAt', min(waiting.due_at)
)::text as value
from (
  select found.work->>'_tag' as kind, found.waiting->>'reason' as reason, found.waiting->>'telco' as telco,
  (found.waiting->>'since')::bigint as since, found.due_at
  from (
    select job.organization_id, job.work, job.waiting, job.due_at
    from simplan.job
    where job.waiting is not null and job.ended_at is null
    order by job.created_at, job.job_id
    limit $1::int
  ) found
  where found.organization_id = $2
) waiting
group by waiting.kind, waiting.reason, waiting.telco;
