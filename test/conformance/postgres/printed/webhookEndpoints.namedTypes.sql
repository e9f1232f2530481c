select to_json(named.type)::text as value
from (
  select unnest(webhook_endpoint.events) as type
  from simplan.webhook_endpoint
  where webhook_endpoint.organization_id = $1 and webhook_endpoint.deleted_at is null
  and webhook_endpoint.disabled_reason is distinct from 'Organization'
  union
  select unnest(event_handler.types)
  from simplan.event_handler
  where event_handler.organization_id is null or event_handler.organization_id = $2
) named;
