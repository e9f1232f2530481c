with free as (
  select json_build_array(sim.sim_id, sim.iccid, sim.import_sequence, sim.label, sim.is_esim, sim.lpa, sim.created_at,
    sim.allocation, sim.allocated_to, sim.version,
    case when sim.recycled_at is not null or sim.moved_to is not null or sim.downloaded or sim.smdp is not null or sim.location is not null or sim.last_activity_at is not null or sim.mobile_plan_applied or sim.mobile_plan_target is not null or sim.paused_at is not null or sim.service_change is not null or sim.service_active is not null or sim.moves is not null or sim.tags is not null or sim.purchase is not null
    then json_build_array(sim.recycled_at, sim.moved_to, sim.downloaded, sim.smdp, sim.location, sim.last_activity_at,
      sim.mobile_plan_applied, sim.mobile_plan_target, sim.paused_at, sim.service_change, sim.service_active, sim.moves,
      sim.tags, sim.purchase)
    end, case when coalesce(sim.imsi, sim.msisdn, sim.subscriber_id) is not null
    then json_build_array(sim.imsi, sim.msisdn, sim.subscriber_id)
    end) as value from simplan.sim
  where sim.organization_id = $1 and sim.label = $2 and sim.is_esim and sim.allocated_to is null and not sim.downloaded
  and sim.purchase is null
  order by recycled_at nulls first, import_sequence
  limit 1
)
select json_build_object(
  'sim', (select value from free),
  'mayReturn', case when not exists (select from free) then coalesce((
    select true from simplan.sim
    where sim.organization_id = $3 and sim.label = $4 and sim.releasing
    and sim.allocation in ('Releasing') and sim.is_esim and not sim.downloaded and sim.purchase is null
    and (
      select count(*) from simplan.job
      where job.ended_at is not null and job.organization_id = $5
      and job.work->>'_tag' = 'CancelPackages' and job.work->>'release' is not null
      and job.work->>'iccid' = sim.iccid collate "default"
    ) = 0
    limit 1
    ), (
      select true from simplan.job
      where job.organization_id = $6 and job.ended_at is null and job.work->>'_tag' = 'Provision'
      and (
        select sim.label = $7 and sim.allocation in ('Provisioning')
        and sim.is_esim and not sim.downloaded and sim.purchase is null
        from simplan.sim
        where sim.organization_id = $8 and sim.iccid = job.work->>'iccid'
      )
      limit 1
  )) end
)::text as value;
