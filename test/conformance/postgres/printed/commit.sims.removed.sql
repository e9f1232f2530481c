with sim_touched as (
  update simplan.sim set
  version = r.version + 1, reservation_token = null, reserved_until = null
  from (
    select columns."iccid", columns."version",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[]) with ordinality columns ("iccid", "version", place)
    where columns.place between 1 and 2147483647
  ) r
  where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
  returning 1
),
subscription_removed as (
  delete from simplan.subscription using (
    select columns."subscriptionId",$4::text as "organizationId"
    from unnest(($5::text)::text[]) with ordinality columns ("subscriptionId", place)
    where columns.place between 1 and 2147483647
  ) r
  where subscription.organization_id = r."organizationId" and subscription.subscription_id = r."subscriptionId"
  returning 1
),
attachment_gone as (
  select * from (
    select columns."attachmentId",$6::text as "organizationId"
    from unnest(($7::text)::text[]) with ordinality columns ("attachmentId", place)
    where columns.place between 1 and 2147483647
  ) r
),
attachment_removed as (
  delete from simplan.attachment using attachment_gone gone
  where attachment.organization_id = gone."organizationId" and attachment.attachment_id = gone."attachmentId"
  and attachment.organization_id = $8
  returning 1
),
package_removed as (
  delete from simplan.package using attachment_gone gone
  where package.organization_id = gone."organizationId" and package.attachment_id = gone."attachmentId"
  and package.organization_id = $9
  returning 1
)
select simplan.ensure((select count(*) from sim_touched) = $10::int, 'version'),(select count(*)
  from subscription_removed),(select count(*) from attachment_removed), (select count(*) from package_removed);
