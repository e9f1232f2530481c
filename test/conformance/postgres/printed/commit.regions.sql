with region_added as (
  insert into simplan.region (
    organization_id, coverage_id, region_code, region_name, label, iso2_list, created_at, countries
  )
  select r."organizationId", r."coverageId", r."regionCode", r."regionName", r.label, r."iso2List", r."createdAt",
  r.countries
  from (
    select columns."coverageId", columns."regionCode", columns."regionName", columns."label", columns."countries",
    columns."createdAt", columns."iso2List"::text[],$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::text[],
      ($7::text)::bigint[],($8::text)::text[]) with ordinality columns ("coverageId", "regionCode", "regionName", "label",
      "countries", "createdAt", "iso2List", place)
    where columns.place between 1 and 2147483647
  ) r
  returning 1
)
select (select count(*) from region_added);
