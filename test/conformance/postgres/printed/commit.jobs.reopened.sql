with job_reopened as (
  update simplan.job set due_at = r."dueAt", attempts = r.attempts, ended_at = null, waiting = null,
  work = coalesce(r.work, job.work)
  from (
    select columns."jobId", columns."endedAt", columns."dueAt", columns."attempts", columns."work"
    from unnest(($1::text)::text[],($2::text)::bigint[],($3::text)::bigint[],($4::text)::integer[],
      ($5::text)::jsonb[]) with ordinality columns ("jobId", "endedAt", "dueAt", "attempts", "work", place)
    where columns.place between 1 and 2147483647
  ) r
  where job.job_id = r."jobId" and job.ended_at = r."endedAt"
  returning 1
)
select simplan.ensure((select count(*) from job_reopened) = $6::int, 'version');
