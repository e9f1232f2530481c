select json_build_object(
  'dueAt', (
    select job.due_at
    from simplan.job
    where job.ended_at is null and (job.lease_until is null or job.lease_until <= $1::bigint)
    order by job.due_at, job.job_id
    limit 1
  ),
  'held', (
    select count(*) filter (where due.lease_until > $2::bigint)
    from (
      select job.lease_until
      from simplan.job
      where job.ended_at is null and job.due_at <= $3::bigint
      order by job.due_at, job.job_id
      limit 1000
    ) due
  )
)::text as value;
