select (json_build_object('delivery', json_build_object('organizationId', delivery.organization_id, 'deliveryId',
  delivery.delivery_id, 'eventId', delivery.event_id, 'endpointId', delivery.endpoint_id, 'status', delivery.status,
  'attempts', delivery.attempts, 'retryStep', delivery.retry_step, 'responseStatus', delivery.response_status,
  'lastError', delivery.last_error, 'lastAttemptAt', delivery.last_attempt_at, 'nextAttemptAt', delivery.next_attempt_at,
  'createdAt', delivery.created_at), 'event', json_build_object('organizationId', event.organization_id, 'eventId',
    event.event_id, 'createdAt', event.created_at, 'payload', event.payload)))::text as value
from simplan.delivery
join simplan.event on event.organization_id = delivery.organization_id and event.event_id = delivery.event_id
where delivery.organization_id = $1 and delivery.delivery_id = $2
and delivery.handler is null;
