with idempotency_settled as (
  update simplan.idempotency set outcome = r.outcome
  from (
    select columns."key", columns."outcome",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::json[]) with ordinality columns ("key", "outcome", place)
    where columns.place between 1 and 2147483647
  ) r
  where idempotency.organization_id = r."organizationId" and idempotency.key = r.key
  returning 1
)
select (select count(*) from idempotency_settled);
