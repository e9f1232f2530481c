select json_build_object(
  'endpointId', asked.endpoint_id, 'pending', pending.count,
  'lastSuccessAt', greatest(delivered.at, made.success)
)::text as value
from json_array_elements_text($1::json) as asked(endpoint_id)
cross join lateral (
  select count(*) as count from (
    select from simplan.delivery
    where delivery.endpoint_id = asked.endpoint_id and delivery.status = 'Pending'
    and delivery.handler is null and delivery.organization_id = $2
    limit 10000
  ) found
) pending
cross join lateral (
  select max(delivered.last_attempt_at) as at from (
    select newest.last_attempt_at from (
      select delivery.status, delivery.last_attempt_at from simplan.delivery
      where delivery.organization_id = $3 and delivery.endpoint_id = asked.endpoint_id
      and delivery.handler is null
      order by delivery.created_at desc, delivery.delivery_id desc
      limit 10000
    ) newest
    where newest.status = 'Delivered'
    limit 100
  ) delivered
) delivered
cross join lateral (
  select max(delivery_attempt.at) as success
  from (
    (
      select newest.delivery_id from (
        select delivery.delivery_id, delivery.status, delivery.last_attempt_at from simplan.delivery
        where delivery.organization_id = $4 and delivery.endpoint_id = asked.endpoint_id
        and delivery.handler is null
        order by delivery.created_at desc, delivery.delivery_id desc
        limit 1000
      ) newest
      where newest.status <> 'Delivered' and newest.last_attempt_at is not null
    )
    union
    (
      select delivery.delivery_id from simplan.delivery
      where delivery.endpoint_id = asked.endpoint_id and delivery.status = 'Pending'
      and delivery.handler is null and delivery.organization_id = $5
      and delivery.last_attempt_at is not null
      limit 10000
    )
  ) tried
  join simplan.delivery_attempt on delivery_attempt.organization_id = $6
  and delivery_attempt.delivery_id = tried.delivery_id and delivery_attempt.error is null
) made;
