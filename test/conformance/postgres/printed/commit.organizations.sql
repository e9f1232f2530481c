with organization_put as (
  insert into simplan.organization (
    organization_id, name, created_at
  )
  select r."organizationId", r.name, r."createdAt"
  from (
    select columns."name", columns."createdAt",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[]) with ordinality columns ("name", "createdAt", place)
    where columns.place between 1 and 2147483647
  ) r
  on conflict (organization_id) do update set
  name = excluded.name, created_at = excluded.created_at
  returning 1
)
select (select count(*) from organization_put);
