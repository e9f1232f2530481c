with job_cancelled as (
  delete from simplan.job using (
    select columns."jobId"
    from unnest(($1::text)::text[]) with ordinality columns ("jobId", place)
    where columns.place between 1 and 2147483647
  ) r
  where job.job_id = r."jobId" and job.attempts = 0
  returning 1
)
select simplan.ensure((select count(*) from job_cancelled) = $2::int, 'version');
