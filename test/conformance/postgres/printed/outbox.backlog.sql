with due as (
  select delivery.next_attempt_at as at, coalesce(delivery.lease_until > $1::bigint, false)
  as is_held
  from simplan.delivery
  where delivery.status = 'Pending' and delivery.handler is null and delivery.next_attempt_at <= $2::bigint
  order by delivery.next_attempt_at, delivery.delivery_id
  limit 10000
)
select json_build_object(
  'due', count(*) filter (where not due.is_held), 'held', count(*) filter (where due.is_held),
  'oldestDueAt', min(due.at) filter (where not due.is_held)
)::text as value
from due;
