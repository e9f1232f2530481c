select case when octet_length(page.value) > 1048576
then octet_length(page.value)::text else page.value end as value
from (
  select (case when count(*) > 0 then
    json_build_array(array_agg(sim.sim_id), array_agg(sim.iccid), array_agg(sim.import_sequence), array_agg(sim.label),
      array_agg(sim.is_esim), array_agg(sim.lpa), array_agg(sim.created_at), array_agg(sim.allocation),
      array_agg(sim.allocated_to), array_agg(sim.version),
      array_agg(case when sim.recycled_at is not null or sim.moved_to is not null or sim.downloaded or sim.smdp is not null or sim.location is not null or sim.last_activity_at is not null or sim.mobile_plan_applied or sim.mobile_plan_target is not null or sim.paused_at is not null or sim.service_change is not null or sim.service_active is not null or sim.moves is not null or sim.tags is not null or sim.purchase is not null
        then json_build_array(sim.recycled_at, sim.moved_to, sim.downloaded, sim.smdp, sim.location, sim.last_activity_at,
          sim.mobile_plan_applied, sim.mobile_plan_target, sim.paused_at, sim.service_change, sim.service_active, sim.moves,
          sim.tags, sim.purchase)
        end), array_agg(case when coalesce(sim.imsi, sim.msisdn, sim.subscriber_id) is not null
        then json_build_array(sim.imsi, sim.msisdn, sim.subscriber_id)
        end))
    end)::text as value from (
    select * from ((select * from (
      select * from simplan.sim where (sim.organization_id = $1 AND (sim.label, sim.is_esim, sim.import_sequence)
        > ($2::text,$3::boolean,$4::bigint) AND (sim.label, sim.is_esim) <= ($5::text,$6::boolean))
      order by sim.label, sim.is_esim, sim.import_sequence limit 100
      ) first limit $7::int) union all (select * from (
        select * from simplan.sim where (sim.organization_id = $8 AND (sim.label, sim.is_esim, sim.import_sequence)
          > ($9::text,$10::boolean,$11::bigint) AND (sim.label, sim.is_esim) <= ($12::text,$13::boolean))
        order by sim.label, sim.is_esim, sim.import_sequence limit 100
        ) first limit $14::int)) kinds order by import_sequence limit $15::int) sim) page;
