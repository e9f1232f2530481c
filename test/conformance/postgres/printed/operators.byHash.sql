select (json_build_object('operatorId', operator.operator_id, 'name', operator.name, 'role', operator.role,
  'organizationId', operator.organization_id, 'hash', operator.hash, 'hint', operator.hint, 'previousHash',
  operator.previous_hash, 'previousUntil', operator.previous_until, 'createdAt', operator.created_at, 'expiresAt',
  operator.expires_at, 'deletedAt', operator.deleted_at, 'version', operator.version))::text as value
from simplan.operator
where operator.hash = $1 or operator.previous_hash = $2
limit 1;
