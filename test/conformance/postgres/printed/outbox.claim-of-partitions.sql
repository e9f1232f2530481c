with taken as (
  select part, place
  from simplan.delivery_places(
    ($1::text)::json, $2::bigint, $3::bigint
  )
), delivery as (
  update simplan.delivery set lease_token = $4, lease_until = $5::bigint
  where delivery.ctid = any(array(select taken.place from taken))
  and (delivery.tableoid, delivery.ctid) in (select taken.part, taken.place from taken)
  returning delivery.*
)
select (json_build_array(
  json_build_array(delivery.organization_id, delivery.delivery_id, delivery.event_id, delivery.endpoint_id,
    delivery.status, delivery.attempts, delivery.retry_step, delivery.response_status, delivery.last_error,
    delivery.last_attempt_at, delivery.next_attempt_at, delivery.created_at),
  json_build_array(event.created_at, event.payload),
  json_build_array(webhook_endpoint.url, webhook_endpoint.events, webhook_endpoint.description,
    webhook_endpoint.disabled_reason, webhook_endpoint.disabled_at, webhook_endpoint.failing_since,
    webhook_endpoint.signing_keys, webhook_endpoint.created_at, webhook_endpoint.deleted_at, webhook_endpoint.version)
))::text as value
from delivery
join simplan.event on event.organization_id = delivery.organization_id
and event.event_id = delivery.event_id
join simplan.webhook_endpoint on webhook_endpoint.organization_id = delivery.organization_id
and webhook_endpoint.endpoint_id = delivery.endpoint_id
order by delivery.next_attempt_at, delivery.delivery_id;
