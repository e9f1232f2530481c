with idempotency_forgotten as (
  delete from simplan.idempotency using (
    select columns."key",$1::text as "organizationId"
    from unnest(($2::text)::text[]) with ordinality columns ("key", place)
    where columns.place between 1 and 2147483647
  ) r
  where idempotency.organization_id = r."organizationId" and idempotency.key = r.key
  returning 1
)
select (select count(*) from idempotency_forgotten);
