with to_endpoint as (
  update simplan.delivery set lease_token = null, lease_until = null
  where delivery.status = 'Pending' and delivery.handler is null and delivery.next_attempt_at <= $1::bigint
  and delivery.lease_until is not null
)
update simplan.delivery set lease_token = null, lease_until = null
where delivery.status = 'Pending' and delivery.handler is not null
and delivery.handler = any(array(select event_handler.name from simplan.event_handler))
and delivery.next_attempt_at <= $2::bigint and delivery.lease_until is not null;
