select json_build_object(
  'dueAt', (
    select delivery.next_attempt_at
    from simplan.delivery
    where delivery.status = 'Pending' and delivery.handler is not null and not coalesce((
      select true from simplan.delivery earlier
      where earlier.status = 'Pending' and earlier.handler is not null and earlier.handler = delivery.handler
      and earlier.iccid = delivery.iccid and earlier.organization_id = delivery.organization_id
      and (earlier.created_at, earlier.delivery_id) < (delivery.created_at, delivery.delivery_id)
      limit 1
      ), false) and (delivery.lease_until is null or delivery.lease_until <= $1::bigint) and delivery.handler = $2
    order by delivery.next_attempt_at, delivery.delivery_id
    limit 1
  ),
  'held', (
    select count(*) filter (where due.lease_until > $3::bigint)
    from (
      select delivery.lease_until
      from simplan.delivery
      where delivery.status = 'Pending' and delivery.handler is not null and not coalesce((
        select true from simplan.delivery earlier
        where earlier.status = 'Pending' and earlier.handler is not null and earlier.handler = delivery.handler
        and earlier.iccid = delivery.iccid and earlier.organization_id = delivery.organization_id
        and (earlier.created_at, earlier.delivery_id) < (delivery.created_at, delivery.delivery_id)
        limit 1
        ), false) and delivery.next_attempt_at <= $4::bigint and delivery.handler = $5
      order by delivery.next_attempt_at, delivery.delivery_id
      limit 1000
    ) due
  )
)::text as value;
