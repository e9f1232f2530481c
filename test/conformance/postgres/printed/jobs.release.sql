update simplan.job set lease_token = null, lease_until = null
where job.ended_at is null and job.due_at <= $1::bigint and job.lease_until is not null;
