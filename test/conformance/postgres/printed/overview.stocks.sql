select json_build_object(
  'organizationId', asked.organization_id, 'label', known.label, 'level', watched.level,
  'isLow', coalesce(watched.is_low, false), 'free', stocked.free,
  'sold', coalesce(cardinality(array_positions(lately.labels, known.label)), 0), 'soldSince', lately.sold_since
)::text as value
from (
  select watched.organization_id from (
    select stock_level.organization_id
    from simplan.stock_level
    where stock_level.level > 0
    order by stock_level.is_low desc, stock_level.organization_id, stock_level.label
    limit $1::int
  ) watched
  union
  select seller.organization_id from (
    select found.organization_id
    from (
      select organization.organization_id, (
        select max(subscription.created_at)
        from simplan.subscription
        where subscription.organization_id = organization.organization_id and subscription.status = 'Live'
      ) as sold_at
      from simplan.organization
      order by organization.created_at, organization.organization_id
      limit $2::int
    ) found
    order by found.sold_at desc nulls last, found.organization_id
    limit $3::int
  ) seller
) asked
cross join lateral (
  select array_agg(sim.label) filter (where sim.is_esim) as labels,
  case when count(*) < $4::int then $5::bigint else min(newest.created_at) end
  as sold_since
  from (
    select subscription.iccid, subscription.created_at
    from simplan.subscription
    where subscription.organization_id = asked.organization_id and subscription.status = 'Live'
    and subscription.created_at >= $6::bigint
    order by subscription.created_at desc, subscription.subscription_id desc
    limit $7::int
  ) newest
  cross join lateral (
    select sim.label, sim.is_esim from simplan.sim
    where sim.organization_id = asked.organization_id and sim.iccid = newest.iccid
    limit 1
  ) sim
) lately
cross join json_array_elements_text($8::json) as known(label)
left join simplan.stock_level watched
on watched.organization_id = asked.organization_id and watched.label = known.label and watched.level > 0
cross join lateral (
  select (
    select count(*) from (
      select from simplan.sim
      where sim.organization_id = asked.organization_id and sim.label = known.label and sim.is_esim
      and sim.allocated_to is null and not sim.downloaded
      order by sim.recycled_at nulls first, sim.import_sequence
      limit greatest(1000, watched.level) + lapsed.count
    ) counted
  ) - lapsed.count as free
  from (
    select count(*) from simplan.sim
    where sim.organization_id = asked.organization_id and sim.label = known.label and sim.is_esim
    and sim.allocated_to is null and not sim.downloaded
    and sim.purchase is not null and (sim.purchase->>'sellBy')::bigint <= $9::bigint
  ) lapsed
  offset 0
) stocked
where stocked.free > 0 or watched.level is not null or (
  select true from simplan.sim
  where sim.organization_id = asked.organization_id and sim.label <= known.label
  and (sim.label, sim.is_esim) >= (known.label, true)
  order by sim.label, sim.is_esim
  limit 1
);
