with sim_touched as (
  update simplan.sim set
  version = r.version + 1, reservation_token = null, reserved_until = null
  from (
    select columns."iccid", columns."version",coalesce(columns."organizationId", $1::text) as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::bigint[]) with ordinality columns ("organizationId",
      "iccid", "version", place)
    where columns.place between 1 and 2147483647
  ) r
  where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
  returning 1
),
subscription_removed as (
  delete from simplan.subscription using (
    select columns."organizationId", columns."subscriptionId"
    from unnest(($5::text)::text[],($6::text)::text[]) with ordinality columns ("organizationId", "subscriptionId", place)
    where columns.place between 1 and 2147483647
  ) r
  where subscription.organization_id = r."organizationId" and subscription.subscription_id = r."subscriptionId"
  returning 1
),
attachment_gone as (
  select * from (
    select columns."organizationId", columns."attachmentId"
    from unnest(($7::text)::text[],($8::text)::text[]) with ordinality columns ("organizationId", "attachmentId", place)
    where columns.place between 1 and 2147483647
  ) r
),
attachment_removed as (
  delete from simplan.attachment using attachment_gone gone
  where attachment.organization_id = gone."organizationId" and attachment.attachment_id = gone."attachmentId"
  returning 1
),
package_removed as (
  delete from simplan.package using attachment_gone gone
  where package.organization_id = gone."organizationId" and package.attachment_id = gone."attachmentId"
  returning 1
)
select simplan.ensure((select count(*) from sim_touched) = $9::int, 'version'),(select count(*)
  from subscription_removed),(select count(*) from attachment_removed), (select count(*) from package_removed);
