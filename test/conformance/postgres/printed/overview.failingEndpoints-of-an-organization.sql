select json_build_object(
  'organizationId', asked.organization_id, 'endpointId', asked.endpoint_id, 'url', asked.url,
  'since', asked.since, 'disabledAt', asked.disabled_at, 'pending', counted.pending
)::text as value
from (
  select failing.*
  from (
    (
      select webhook_endpoint.organization_id, webhook_endpoint.endpoint_id, webhook_endpoint.url,
      webhook_endpoint.failing_since as since, webhook_endpoint.disabled_at
      from simplan.webhook_endpoint
      where webhook_endpoint.failing_since is not null and webhook_endpoint.disabled_at is null
      and webhook_endpoint.deleted_at is null
      order by webhook_endpoint.failing_since
      limit $1::int
    )
    union all
    (
      select webhook_endpoint.organization_id, webhook_endpoint.endpoint_id, webhook_endpoint.url,
      coalesce(webhook_endpoint.failing_since, webhook_endpoint.disabled_at) as since,
      webhook_endpoint.disabled_at
      from simplan.webhook_endpoint
      where webhook_endpoint.disabled_at is not null and webhook_endpoint.disabled_reason <> 'Organization'
      and webhook_endpoint.deleted_at is null
      order by coalesce(webhook_endpoint.failing_since, webhook_endpoint.disabled_at)
      limit $2::int
    )
  ) failing
  where failing.organization_id = $3
  order by failing.since, failing.endpoint_id
  limit $4::int
) asked
cross join lateral (
  select least(greatest(coalesce(sum(delivery_count.pending), 0), 0), $5::int) as pending
  from simplan.delivery_count
  where delivery_count.organization_id = asked.organization_id
  and delivery_count.endpoint_id = asked.endpoint_id
) counted
order by asked.since, asked.endpoint_id;
