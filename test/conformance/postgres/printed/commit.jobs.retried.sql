with job_retried as (
  update simplan.job set due_at = r."dueAt", attempts = r.attempts,
  refused = coalesce(r.refused, job.refused), ended_at = r."endedAt", waiting = r.waiting, lease_token = r.next,
  lease_until = r.until
  from (
    select columns."jobId", columns."token", columns."next", columns."dueAt", columns."endedAt", columns."until",
    columns."attempts", columns."refused", columns."waiting",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::bigint[],($6::text)::bigint[],
      ($7::text)::bigint[],($8::text)::integer[],($9::text)::jsonb[],($10::text)::jsonb[]) with ordinality columns ("jobId",
      "token", "next", "dueAt", "endedAt", "until", "attempts", "refused", "waiting", place)
    where columns.place between 1 and 2147483647
  ) r
  where job.organization_id = r."organizationId" and job.job_id = r."jobId" and job.lease_token = r.token
  returning 1
)
select simplan.ensure((select count(*) from job_retried) = $11::int, 'lease');
