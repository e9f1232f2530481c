select (json_build_object('operatorId', operator.operator_id, 'name', operator.name, 'role', operator.role,
  'organizationId', operator.organization_id, 'hash', operator.hash, 'hint', operator.hint, 'previousHash',
  operator.previous_hash, 'previousUntil', operator.previous_until, 'createdAt', operator.created_at, 'expiresAt',
  operator.expires_at, 'deletedAt', operator.deleted_at, 'version', operator.version))::text as value
from simplan.operator
where (operator.created_at, operator.operator_id) > ($1::bigint, $2::text)
order by operator.created_at, operator.operator_id
limit $3::int;
