with counted as (select 0 as places, true as is_scan)
select json_build_object(
  'isScan', counted.is_scan, 'places', counted.places, 'found', coalesce(
    (
      select json_agg(json_build_object('at', found.at, 'cursor', found.cursor, 'item', found.item) order by found.at)
      from (
        select sim.scanned_at as at, sim.import_sequence as cursor,
        case when filtered.is_taken then json_build_array(sim.sim_id, sim.iccid, sim.import_sequence, sim.label, sim.is_esim,
          sim.lpa, sim.created_at, sim.allocation, sim.allocated_to, sim.version,
          case when sim.recycled_at is not null or sim.moved_to is not null or sim.downloaded or sim.smdp is not null or sim.location is not null or sim.last_activity_at is not null or sim.mobile_plan_applied or sim.mobile_plan_target is not null or sim.paused_at is not null or sim.service_change is not null or sim.service_active is not null or sim.moves is not null or sim.tags is not null or sim.purchase is not null
          then json_build_array(sim.recycled_at, sim.moved_to, sim.downloaded, sim.smdp, sim.location, sim.last_activity_at,
            sim.mobile_plan_applied, sim.mobile_plan_target, sim.paused_at, sim.service_change, sim.service_active, sim.moves,
            sim.tags, sim.purchase)
          end, case when coalesce(sim.imsi, sim.msisdn, sim.subscriber_id) is not null
          then json_build_array(sim.imsi, sim.msisdn, sim.subscriber_id)
          end) end as item
        from (
          select sim.*, row_number() over listed as scanned_at, lead(1) over listed is null as is_last
          from simplan.sim
          where (select counted.is_scan from counted) and (sim.organization_id = $1 AND sim.import_sequence > $2::bigint)
          window listed as (order by sim.import_sequence)
          order by sim.import_sequence
          limit 512
        ) sim
        cross join lateral (select sim.allocation in ('Free') as is_taken) filtered
        where filtered.is_taken or sim.is_last or sim.scanned_at = 512
        order by sim.import_sequence
        limit $3::int) found
    ),
    '[]'
  )
)::text as value
from counted;
