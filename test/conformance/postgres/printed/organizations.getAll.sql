select (json_build_object('organizationId', organization.organization_id, 'name', organization.name, 'createdAt',
  organization.created_at))::text as value
from simplan.organization
where organization.organization_id = any(array(
  select json_array_elements_text($1::json)
));
