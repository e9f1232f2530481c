with attached as materialized (
  select attachment.* from simplan.attachment
  where (attachment.organization_id = $1 AND attachment.metadata <> '' AND ((simplan.folded(attachment.metadata) collate "C") >= $2::text AND (simplan.folded(attachment.metadata) collate "C") < $3::text))
  order by attachment.organization_id, (simplan.folded(attachment.metadata) collate "C")
  limit 512), place as materialized (
  (
    select 0 as rank, found.organization_id, found.iccid
    from (
      select subscription.* from simplan.subscription
      where (subscription.organization_id = $4 AND subscription.status = 'Live' AND subscription.subscription_id = $5)
      order by subscription.organization_id, subscription.subscription_id
      limit $6::int) found) union all (
    select 1 as rank, found.organization_id, found.iccid
    from (
      select sim.* from simplan.sim
      where (sim.organization_id = $7 AND sim.imsi = $8)
      order by sim.organization_id, sim.imsi
      limit $9::int) found) union all (
    select 2 as rank, found.organization_id, found.iccid
    from (
      select sim.* from simplan.sim
      where (sim.organization_id = $10 AND sim.msisdn = $11)
      order by sim.organization_id, sim.msisdn
      limit $12::int) found) union all (
    select 3 as rank, found.organization_id, found.iccid
    from (
      select sim.* from simplan.sim
      where (sim.organization_id = $13 AND (sim.iccid >= $14::text AND sim.iccid < $15::text))
      order by sim.organization_id, sim.iccid
      limit $16::int) found) union all (
    select 3 as rank, found.organization_id, found.iccid
    from (
      select iccid.* from simplan.iccid
      where (iccid.organization_id = $17 AND (reverse(iccid.iccid) >= $18::text AND reverse(iccid.iccid) < $19::text))
      order by iccid.organization_id, reverse(iccid.iccid)
      limit $20::int) found) union all (
    select 4 as rank, found.organization_id, found.iccid
    from (
      select subscription.* from simplan.subscription
      where (subscription.organization_id = $21 AND subscription.status = 'Live' AND subscription.metadata <> '' AND ((simplan.folded(subscription.metadata) collate "C") >= $22::text AND (simplan.folded(subscription.metadata) collate "C") < $23::text))
      order by subscription.organization_id, (simplan.folded(subscription.metadata) collate "C")
      limit $24::int) found) union all (
    select 4 as rank, attachment.organization_id, attachment.iccid
    from attached attachment
    cross join lateral (
      select from simplan.subscription
      where subscription.organization_id = $25
      and subscription.subscription_id = attachment.subscription_id and subscription.status = 'Live'
      limit 1
    ) subscription
    where attachment.confirmed)
), hit as materialized (
  select place.organization_id, place.iccid, min(place.rank) as rank
  from place
  group by place.organization_id, place.iccid
  order by min(place.rank), place.organization_id, place.iccid
  limit $26::int
)
(select json_build_object(
  'organizationId', hit.organization_id, 'organizationName', organization.name, 'iccid', hit.iccid,
  'label', sim.label, 'subscriptionId', subscription.subscription_id, 'rank', hit.rank
  )::text as value
  from hit
  cross join lateral (
    select organization.name from simplan.organization
    where organization.organization_id = $27
    limit 1
  ) organization
  cross join lateral (
    select sim.label from simplan.sim
    where sim.organization_id = $28 and sim.iccid = hit.iccid
    limit 1
  ) sim
  left join lateral (
    select subscription.subscription_id from simplan.subscription
    where subscription.organization_id = $29 and subscription.iccid = hit.iccid
    and subscription.status <> 'Deleted' and subscription.status = 'Live'
    limit 1
  ) subscription on true
  order by hit.rank, hit.organization_id, hit.iccid)
union all
select json_build_object('rank', -1)::text
where (select count(*) from attached) = 512;
