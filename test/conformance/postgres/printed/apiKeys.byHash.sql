select (json_build_object('organizationId', api_key.organization_id, 'apiKeyId', api_key.api_key_id, 'name',
  api_key.name, 'scope', api_key.scope, 'hash', api_key.hash, 'hint', api_key.hint, 'createdAt', api_key.created_at,
  'expiresAt', api_key.expires_at, 'revokedAt', api_key.revoked_at, 'version', api_key.version))::text as value
from simplan.api_key where api_key.hash = $1;
