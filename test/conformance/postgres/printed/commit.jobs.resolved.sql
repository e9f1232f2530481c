with job_resolved as (
  delete from simplan.job using (
    select columns."jobId", columns."endedAt",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[]) with ordinality columns ("jobId", "endedAt", place)
    where columns.place between 1 and 2147483647
  ) r
  where job.organization_id = r."organizationId" and job.job_id = r."jobId" and job.ended_at = r."endedAt"
  returning 1
)
select simplan.ensure((select count(*) from job_resolved) = $4::int, 'version');
