with ended as (
  update simplan.sim set reservation_token = null, reserved_until = null
  from (
    select columns."iccid", columns."token"
    from unnest(($1::text)::text[],($2::text)::text[]) with ordinality columns ("iccid", "token", place)
    where columns.place between 1 and 2147483647
  ) r
  where sim.organization_id = $3 and sim.iccid = r.iccid and sim.reservation_token = r.token
  returning 1
)
select count(*)::text as value, set_config('synchronous_commit', 'off', true) from ended;
