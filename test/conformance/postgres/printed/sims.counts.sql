select json_build_object(
  'label', found.label, 'isEsim', found.is_esim, 'state', found.state, 'count', found.count
)::text as value
from (
  select sim.label, sim.is_esim, standing.state, count(*) as count
  from simplan.sim
  cross join lateral (
    select case
    when sim.allocation in ('Free')
    then case
    when sim.is_esim and sim.downloaded then 'downloaded'
    when (sim.purchase->>'sellBy')::bigint <= $1::bigint then 'lapsed'
    else 'free'
    end
    when sim.allocation in ('Releasing') then 'releasing'
    when sim.allocation in ('Withdrawn', 'Replaced') then 'withdrawn'
    else 'inUse'
    end as state
  ) standing
  where sim.organization_id = $2
  group by sim.label, sim.is_esim, standing.state
) found;
