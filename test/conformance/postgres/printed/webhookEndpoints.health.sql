select json_build_object(
  'endpointId', asked.endpoint_id, 'pending', greatest(coalesce(sum(delivery_count.pending), 0), 0),
  'lastSuccessAt', max(delivery_count.delivered_at)
)::text as value
from json_array_elements_text($1::json) as asked(endpoint_id)
left join simplan.delivery_count on delivery_count.organization_id = $2
and delivery_count.endpoint_id = asked.endpoint_id
group by asked.endpoint_id;
