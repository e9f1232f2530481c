with candidate as materialized (
  select places.iccid from ((
    select sim.iccid from simplan.sim
    where sim.organization_id = $1 and sim.paused_at is not null
    order by sim.organization_id, sim.iccid
    limit 513
  )) places
  limit 513
), counted as materialized (select count(*) as places, count(*) > 512 as is_scan from candidate)
select json_build_object(
  'isScan', counted.is_scan, 'places', counted.places, 'found', coalesce(
    (
      select json_agg(json_build_object('at', found.at, 'cursor', found.cursor, 'item', found.item) order by found.at)
      from ((
        select subscription.scanned_at as at, json_build_object('createdAt', subscription.created_at, 'id',
          subscription.subscription_id) as cursor,
        case when filtered.is_taken then json_build_array(json_build_array(subscription.subscription_id, subscription.metadata,
          subscription.created_at), json_build_array(sim.sim_id, sim.iccid, sim.import_sequence, sim.label, sim.is_esim, sim.lpa,
            sim.created_at, sim.allocation, sim.allocated_to, sim.version,
            case when sim.recycled_at is not null or sim.moved_to is not null or sim.downloaded or sim.smdp is not null or sim.location is not null or sim.last_activity_at is not null or sim.mobile_plan_applied or sim.mobile_plan_target is not null or sim.paused_at is not null or sim.service_change is not null or sim.service_active is not null or sim.moves is not null or sim.tags is not null or sim.purchase is not null
            then json_build_array(sim.recycled_at, sim.moved_to, sim.downloaded, sim.smdp, sim.location, sim.last_activity_at,
              sim.mobile_plan_applied, sim.mobile_plan_target, sim.paused_at, sim.service_change, sim.service_active, sim.moves,
              sim.tags, sim.purchase)
            end, case when coalesce(sim.imsi, sim.msisdn, sim.subscriber_id) is not null
            then json_build_array(sim.imsi, sim.msisdn, sim.subscriber_id)
            end)) end as item
        from (
          select subscription.*, row_number() over listed as scanned_at, lead(1) over listed is null as is_last
          from simplan.subscription
          where (select counted.is_scan from counted)
          and (subscription.organization_id = $2 AND subscription.status = 'Live' AND (subscription.created_at,
            subscription.subscription_id)
            > ($3::bigint, $4::text))
          window listed as (order by subscription.created_at, subscription.subscription_id)
          order by subscription.created_at, subscription.subscription_id
          limit 512
        ) subscription
        cross join lateral (
          select * from simplan.sim
          where sim.organization_id = $5 and sim.iccid = subscription.iccid
          limit 1
        ) sim
        cross join lateral (select sim.paused_at is not null as is_taken) filtered
        where filtered.is_taken or subscription.is_last or subscription.scanned_at = 512
        order by subscription.created_at, subscription.subscription_id
        limit $6::int) union all (
          select row_number() over (order by subscription.created_at, subscription.subscription_id) as at,
          json_build_object('createdAt', subscription.created_at, 'id', subscription.subscription_id) as cursor,
          json_build_array(json_build_array(subscription.subscription_id, subscription.metadata, subscription.created_at),
            json_build_array(sim.sim_id, sim.iccid, sim.import_sequence, sim.label, sim.is_esim, sim.lpa, sim.created_at,
              sim.allocation, sim.allocated_to, sim.version,
              case when sim.recycled_at is not null or sim.moved_to is not null or sim.downloaded or sim.smdp is not null or sim.location is not null or sim.last_activity_at is not null or sim.mobile_plan_applied or sim.mobile_plan_target is not null or sim.paused_at is not null or sim.service_change is not null or sim.service_active is not null or sim.moves is not null or sim.tags is not null or sim.purchase is not null
              then json_build_array(sim.recycled_at, sim.moved_to, sim.downloaded, sim.smdp, sim.location, sim.last_activity_at,
                sim.mobile_plan_applied, sim.mobile_plan_target, sim.paused_at, sim.service_change, sim.service_active, sim.moves,
                sim.tags, sim.purchase)
              end, case when coalesce(sim.imsi, sim.msisdn, sim.subscriber_id) is not null
              then json_build_array(sim.imsi, sim.msisdn, sim.subscriber_id)
              end)) as item
          from (
            select subscription.*
            from (
              select * from simplan.sim
              where sim.organization_id = $7
              and sim.iccid = any(array(select candidate.iccid from candidate where not (select counted.is_scan from counted)))
              offset 0
            ) sim
            cross join lateral (
              select * from simplan.subscription
              where subscription.organization_id = $8 and subscription.iccid = sim.iccid
              and subscription.status <> 'Deleted'
              limit 1
            ) subscription
            where (subscription.organization_id = $9 AND subscription.status = 'Live' AND (subscription.created_at,
              subscription.subscription_id)
              > ($10::bigint, $11::text))
            order by subscription.created_at, subscription.subscription_id
            offset 0
          ) subscription
          cross join lateral (
            select * from simplan.sim
            where sim.organization_id = $12 and sim.iccid = subscription.iccid
            limit 1
          ) sim
          where sim.paused_at is not null
          order by subscription.created_at, subscription.subscription_id
          limit $13::int)) found
    ),
    '[]'
  )
)::text as value
from counted;
