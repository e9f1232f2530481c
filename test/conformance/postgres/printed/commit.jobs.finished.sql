with job_finished as (
  delete from simplan.job using (
    select columns."jobId", columns."token",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[]) with ordinality columns ("jobId", "token", place)
    where columns.place between 1 and 2147483647
  ) r where job.organization_id = r."organizationId" and job.job_id = r."jobId" and job.lease_token = r.token returning 1
)
select simplan.ensure((select count(*) from job_finished) = $4::int, 'lease');
