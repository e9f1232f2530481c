select found.value
from json_array_elements_text($1::json) as asked(organization_id)
cross join lateral (
  select (json_build_object('organizationId', organization.organization_id, 'name', organization.name, 'createdAt',
    organization.created_at))::text as value
  from simplan.organization
  where organization.organization_id = asked.organization_id
  limit 1
) found;
