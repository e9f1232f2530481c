with smdp_entry_added as (
  insert into simplan.smdp_entry (
    organization_id, iccid, report_id, state, modification_result, modified_at
  )
  select r."organizationId", r.iccid, r."reportId", r.state, r."modificationResult", r."modifiedAt" from (
    select columns."iccid", columns."reportId", columns."state", columns."modificationResult", columns."modifiedAt",
    columns."position",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::bigint[],
      ($7::text)::integer[]) with ordinality columns ("iccid", "reportId", "state", "modificationResult", "modifiedAt",
      "position", place)
    where columns.place between 1 and 2147483647
  ) r order by r.position returning 1
)
select (select count(*) from smdp_entry_added);
