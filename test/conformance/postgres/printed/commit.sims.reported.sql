with sim_reported as (
  update simplan.sim set
  downloaded = r.downloaded, last_activity_at = r."lastActivityAt", smdp = r.smdp, location = r.location,
  version = r.version + 1, reservation_token = null, reserved_until = null
  from (
    select columns."iccid", columns."version", columns."lastActivityAt", columns."downloaded", columns."smdp",
    columns."location",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[],($4::text)::bigint[],($5::text)::boolean[],($6::text)::jsonb[],
      ($7::text)::jsonb[]) with ordinality columns ("iccid", "version", "lastActivityAt", "downloaded", "smdp",
      "location", place)
    where columns.place between 1 and 2147483647
  ) r
  where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
  returning 1
)
select simplan.ensure((select count(*) from sim_reported) = $8::int, 'version');
