select json_build_object('organizationId', command.organization_id, 'commandId', command.command_id, 'request',
  command.request, 'createdAt', command.created_at, 'outcome', command.outcome, 'settledAt',
  command.settled_at)::text as value
from simplan.command
where command.organization_id = $1 and command.settled_at is null
and (command.created_at, command.command_id) > ($2::bigint, $3::text)
order by command.created_at, command.command_id
limit $4::int;
