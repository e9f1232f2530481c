select (json_build_object('number', delivery_attempt.number, 'at', delivery_attempt.at, 'durationMillis',
  delivery_attempt.duration_millis, 'responseStatus', delivery_attempt.response_status, 'error', delivery_attempt.error,
  'responseBody', delivery_attempt.response_body))::text as value
from simplan.delivery_attempt
where delivery_attempt.organization_id = $1
and delivery_attempt.delivery_id = $2
order by delivery_attempt.number desc
limit 100;
