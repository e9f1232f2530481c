select (json_build_object('organizationId', region.organization_id, 'coverageId', region.coverage_id, 'regionCode',
  region.region_code, 'regionName', region.region_name, 'label', region.label, 'iso2List', region.iso2_list, 'createdAt',
  region.created_at))::text as value
from simplan.region
where region.organization_id = $1 and (region.created_at, region.coverage_id) > ($2::bigint, $3::text)
order by region.created_at, region.coverage_id
limit $4::int;
