select json_build_object('answer', waiting.answer, 'count', count(*), 'nextAt', min(waiting.next_attempt_at))::text
as value
from (
  select delivery.next_attempt_at, case
  when delivery.last_attempt_at is null then 'untried'
  when delivery.response_status is null then 'none'
  else least(greatest(delivery.response_status / 100, 1), 5) || 'xx'
  end as answer
  from simplan.delivery
  where delivery.status = 'Pending' and delivery.handler is null and delivery.next_attempt_at is not null
  order by delivery.next_attempt_at, delivery.delivery_id
  limit 10000
) waiting
group by waiting.answer;
