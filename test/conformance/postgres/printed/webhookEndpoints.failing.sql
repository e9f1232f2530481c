select json_build_object('count', count(*), 'since', min(found.failing_since))::text as value
from (
  select webhook_endpoint.failing_since from simplan.webhook_endpoint
  where webhook_endpoint.failing_since is not null and webhook_endpoint.disabled_at is null
  and webhook_endpoint.deleted_at is null
  order by webhook_endpoint.failing_since
  limit 10000
) found;
