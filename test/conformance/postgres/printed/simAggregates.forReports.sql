with r as materialized (
  select r.*, iccid.organization_id
  from (
    select columns."iccid", columns."since", columns."at", columns."packageIds"::text[], columns."reportIds"::text[]
    from unnest(($1::text)::text[],($2::text)::bigint[],($3::text)::integer[],($4::text)::text[],
      ($5::text)::text[]) with ordinality columns ("iccid", "since", "at", "packageIds", "reportIds", place)
    where columns.place between 1 and 2147483647
  ) r
  join simplan.iccid on iccid.iccid = r.iccid
)
select (
  case when count(*) > 0 then
  json_build_array(array_agg(r.at), array_agg(sim.organization_id), array_agg(sim.label), array_agg(sim.is_esim),
    array_agg(sim.moved_to), array_agg(sim.downloaded), array_agg(sim.smdp), array_agg(sim.location),
    array_agg(sim.last_activity_at), array_agg(sim.version), array_agg(sim.purchase), array_agg((
      select json_agg(taken_report.report_id)
      from simplan.taken_report
      where taken_report.organization_id = sim.organization_id and taken_report.report_id = any(r."reportIds")
      and taken_report.received_at >= $6::bigint and taken_report.received_at < $7::bigint
    )), array_agg(attachment.attachment_id), array_agg(attachment.plan_id), array_agg(attachment.subscription_id),
    array_agg(attachment.metadata), array_agg(attachment.created_at), array_agg(attachment.anchor),
    array_agg(attachment.suspended_at), array_agg(attachment.last_threshold_notified), array_agg(attachment.replacements),
    array_agg(attachment.terms -> 'dataMegaBytes'), array_agg(attachment.terms -> 'periodDays'),
    array_agg(attachment.terms -> 'recurrence'), array_agg(attachment.terms -> 'alertThresholds'),
    array_agg(package.occurrence), array_agg(package.telco_package_id), array_agg(package.activation_at),
    array_agg(package.expiration_at), array_agg(package.used_bytes), array_agg(package.replacement))
  end)::text as value
from r
join simplan.sim on sim.organization_id = r.organization_id and sim.iccid = r.iccid
left join simplan.attachment on sim.allocation in ('InService') and attachment.organization_id = sim.organization_id
and attachment.subscription_id = sim.allocated_to and attachment.confirmed
left join simplan.package on package.organization_id = attachment.organization_id
and package.attachment_id = attachment.attachment_id and package.status = 'Created' and (
  package.expiration_at is null or package.expiration_at > r.since or r."packageIds" is not null and (
    package.telco_package_id = any(r."packageIds")
    or package.attachment_id || ':' || package.occurrence || coalesce(':' || (package.replacement->>'number'), '')
    = any(r."packageIds")
  )
);
