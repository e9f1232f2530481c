select json_build_object(
  'at', delivery.scanned_at, 'createdAt', delivery.created_at, 'id', delivery.delivery_id,
  'item', case when filtered.is_taken then json_build_object('delivery', json_build_object('organizationId',
    delivery.organization_id, 'deliveryId', delivery.delivery_id, 'eventId', delivery.event_id, 'endpointId',
    delivery.endpoint_id, 'status', delivery.status, 'attempts', delivery.attempts, 'retryStep', delivery.retry_step,
    'responseStatus', delivery.response_status, 'lastError', delivery.last_error, 'lastAttemptAt',
    delivery.last_attempt_at, 'nextAttemptAt', delivery.next_attempt_at, 'createdAt', delivery.created_at), 'event',
    json_build_object('organizationId', event.organization_id, 'eventId', event.event_id, 'createdAt', event.created_at,
      'payload', event.payload)) end
)::text as value
from (
  select delivery.*, row_number() over listed as scanned_at, lead(1) over listed is null as is_last
  from simplan.event cross join lateral (
    select * from simplan.delivery
    where delivery.organization_id = $1 and delivery.delivery_id > event.event_id || ':'
    and delivery.delivery_id < event.event_id || ';'
    offset 0
  ) delivery
  where (event.organization_id = $2 AND coalesce(event.payload->'data'->>'sim',
    event.payload->'data'->>'esim') = $3 AND event.created_at <= $4::bigint AND delivery.created_at = event.created_at AND delivery.handler is null AND (delivery.created_at, delivery.delivery_id) < ($5::bigint, $6::text))
  window listed as (order by delivery.created_at desc, delivery.delivery_id desc)
  order by delivery.created_at desc, delivery.delivery_id desc
  limit 512
) delivery
cross join lateral (
  select * from simplan.event
  where event.organization_id = $7 and event.event_id = delivery.event_id
  limit 1
) event
cross join lateral (select true as is_taken) filtered
where filtered.is_taken or delivery.is_last
or delivery.scanned_at = 512
order by delivery.created_at desc, delivery.delivery_id desc
limit $8::int;
