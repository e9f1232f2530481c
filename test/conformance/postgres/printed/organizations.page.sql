select (json_build_object('organizationId', organization.organization_id, 'name', organization.name, 'createdAt',
  organization.created_at))::text as value
from simplan.organization
where (organization.created_at, organization.organization_id) > ($1::bigint, $2::text)
order by organization.created_at, organization.organization_id
limit $3::int;
