select (json_build_object('organizationId', api_key.organization_id, 'apiKeyId', api_key.api_key_id, 'name',
  api_key.name, 'scope', api_key.scope, 'hash', api_key.hash, 'hint', api_key.hint, 'previousHash',
  api_key.previous_hash, 'previousUntil', api_key.previous_until, 'createdAt', api_key.created_at, 'expiresAt',
  api_key.expires_at, 'revokedAt', api_key.revoked_at, 'version', api_key.version, 'lastUsedAt',
  api_key_use.at))::text as value
from simplan.api_key
left join simplan.api_key_use
on api_key_use.organization_id = api_key.organization_id and api_key_use.api_key_id = api_key.api_key_id
where api_key.organization_id = $1
and (api_key.created_at, api_key.api_key_id) > ($2::bigint, $3::text)
order by api_key.created_at, api_key.api_key_id
limit $4::int;
