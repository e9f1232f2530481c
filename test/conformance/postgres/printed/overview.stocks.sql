select json_build_object(
  'organizationId', asked.organization_id, 'label', asked.label, 'level', asked.level, 'isLow', asked.is_low,
  'free', stocked.free, 'sold', lately.sold, 'soldSince', lately.sold_since
)::text as value
from (
  select stock_level.organization_id, stock_level.label, stock_level.level, stock_level.is_low
  from simplan.stock_level
  where stock_level.level > 0 and true
  order by stock_level.is_low desc, stock_level.organization_id, stock_level.label
  limit $1::int
) asked
cross join lateral (
  select count(*) as free from (
    select from simplan.sim
    where sim.organization_id = asked.organization_id and sim.label = asked.label and sim.is_esim
    and sim.allocated_to is null and not sim.downloaded
    order by sim.recycled_at nulls first, sim.import_sequence
    limit greatest(1000, asked.level)
  ) free
) stocked
cross join lateral (
  select count(*) filter (where sim.is_esim and sim.label = asked.label) as sold,
  case when count(*) < $2::int then $3::bigint else min(newest.created_at) end
  as sold_since
  from (
    select subscription.iccid, subscription.created_at
    from simplan.subscription
    where subscription.organization_id = asked.organization_id and subscription.status = 'Live'
    and subscription.created_at >= $4::bigint
    order by subscription.created_at desc, subscription.subscription_id desc
    limit $5::int
  ) newest
  join simplan.sim on sim.organization_id = asked.organization_id and sim.iccid = newest.iccid
) lately
order by asked.is_low desc, asked.organization_id, asked.label;
