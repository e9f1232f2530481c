select case when octet_length(page.value) > 1048576
then octet_length(page.value)::text else page.value end as value
from (
  select json_agg(
    json_build_array(json_build_array(subscription.subscription_id, subscription.metadata, subscription.created_at),
      json_build_array(sim.sim_id, sim.iccid, sim.import_sequence, sim.label, sim.is_esim, sim.lpa, sim.created_at,
        sim.allocation, sim.allocated_to, sim.version,
        case when sim.recycled_at is not null or sim.moved_to is not null or sim.downloaded or sim.smdp is not null or sim.location is not null or sim.last_activity_at is not null or sim.mobile_plan_applied or sim.mobile_plan_target is not null or sim.paused_at is not null or sim.service_change is not null or sim.service_active is not null or sim.moves is not null or sim.tags is not null or sim.purchase is not null
        then json_build_array(sim.recycled_at, sim.moved_to, sim.downloaded, sim.smdp, sim.location, sim.last_activity_at,
          sim.mobile_plan_applied, sim.mobile_plan_target, sim.paused_at, sim.service_change, sim.service_active, sim.moves,
          sim.tags, sim.purchase)
        end, case when coalesce(sim.imsi, sim.msisdn, sim.subscriber_id) is not null
        then json_build_array(sim.imsi, sim.msisdn, sim.subscriber_id)
        end)) order by subscription.created_at, subscription.subscription_id
  )::text as value
  from (
    select * from (
      select * from simplan.subscription
      where subscription.organization_id = $1 and subscription.status = 'Live' and (subscription.created_at,
        subscription.subscription_id) > ($2::bigint, $3::text)
      order by subscription.created_at, subscription.subscription_id limit 100
    ) first limit $4::int
  ) subscription
  join simplan.sim on sim.organization_id = $5 and sim.iccid = subscription.iccid) page;
