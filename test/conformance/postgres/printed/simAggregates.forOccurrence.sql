select json_build_object('at', r.at, 'found', json_build_array(
  sim.version, attachment.terms, attachment.confirmed, attachment.anchor, attachment.suspended_at,
  attachment.last_threshold_notified, attachment.replacements, (
    select json_agg(
      json_build_array(package.occurrence, package.status, package.refusal, package.telco_package_id, package.activation_at,
        package.expiration_at, package.used_bytes, package.replacement)
      order by package.occurrence
    )
    from simplan.package
    where package.organization_id = r."organizationId"
    and package.attachment_id = attachment.attachment_id and package.occurrence = r.occurrence
  )
))::text as value
from (
  select columns."iccid", columns."attachmentId", columns."at", columns."occurrence",$1::text as "organizationId"
  from unnest(($2::text)::text[],($3::text)::text[],($4::text)::integer[],
    ($5::text)::integer[]) with ordinality columns ("iccid", "attachmentId", "at", "occurrence", place)
  where columns.place between 1 and 2147483647
) r
join simplan.attachment on attachment.organization_id = r."organizationId"
and attachment.attachment_id = r."attachmentId" and attachment.iccid = r.iccid
join simplan.subscription on subscription.organization_id = attachment.organization_id
and subscription.subscription_id = attachment.subscription_id and subscription.status <> 'Deleted'
join simplan.sim on sim.organization_id = attachment.organization_id and sim.iccid = attachment.iccid;
