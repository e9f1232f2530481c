with webhook_endpoint_put as (
  insert into simplan.webhook_endpoint as stored (
    organization_id, endpoint_id, url, events, description, disabled_reason, disabled_at, failing_since, signing_keys,
    created_at, deleted_at, version
  )
  select r."organizationId", r."endpointId", r.url, r.events, r.description, r."disabledReason", r."disabledAt",
  r."failingSince", r."signingKeys", r."createdAt", r."deletedAt", r.version + 1
  from (
    select columns."endpointId", columns."url", columns."description", columns."disabledReason", columns."disabledAt",
    columns."failingSince", columns."createdAt", columns."deletedAt", columns."version", columns."signingKeys",
    columns."events"::text[],$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::text[],($4::text)::text[],($5::text)::text[],($6::text)::bigint[],
      ($7::text)::bigint[],($8::text)::bigint[],($9::text)::bigint[],($10::text)::bigint[],($11::text)::jsonb[],
      ($12::text)::text[]) with ordinality columns ("endpointId", "url", "description", "disabledReason", "disabledAt",
      "failingSince", "createdAt", "deletedAt", "version", "signingKeys", "events", place)
    where columns.place between 1 and 2147483647
  ) r
  where r.version = 0 or exists (
    select from simplan.webhook_endpoint known
    where known.organization_id = r."organizationId" and known.endpoint_id = r."endpointId"
  )
  on conflict (organization_id, endpoint_id) do update set
  url = excluded.url, events = excluded.events, description = excluded.description,
  disabled_reason = excluded.disabled_reason, disabled_at = excluded.disabled_at, failing_since = excluded.failing_since,
  signing_keys = excluded.signing_keys, created_at = excluded.created_at, deleted_at = excluded.deleted_at,
  version = excluded.version
  where stored.version = excluded.version - 1
  returning 1
)
select simplan.ensure((select count(*) from webhook_endpoint_put) = $13::int, 'version');
