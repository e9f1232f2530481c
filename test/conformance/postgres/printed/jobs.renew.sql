with job_renewing as (
  select * from (
    select job.organization_id, job.job_id
    from (
      select columns."jobId", columns."token",$1::text as "organizationId"
      from unnest(($2::text)::text[],($3::text)::text[]) with ordinality columns ("jobId", "token", place)
      where columns.place between 1 and 2147483647
    ) r
    join simplan.job on job.organization_id = r."organizationId" and job.job_id = r."jobId" and job.lease_token = r.token
    order by job.organization_id, job.job_id
    for update of job skip locked
  ) locked
)
update simplan.job set lease_until = $4::bigint
from job_renewing r
where job.organization_id = r.organization_id and job.job_id = r.job_id
and job.organization_id = $5;
