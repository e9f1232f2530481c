select json_build_object('organizationId', idempotency.organization_id, 'key', idempotency.key, 'fingerprint',
  idempotency.fingerprint, 'createdAt', idempotency.created_at, 'outcome', idempotency.outcome)::text as value
from simplan.idempotency
where idempotency.organization_id = $1 and idempotency.key = $2;
