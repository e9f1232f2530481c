with taken as (
  select share.* from (
    select columns."partitionId", columns."limit", columns."from"
    from unnest(($1::text)::text[],($2::text)::integer[],($3::text)::json[]) with ordinality columns ("partitionId",
      "limit", "from", place)
    where columns.place between 1 and 2147483647
  ) r, lateral (
    select delivery.tableoid as part, delivery.ctid as place
    from simplan.delivery
    where delivery.status = 'Pending' and delivery.handler is not null and not coalesce((
      select true from simplan.delivery earlier
      where earlier.status = 'Pending' and earlier.handler is not null and earlier.handler = delivery.handler
      and earlier.iccid = delivery.iccid and earlier.organization_id = delivery.organization_id
      and (earlier.created_at, earlier.delivery_id) < (delivery.created_at, delivery.delivery_id)
      limit 1
      ), false) and delivery.next_attempt_at <= $4::bigint
    and (delivery.lease_until is null or delivery.lease_until <= $5::bigint) and delivery.handler = r."partitionId"
    and (delivery.next_attempt_at, delivery.delivery_id) >= ((r."from"->>'dueAt')::bigint, r."from"->>'id')
    order by delivery.handler, delivery.next_attempt_at, delivery.delivery_id
    limit r."limit"
    for update skip locked
  ) share
), delivery as (
  update simplan.delivery set lease_token = $6, lease_until = $7::bigint
  where delivery.ctid = any(array(select taken.place from taken))
  and (delivery.tableoid, delivery.ctid) in (select taken.part, taken.place from taken)
  returning delivery.*
)
select (json_build_object('delivery', json_build_object('organizationId', delivery.organization_id, 'deliveryId',
  delivery.delivery_id, 'eventId', delivery.event_id, 'endpointId', delivery.endpoint_id, 'status', delivery.status,
  'attempts', delivery.attempts, 'retryStep', delivery.retry_step, 'responseStatus', delivery.response_status,
  'lastError', delivery.last_error, 'lastAttemptAt', delivery.last_attempt_at, 'nextAttemptAt', delivery.next_attempt_at,
  'createdAt', delivery.created_at), 'event', json_build_object('organizationId', event.organization_id, 'eventId',
    event.event_id, 'createdAt', event.created_at, 'payload', event.payload)))::text as value
from delivery
join simplan.event on event.organization_id = delivery.organization_id and event.event_id = delivery.event_id
order by delivery.next_attempt_at, delivery.delivery_id;
