with event_row as (
  select * from (
    select columns."eventId", columns."type", columns."onlyTo", columns."notTo", columns."iccid", columns."createdAt",
    columns."payload",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::text[],
      ($7::text)::bigint[],($8::text)::json[]) with ordinality columns ("eventId", "type", "onlyTo", "notTo", "iccid",
      "createdAt", "payload", place)
    where columns.place between 1 and 2147483647
  ) r
),
event_added as (
  insert into simplan.event (
    organization_id, event_id, created_at, payload
  )
  select r."organizationId", r."eventId", r."createdAt", r.payload
  from event_row r
  returning 1
),
delivery_added as (
  insert into simplan.delivery (
    organization_id, delivery_id, event_id, endpoint_id, status, attempts, retry_step, next_attempt_at, created_at,
    handler, iccid, last_error
  )
  select r."organizationId", r."eventId" || ':' || webhook_endpoint.endpoint_id, r."eventId",
  webhook_endpoint.endpoint_id, case when webhook_endpoint.disabled_at is null then 'Pending' else 'Failed' end, 0, 0,
  case when webhook_endpoint.disabled_at is null then r."createdAt" end, r."createdAt", null, null,
  case when webhook_endpoint.disabled_at is not null then $9::text end
  from event_row r
  join simplan.webhook_endpoint on webhook_endpoint.organization_id = r."organizationId"
  and webhook_endpoint.organization_id = $10
  where webhook_endpoint.deleted_at is null and webhook_endpoint.disabled_reason is distinct from 'Organization'
  and case when r."onlyTo" is not null then webhook_endpoint.endpoint_id = r."onlyTo"
  else r.type = any(coalesce(webhook_endpoint.events, $11::text[]))
  and webhook_endpoint.endpoint_id is distinct from r."notTo"
  end
  union all
  select r."organizationId", r."eventId" || ':handler:' || event_handler.name, r."eventId",
  'handler:' || event_handler.name, 'Pending', 0, 0, r."createdAt", r."createdAt", event_handler.name, r.iccid, null
  from event_row r
  join simplan.event_handler on r.type = any(event_handler.types)
  where r."onlyTo" is null
  and (event_handler.organization_id is null or event_handler.organization_id = r."organizationId")
  returning 1
)
select (select count(*) from event_added), (select count(*) from delivery_added);
