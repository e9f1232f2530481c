select to_json(count(*))::text as value
from (
  select from simplan.sim
  where sim.organization_id = $1 and sim.label = $2 and sim.is_esim and sim.allocated_to is null and not sim.downloaded
  order by sim.recycled_at nulls first, sim.import_sequence
  limit $3::int
) free;
