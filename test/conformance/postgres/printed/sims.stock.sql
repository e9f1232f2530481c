select json_build_object('organizationId', asked.organization_id, 'label', known.label, 'free', found.free)::text
as value
from json_array_elements_text($1::json) as asked(organization_id)
cross join json_array_elements_text($2::json) as known(label)
cross join lateral (
  select (
    select count(*) from (
      select from simplan.sim
      where sim.organization_id = asked.organization_id and sim.label = known.label and sim.is_esim
      and sim.allocated_to is null and not sim.downloaded
      order by sim.recycled_at nulls first, sim.import_sequence
      limit 1000 + lapsed.count
    ) counted
  ) - lapsed.count as free
  from (
    select count(*) from simplan.sim
    where sim.organization_id = asked.organization_id and sim.label = known.label and sim.is_esim
    and sim.allocated_to is null and not sim.downloaded
    and sim.purchase is not null and (sim.purchase->>'sellBy')::bigint <= $3::bigint
  ) lapsed
  offset 0
) found
where found.free > 0 or (
  select true from simplan.sim
  where sim.organization_id = asked.organization_id and sim.label <= known.label
  and (sim.label, sim.is_esim) >= (known.label, true)
  order by sim.label, sim.is_esim
  limit 1
);
