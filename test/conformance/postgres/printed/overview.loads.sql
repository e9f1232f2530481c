select json_build_object(
  'organizationId', work.organization_id, 'waitingJobs', sum(work.job), 'pendingDeliveries', sum(work.delivery)
)::text as value
from (
  (
    select job.organization_id, 1 as job, 0 as delivery
    from simplan.job
    where job.waiting is not null and job.ended_at is null
    order by job.created_at, job.job_id
    limit $1::int
  )
  union all
  (
    select delivery.organization_id, 0, 1
    from simplan.delivery
    where delivery.status = 'Pending' and delivery.handler is null and delivery.next_attempt_at is not null
    order by delivery.next_attempt_at, delivery.delivery_id
    limit $2::int
  )
) work
group by work.organization_id
order by count(*) desc, work.organization_id
limit $3::int;
