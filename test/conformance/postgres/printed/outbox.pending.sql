select json_build_object(
  'dueAt', (
    select delivery.next_attempt_at
    from simplan.delivery
    where delivery.status = 'Pending' and delivery.handler is null
    and (delivery.lease_until is null or delivery.lease_until <= $1::bigint)
    order by delivery.next_attempt_at, delivery.delivery_id
    limit 1
  ),
  'held', (
    select count(*) filter (where due.lease_until > $2::bigint)
    from (
      select delivery.lease_until
      from simplan.delivery
      where delivery.status = 'Pending' and delivery.handler is null and delivery.next_attempt_at <= $3::bigint
      order by delivery.next_attempt_at, delivery.delivery_id
      limit 1000
    ) due
  )
)::text as value;
