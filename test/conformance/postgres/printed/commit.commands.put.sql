with command_put as (
  insert into simplan.command (
    organization_id, command_id, request, created_at, outcome, settled_at
  )
  select r."organizationId", r."commandId", r.request, r."createdAt", r.outcome, r."settledAt"
  from (
    select columns."commandId", columns."createdAt", columns."settledAt", columns."request", columns."outcome",
    $1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[],($4::text)::bigint[],($5::text)::json[],
      ($6::text)::json[]) with ordinality columns ("commandId", "createdAt", "settledAt", "request", "outcome", place)
    where columns.place between 1 and 2147483647
  ) r
  on conflict (organization_id, command_id) do nothing
  returning 1
)
select simplan.ensure((select count(*) from command_put) = $7::int, 'command');
