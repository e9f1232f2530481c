with plan_as_loaded as (
  select 1
  from (
    select columns."planId", columns."version",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[]) with ordinality columns ("planId", "version", place)
    where columns.place between 1 and 2147483647
  ) r
  join simplan.plan on plan.organization_id = r."organizationId" and plan.plan_id = r."planId"
  and plan.version = r.version and plan.organization_id = $4
)
select simplan.ensure((select count(*) from plan_as_loaded) = $5::int, 'version');
