select json_build_object('at', r.at, 'found', json_build_array(sim.paused_at, subscription.subscription_id,
  (
    select json_agg(
      json_build_array(json_build_array(attachment.attachment_id, attachment.plan_id, attachment.terms,
        attachment.active_period, attachment.metadata, attachment.created_at, attachment.confirmed, attachment.anchor,
        attachment.suspended_at, attachment.last_threshold_notified, attachment.replacements), (
          select json_agg(
            json_build_array(package.occurrence, package.status, package.refusal, package.telco_package_id, package.activation_at,
              package.expiration_at, package.used_bytes, package.replacement)
            order by package.occurrence
          )
          from simplan.package
          where package.organization_id = r."organizationId"
          and package.attachment_id = attachment.attachment_id and true
      ))
      order by attachment.created_at, attachment.attachment_id
    )
    from simplan.attachment
    where attachment.organization_id = r."organizationId"
    and attachment.subscription_id = subscription.subscription_id
    and (r.id is null or attachment.attachment_id = r.id or attachment.plan_id = r.id)
)))::text as value
from (
  select columns."iccid", columns."id", columns."at",$1::text as "organizationId"
  from unnest(($2::text)::text[],($3::text)::text[],($4::text)::integer[]) with ordinality columns ("iccid", "id",
    "at", place)
  where columns.place between 1 and 2147483647
) r
join simplan.sim on sim.organization_id = r."organizationId" and sim.iccid = r.iccid
join simplan.subscription on subscription.organization_id = sim.organization_id
and subscription.iccid = sim.iccid and subscription.status <> 'Deleted'
where subscription.status = 'Live';
