with idempotency_gone as (
  delete from simplan.idempotency where idempotency.created_at < $1::bigint
  returning 1
), command_gone as (
  delete from simplan.command where command.settled_at < $2::bigint
  returning 1
), session_gone as (
  delete from simplan.session where session.ends_at < $3::bigint
  returning 1
)
select to_json(
  (select count(*) from idempotency_gone) + (select count(*) from command_gone)
  + (select count(*) from session_gone)
)::text as value;
