update simplan.job set lease_token = null, lease_until = null
from (
  select columns."jobId", columns."token"
  from unnest(($1::text)::text[],($2::text)::text[]) with ordinality columns ("jobId", "token", place)
  where columns.place between 1 and 2147483647
) r
where job.job_id = r."jobId" and job.lease_token = r.token;
