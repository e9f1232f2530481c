with sim_allocated as (
  update simplan.sim set
  allocation = r.allocation, allocated_to = r."allocatedTo", recycled_at = r."recycledAt", moved_to = r."movedTo",
  moves = r.moves, releasing = nullif(r.allocation in ('Releasing'), false), version = r.version + 1,
  reservation_token = null, reserved_until = null
  from (
    select columns."iccid", columns."allocation", columns."allocatedTo", columns."movedTo", columns."version",
    columns."recycledAt", columns."moves",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::bigint[],
      ($7::text)::bigint[],($8::text)::jsonb[]) with ordinality columns ("iccid", "allocation", "allocatedTo", "movedTo",
      "version", "recycledAt", "moves", place)
    where columns.place between 1 and 2147483647
  ) r
  where sim.organization_id = r."organizationId" and sim.iccid = r.iccid and sim.version = r.version
  returning 1
)
select simplan.ensure((select count(*) from sim_allocated) = $9::int, 'version');
