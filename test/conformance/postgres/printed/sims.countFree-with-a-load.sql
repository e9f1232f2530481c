select to_json(count(*))::text as value
from (
  select from simplan.sim
  where sim.organization_id = $1 and sim.label = $2 and sim.is_esim and sim.allocated_to is null and not sim.downloaded
  and sim.purchase is not null and sim.purchase->>'load' = $3
  and coalesce((sim.purchase->>'sellBy')::bigint > $4::bigint, true)
  order by (purchase->>'sellBy')::bigint, import_sequence
  limit $5::int
) free;
