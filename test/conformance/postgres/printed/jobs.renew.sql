with job_renewing as (
  select * from (
    select job.job_id
    from (
      select columns."jobId", columns."token"
      from unnest(($1::text)::text[],($2::text)::text[]) with ordinality columns ("jobId", "token", place)
      where columns.place between 1 and 2147483647
    ) r
    join simplan.job on job.job_id = r."jobId" and job.lease_token = r.token
    order by job.job_id
    for update of job skip locked
  ) locked
)
update simplan.job set lease_until = $3::bigint
from job_renewing
where job.job_id = job_renewing.job_id;
