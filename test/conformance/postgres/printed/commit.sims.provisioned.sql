with provisioned as (
  select * from (
    select columns."iccid", columns."subscriptionId", columns."attachmentId", columns."version",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],
      ($5::text)::bigint[]) with ordinality columns ("iccid", "subscriptionId", "attachmentId", "version", place)
    where columns.place between 1 and 2147483647
  ) r
),
sim_provisioned as (
  update simplan.sim set
  allocation = 'InService', allocated_to = r."subscriptionId", releasing = null, version = r.version + 1,
  reservation_token = null, reserved_until = null
  from provisioned r
  where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
  and sim.organization_id = $6
  returning 1
),
subscription_provisioned as (
  update simplan.subscription set status = 'Live'
  from provisioned r
  where subscription.organization_id = r."organizationId" and subscription.subscription_id = r."subscriptionId"
  and subscription.status = 'Pending' and subscription.organization_id = $7
  returning 1
),
attachment_provisioned as (
  update simplan.attachment set confirmed = true
  from provisioned r
  where attachment.organization_id = r."organizationId" and attachment.attachment_id = r."attachmentId"
  and attachment.organization_id = $8
  returning 1
)
select simplan.ensure((select count(*) from sim_provisioned) = $9::int, 'version'),
(select count(*) from subscription_provisioned), (select count(*) from attachment_provisioned);
