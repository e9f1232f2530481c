select to_json(found.free)::text as value from (
  select (
    select count(*) from (
      select from simplan.sim
      where sim.organization_id = $1 and sim.label = $2 and sim.is_esim and sim.allocated_to is null and not sim.downloaded
      order by sim.recycled_at nulls first, sim.import_sequence
      limit $3::int + lapsed.count
    ) counted
  ) - lapsed.count as free
  from (
    select count(*) from simplan.sim
    where sim.organization_id = $4 and sim.label = $5 and sim.is_esim and sim.allocated_to is null and not sim.downloaded
    and sim.purchase is not null and (sim.purchase->>'sellBy')::bigint <= $6::bigint
  ) lapsed
  offset 0
) found;
