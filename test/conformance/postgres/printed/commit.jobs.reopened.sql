with job_reopened as (
  update simplan.job set due_at = r."dueAt", attempts = r.attempts, ended_at = null, waiting = null,
  work = coalesce(r.work, job.work)
  from (
    select columns."jobId", columns."endedAt", columns."dueAt", columns."attempts", columns."work",
    $1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[],($4::text)::bigint[],($5::text)::integer[],
      ($6::text)::jsonb[]) with ordinality columns ("jobId", "endedAt", "dueAt", "attempts", "work", place)
    where columns.place between 1 and 2147483647
  ) r
  where job.organization_id = r."organizationId" and job.job_id = r."jobId" and job.ended_at = r."endedAt"
  returning 1
)
select simplan.ensure((select count(*) from job_reopened) = $7::int, 'version');
