with sim_touched as (
  update simplan.sim set
  version = r.version + 1, reservation_token = null, reserved_until = null
  from (
    select columns."iccid", columns."version",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[]) with ordinality columns ("iccid", "version", place)
    where columns.place between 1 and 2147483647
  ) r
  where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
  returning 1
)
select simplan.ensure((select count(*) from sim_touched) = $4::int, 'version');
