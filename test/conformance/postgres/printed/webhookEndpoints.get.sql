select (json_build_object('organizationId', webhook_endpoint.organization_id, 'endpointId',
  webhook_endpoint.endpoint_id, 'url', webhook_endpoint.url, 'events', webhook_endpoint.events, 'description',
  webhook_endpoint.description, 'disabledReason', webhook_endpoint.disabled_reason, 'disabledAt',
  webhook_endpoint.disabled_at, 'failingSince', webhook_endpoint.failing_since, 'signingKeys',
  webhook_endpoint.signing_keys, 'createdAt', webhook_endpoint.created_at, 'deletedAt', webhook_endpoint.deleted_at,
  'version', webhook_endpoint.version))::text as value
from simplan.webhook_endpoint
where webhook_endpoint.organization_id = $1 and webhook_endpoint.endpoint_id = $2
and webhook_endpoint.deleted_at is null;
