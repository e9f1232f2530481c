select json_build_object('organizationId', sim.organization_id, 'label', sim.label)::text as value
from simplan.iccid
join simplan.sim on sim.organization_id = iccid.organization_id and sim.iccid = iccid.iccid
where iccid.iccid = $1;
