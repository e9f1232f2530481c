with sim_purchased as (
  update simplan.sim set
  allocation = r.allocation, allocated_to = r."allocatedTo", recycled_at = r."recycledAt", moved_to = r."movedTo",
  moves = r.moves, downloaded = r.downloaded, last_activity_at = r."lastActivityAt", smdp = r.smdp,
  location = r.location, mobile_plan_applied = r."mobilePlanApplied", mobile_plan_target = r."mobilePlanTarget",
  paused_at = r."pausedAt", service_change = r."serviceChange", service_active = r."serviceActive",
  releasing = nullif(r.allocation in ('Releasing'), false), label = r.label, tags = r.tags,
  lpa = case when r."isNewCode" then r.lpa else sim.lpa end, purchase = r.purchase,
  imsi = case when r."isOther" then r.imsi else sim.imsi end,
  msisdn = case when r."isOther" then r.msisdn else sim.msisdn end,
  subscriber_id = case when r."isOther" then r."subscriberId" else sim.subscriber_id end,
  version = r.version + 1, reservation_token = null, reserved_until = null
  from (
    select columns."iccid", columns."allocation", columns."allocatedTo", columns."movedTo", columns."label", columns."lpa",
    columns."serviceChange", columns."imsi", columns."msisdn", columns."subscriberId", columns."version",
    columns."recycledAt", columns."lastActivityAt", columns."pausedAt", columns."downloaded", columns."mobilePlanApplied",
    columns."mobilePlanTarget", columns."isNewCode", columns."serviceActive", columns."isOther", columns."moves",
    columns."smdp", columns."location", columns."tags", columns."purchase",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::text[],
      ($7::text)::text[],($8::text)::text[],($9::text)::text[],($10::text)::text[],($11::text)::text[],($12::text)::bigint[],
      ($13::text)::bigint[],($14::text)::bigint[],($15::text)::bigint[],($16::text)::boolean[],($17::text)::boolean[],
      ($18::text)::boolean[],($19::text)::boolean[],($20::text)::boolean[],($21::text)::boolean[],($22::text)::jsonb[],
      ($23::text)::jsonb[],($24::text)::jsonb[],($25::text)::jsonb[],($26::text)::jsonb[]) with ordinality columns ("iccid",
      "allocation", "allocatedTo", "movedTo", "label", "lpa", "serviceChange", "imsi", "msisdn", "subscriberId", "version",
      "recycledAt", "lastActivityAt", "pausedAt", "downloaded", "mobilePlanApplied", "mobilePlanTarget", "isNewCode",
      "serviceActive", "isOther", "moves", "smdp", "location", "tags", "purchase", place)
    where columns.place between 1 and 2147483647
  ) r
  where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
  returning 1
)
select simplan.ensure((select count(*) from sim_purchased) = $27::int, 'version');
