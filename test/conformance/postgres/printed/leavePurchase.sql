update simplan.job set awaited_until = null
where job.job_id = $1 and job.organization_id = $2
and job.awaited_until = $3::bigint
returning '1' as value;
