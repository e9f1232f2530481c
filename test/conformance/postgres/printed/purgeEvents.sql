with found as (
  select event.organization_id, event.event_id
  from simplan.event
  where event.created_at < $1::bigint and (
    select count(*) from simplan.delivery
    where delivery.organization_id = event.organization_id and delivery.delivery_id > event.event_id || ':'
    and delivery.delivery_id < event.event_id || ';'
    and delivery.status = 'Pending'
  ) = 0
  order by event.created_at
  limit $2::int
), old as (
  select event.organization_id, event.event_id, locked.delivery_ids
  from found event, lateral (
    select coalesce(array_agg(settled.delivery_id), '{}') as delivery_ids
    from (
      select delivery.delivery_id from simplan.delivery
      where delivery.organization_id = event.organization_id and delivery.delivery_id > event.event_id || ':'
      and delivery.delivery_id < event.event_id || ';'
      and delivery.status <> 'Pending'
      for update skip locked
    ) settled
  ) locked
  where cardinality(locked.delivery_ids) = (
    select count(*) from simplan.delivery
    where delivery.organization_id = event.organization_id and delivery.delivery_id > event.event_id || ':'
    and delivery.delivery_id < event.event_id || ';'
  )
), attempt_gone as (
  delete from simplan.delivery_attempt using old
  where delivery_attempt.organization_id = old.organization_id
  and delivery_attempt.delivery_id = any(old.delivery_ids)
), delivery_gone as (
  delete from simplan.delivery using old
  where delivery.organization_id = old.organization_id and delivery.delivery_id = any(old.delivery_ids)
), event_gone as (
  delete from simplan.event using old
  where event.organization_id = old.organization_id and event.event_id = old.event_id
  returning 1
)
select to_json(count(*))::text as value from event_gone;
