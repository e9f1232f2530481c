with sim_corrected as (
  update simplan.sim set
  allocation = r.allocation, allocated_to = r."allocatedTo", recycled_at = r."recycledAt", moved_to = r."movedTo",
  moves = r.moves, downloaded = r.downloaded, last_activity_at = r."lastActivityAt", smdp = r.smdp,
  location = r.location, mobile_plan_applied = r."mobilePlanApplied", mobile_plan_target = r."mobilePlanTarget",
  releasing = nullif(r.allocation in ('Releasing'), false), label = r.label, tags = r.tags,
  lpa = case when r."isNewCode" then r.lpa else sim.lpa end,
  version = r.version + 1, reservation_token = null, reserved_until = null
  from (
    select columns."iccid", columns."allocation", columns."allocatedTo", columns."movedTo", columns."label", columns."lpa",
    columns."version", columns."recycledAt", columns."lastActivityAt", columns."downloaded", columns."mobilePlanApplied",
    columns."mobilePlanTarget", columns."isNewCode", columns."moves", columns."smdp", columns."location", columns."tags",
    $1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::text[],
      ($7::text)::text[],($8::text)::bigint[],($9::text)::bigint[],($10::text)::bigint[],($11::text)::boolean[],
      ($12::text)::boolean[],($13::text)::boolean[],($14::text)::boolean[],($15::text)::jsonb[],($16::text)::jsonb[],
      ($17::text)::jsonb[],($18::text)::jsonb[]) with ordinality columns ("iccid", "allocation", "allocatedTo", "movedTo",
      "label", "lpa", "version", "recycledAt", "lastActivityAt", "downloaded", "mobilePlanApplied", "mobilePlanTarget",
      "isNewCode", "moves", "smdp", "location", "tags", place)
    where columns.place between 1 and 2147483647
  ) r
  where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
  returning 1
)
select simplan.ensure((select count(*) from sim_corrected) = $19::int, 'version');
