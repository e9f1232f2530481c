select json_build_object(
  'coverageId', plan.coverage_id, 'label', plan.label, 'iso2List', region.iso2_list, 'plans', count(*)
)::text as value
from simplan.plan
left join simplan.region on region.organization_id = plan.organization_id
and region.coverage_id = plan.coverage_id
where plan.deleted_at is null
group by plan.coverage_id, plan.label, region.iso2_list;
