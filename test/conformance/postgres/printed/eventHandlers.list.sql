select json_build_object('name', event_handler.name, 'types', event_handler.types, 'organizationId',
  event_handler.organization_id, 'createdAt', event_handler.created_at)::text as value
from simplan.event_handler
order by event_handler.name;
