with job_finished as (
  delete from simplan.job using (
    select columns."jobId", columns."token"
    from unnest(($1::text)::text[],($2::text)::text[]) with ordinality columns ("jobId", "token", place)
    where columns.place between 1 and 2147483647
  ) r where job.job_id = r."jobId" and job.lease_token = r.token returning 1
)
select simplan.ensure((select count(*) from job_finished) = $3::int, 'lease');
