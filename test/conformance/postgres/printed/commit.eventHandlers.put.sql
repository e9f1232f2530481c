with event_handler_put as (
  insert into simplan.event_handler (
    name, types, organization_id, created_at
  )
  select r.name, r.types, r."organizationId", r."createdAt"
  from (
    select columns."name", columns."organizationId", columns."createdAt", columns."types"::text[]
    from unnest(($1::text)::text[],($2::text)::text[],($3::text)::bigint[],
      ($4::text)::text[]) with ordinality columns ("name", "organizationId", "createdAt", "types", place)
    where columns.place between 1 and 2147483647
  ) r
  on conflict (name) do update set
  types = excluded.types, organization_id = excluded.organization_id
  returning 1
)
select (select count(*) from event_handler_put);
