select json_build_object('at', r.at, 'found', json_build_array(json_build_array(subscription.subscription_id,
  subscription.metadata, subscription.created_at), json_build_array(sim.sim_id, sim.iccid, sim.import_sequence,
    sim.label, sim.is_esim, sim.lpa, sim.created_at, sim.allocation, sim.allocated_to, sim.version,
    case when sim.recycled_at is not null or sim.moved_to is not null or sim.downloaded or sim.smdp is not null or sim.location is not null or sim.last_activity_at is not null or sim.mobile_plan_applied or sim.mobile_plan_target is not null or sim.paused_at is not null or sim.service_change is not null or sim.service_active is not null or sim.moves is not null or sim.tags is not null or sim.purchase is not null
    then json_build_array(sim.recycled_at, sim.moved_to, sim.downloaded, sim.smdp, sim.location, sim.last_activity_at,
      sim.mobile_plan_applied, sim.mobile_plan_target, sim.paused_at, sim.service_change, sim.service_active, sim.moves,
      sim.tags, sim.purchase)
    end, case when coalesce(sim.imsi, sim.msisdn, sim.subscriber_id) is not null
    then json_build_array(sim.imsi, sim.msisdn, sim.subscriber_id)
    end)))::text as value
from (
  select columns."iccid", columns."at",$1::text as "organizationId"
  from unnest(($2::text)::text[],($3::text)::integer[]) with ordinality columns ("iccid", "at", place)
  where columns.place between 1 and 2147483647
) r
join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
join simplan.subscription on subscription.organization_id = sim.organization_id
and subscription.iccid = sim.iccid and subscription.status <> 'Deleted'
where subscription.status = 'Live';
