with made as materialized (
  select delivery_attempt.at, delivery_attempt.error is null as succeeded
  from simplan.delivery
  join simplan.delivery_attempt on delivery_attempt.organization_id = delivery.organization_id
  and delivery_attempt.delivery_id = delivery.delivery_id
  where delivery.organization_id = $1 and delivery.endpoint_id = $2
  and delivery.handler is null
  and delivery.created_at >= $3::bigint and delivery_attempt.at >= $4::bigint
)
select to_json(min(made.at))::text as value from made
where not made.succeeded
and made.at > coalesce((select max(done.at) from made done where done.succeeded), $5::bigint - 1);
