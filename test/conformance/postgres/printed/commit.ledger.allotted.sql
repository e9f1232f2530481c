with cost_allotted as (
  update simplan.cost set attachment_id = r."attachmentId", plan_id = r."planId", occurrence = r.occurrence,
  region_code = coalesce(r."regionCode", cost.region_code)
  from (
    select columns."costId", columns."attachmentId", columns."planId", columns."regionCode", columns."occurrence",
    $1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],
      ($6::text)::bigint[]) with ordinality columns ("costId", "attachmentId", "planId", "regionCode", "occurrence", place)
    where columns.place between 1 and 2147483647
  ) r
  where cost.organization_id = r."organizationId" and cost.cost_id = r."costId"
  returning 1
)
select (select count(*) from cost_allotted);
