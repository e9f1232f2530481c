with job_hastened as (
  update simplan.job set due_at = r."dueAt"
  from (
    select columns."jobId", columns."dueAt",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[]) with ordinality columns ("jobId", "dueAt", place)
    where columns.place between 1 and 2147483647
  ) r
  where job.organization_id = r."organizationId" and job.job_id = r."jobId" and job.waiting is not null
  and job.ended_at is null and job.due_at > r."dueAt"
  returning 1
)
select (select count(*) from job_hastened);
