with owned as materialized (
  select iccid.organization_id, iccid.iccid from simplan.iccid where iccid.iccid = $1
)
select json_build_object('organizationId', sim.organization_id, 'label', sim.label)::text as value
from owned
join simplan.sim on sim.organization_id = owned.organization_id and sim.iccid = owned.iccid;
