with claimed as (
  update simplan.sim
  set reservation_token = $1, reserved_until = $2::bigint, version = sim.version + 1
  where sim.organization_id = $3 and sim.iccid = any (array(
    select free.iccid from (
      select sim.iccid from simplan.sim
      where sim.organization_id = $4 and sim.label = $5 and sim.is_esim and sim.allocated_to is null and not sim.downloaded
      and sim.purchase is null
      and (sim.reserved_until is null or sim.reserved_until <= $6::bigint)
      order by recycled_at nulls first, import_sequence
      limit 100
      for update skip locked
    ) free
    limit (select $7::int)
  ))
  returning sim.*
)
select json_build_object(
  'sims', (select coalesce(json_agg(json_build_array(sim.sim_id, sim.iccid, sim.import_sequence, sim.label, sim.is_esim,
    sim.lpa, sim.created_at, sim.allocation, sim.allocated_to, sim.version,
    case when sim.recycled_at is not null or sim.moved_to is not null or sim.downloaded or sim.smdp is not null or sim.location is not null or sim.last_activity_at is not null or sim.mobile_plan_applied or sim.mobile_plan_target is not null or sim.paused_at is not null or sim.service_change is not null or sim.service_active is not null or sim.moves is not null or sim.tags is not null or sim.purchase is not null
    then json_build_array(sim.recycled_at, sim.moved_to, sim.downloaded, sim.smdp, sim.location, sim.last_activity_at,
      sim.mobile_plan_applied, sim.mobile_plan_target, sim.paused_at, sim.service_change, sim.service_active, sim.moves,
      sim.tags, sim.purchase)
    end, case when coalesce(sim.imsi, sim.msisdn, sim.subscriber_id) is not null
    then json_build_array(sim.imsi, sim.msisdn, sim.subscriber_id)
    end) order by recycled_at nulls first, import_sequence), '[]') from claimed sim),
  'fitting', case when (select count(*) from claimed) < $8::int then (
    select true from simplan.sim
    where sim.organization_id = $9 and sim.label = $10 and sim.is_esim and sim.allocated_to is null and not sim.downloaded
    and sim.purchase is null
    order by recycled_at nulls first, import_sequence
    limit 1
  ) end,
  'returning', case when (select count(*) from claimed) = 0 and true then (
    select true from simplan.sim
    where sim.organization_id = $11 and sim.label = $12 and sim.releasing
    and sim.allocation in ('Releasing') and sim.is_esim and not sim.downloaded and sim.purchase is null
    and (
      select count(*) from simplan.job
      where job.ended_at is not null and job.organization_id = $13
      and job.work->>'_tag' = 'CancelPackages' and job.work->>'release' is not null
      and job.work->>'iccid' = sim.iccid collate "default"
    ) = 0
    limit 1
  ) end,
  'provisioning', case when (select count(*) from claimed) = 0 and true then (
    select true from simplan.job
    where job.organization_id = $14 and job.ended_at is null and job.work->>'_tag' = 'Provision'
    and (
      select sim.label = $15 and sim.allocation in ('Provisioning')
      and sim.is_esim and not sim.downloaded and sim.purchase is null
      from simplan.sim
      where sim.organization_id = $16 and sim.iccid = job.work->>'iccid'
    )
    limit 1
  ) end
)::text as value, set_config('synchronous_commit', 'off', true);
