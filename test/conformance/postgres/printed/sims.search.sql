with attached as materialized (
  select attachment.* from simplan.attachment
  where (attachment.metadata <> '' AND ((simplan.folded(attachment.metadata) collate "C") >= $1::text AND (simplan.folded(attachment.metadata) collate "C") < $2::text))
  order by (simplan.folded(attachment.metadata) collate "C")
  limit 512), place as materialized (
  (
    select 0 as rank, found.organization_id, found.iccid
    from (
      select subscription.* from simplan.subscription
      where (subscription.status = 'Live' AND subscription.subscription_id = $3)
      order by subscription.subscription_id
      limit $4::int) found) union all (
    select 1 as rank, found.organization_id, found.iccid
    from (
      select sim.* from simplan.sim
      where sim.imsi = $5
      order by sim.imsi
      limit $6::int) found) union all (
    select 2 as rank, found.organization_id, found.iccid
    from (
      select sim.* from simplan.sim
      where sim.msisdn = $7
      order by sim.msisdn
      limit $8::int) found) union all (
    select 3 as rank, found.organization_id, found.iccid
    from (
      select iccid.* from simplan.iccid
      where (iccid.iccid >= $9::text AND iccid.iccid < $10::text)
      order by iccid.iccid
      limit $11::int) found) union all (
    select 3 as rank, found.organization_id, found.iccid
    from (
      select iccid.* from simplan.iccid
      where (reverse(iccid.iccid) >= $12::text AND reverse(iccid.iccid) < $13::text)
      order by reverse(iccid.iccid)
      limit $14::int) found) union all (
    select 4 as rank, found.organization_id, found.iccid
    from (
      select subscription.* from simplan.subscription
      where (subscription.status = 'Live' AND subscription.metadata <> '' AND ((simplan.folded(subscription.metadata) collate "C") >= $15::text AND (simplan.folded(subscription.metadata) collate "C") < $16::text))
      order by (simplan.folded(subscription.metadata) collate "C")
      limit $17::int) found) union all (
    select 4 as rank, attachment.organization_id, attachment.iccid
    from attached attachment
    cross join lateral (
      select from simplan.subscription
      where subscription.organization_id = attachment.organization_id
      and subscription.subscription_id = attachment.subscription_id and subscription.status = 'Live'
      limit 1
    ) subscription
    where attachment.confirmed)
), hit as materialized (
  select place.organization_id, place.iccid, min(place.rank) as rank
  from place
  group by place.organization_id, place.iccid
  order by min(place.rank), place.organization_id, place.iccid
  limit $18::int
)
(select json_build_object(
  'organizationId', hit.organization_id, 'organizationName', organization.name, 'iccid', hit.iccid,
  'label', sim.label, 'subscriptionId', subscription.subscription_id, 'rank', hit.rank
  )::text as value
  from hit
  cross join lateral (
    select organization.name from simplan.organization
    where organization.organization_id = hit.organization_id
    limit 1
  ) organization
  cross join lateral (
    select sim.label from simplan.sim
    where sim.organization_id = hit.organization_id and sim.iccid = hit.iccid
    limit 1
  ) sim
  left join lateral (
    select subscription.subscription_id from simplan.subscription
    where subscription.organization_id = hit.organization_id and subscription.iccid = hit.iccid
    and subscription.status <> 'Deleted' and subscription.status = 'Live'
    limit 1
  ) subscription on true
  order by hit.rank, hit.organization_id, hit.iccid)
union all
select json_build_object('rank', -1)::text
where (select count(*) from attached) = 512;
