select json_build_object(
  'at', plan.scanned_at, 'createdAt', plan.created_at, 'id', plan.plan_id,
  'item', case when filtered.is_taken then json_build_object('organizationId', plan.organization_id, 'planId',
    plan.plan_id, 'terms', plan.terms, 'metadata', plan.metadata, 'price', plan.price, 'bundle', plan.bundle, 'createdAt',
    plan.created_at, 'archivedAt', plan.archived_at, 'deletedAt', plan.deleted_at, 'version', plan.version) end
)::text as value
from (
  select plan.*, row_number() over listed as scanned_at, lead(1) over listed is null as is_last
  from simplan.plan
  where (plan.organization_id = $1 AND plan.deleted_at is null AND (plan.created_at, plan.plan_id) > ($2::bigint,
    $3::text))
  window listed as (order by plan.created_at, plan.plan_id)
  order by plan.created_at, plan.plan_id
  limit 512
) plan
cross join lateral (select ((plan.archived_at is not null) = $4 AND plan.label = $5 AND strpos(plan.folded_name,
  $6::text) > 0 AND (
    plan.coverage_id in (select r.text from (
      select * from json_array_elements_text(($7::text)::json) as r(text) limit $8::int
      ) r)
    or exists (
      select from simplan.region
      where region.organization_id = $9 and region.coverage_id = plan.coverage_id
      and region.iso2_list @> array(select r.text from (
        select * from json_array_elements_text(($10::text)::json) as r(text) limit $11::int
        ) r)
    )
  )) as is_taken) filtered
where filtered.is_taken or plan.is_last
or plan.scanned_at = 512
order by plan.created_at, plan.plan_id
limit $12::int;
