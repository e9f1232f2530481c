with written as (
  insert into simplan.api_key_use as stored (organization_id, api_key_id, at)
  select r."organizationId", r."apiKeyId", r.at from (
    select columns."apiKeyId", columns."at",$1::text as "organizationId"
    from unnest(($2::text)::text[],($3::text)::bigint[]) with ordinality columns ("apiKeyId", "at", place)
    where columns.place between 1 and 2147483647
  ) r
  on conflict (organization_id, api_key_id) do update set at = excluded.at where stored.at < excluded.at
  returning 1
)
select to_json(count(*))::text as value from written;
