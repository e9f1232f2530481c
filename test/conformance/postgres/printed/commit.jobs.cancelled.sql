with job_cancelled as (
  delete from simplan.job using (
    select columns."jobId",$1::text as "organizationId"
    from unnest(($2::text)::text[]) with ordinality columns ("jobId", place)
    where columns.place between 1 and 2147483647
  ) r
  where job.organization_id = r."organizationId" and job.job_id = r."jobId" and job.attempts = 0
  returning 1
)
select simplan.ensure((select count(*) from job_cancelled) = $3::int, 'version');
