select json_build_object('imsi', sim.imsi, 'msisdn', sim.msisdn, 'subscriberId', sim.subscriber_id)::text as value
from simplan.sim
where sim.organization_id = $1 and sim.iccid = $2;
