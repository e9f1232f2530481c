select json_build_object('deliveryId', asked.delivery_id, 'attempts', made.attempts)::text as value
from json_array_elements_text($1::json) as asked(delivery_id)
cross join lateral (
  select json_agg(json_build_object('number', delivery_attempt.number, 'at', delivery_attempt.at, 'durationMillis',
    delivery_attempt.duration_millis, 'responseStatus', delivery_attempt.response_status, 'error',
    delivery_attempt.error) order by delivery_attempt.number desc) as attempts
  from (
    select * from simplan.delivery_attempt
    where delivery_attempt.organization_id = $2
    and delivery_attempt.delivery_id = asked.delivery_id
    order by delivery_attempt.number desc
    limit $3::int
  ) delivery_attempt
) made
where made.attempts is not null;
