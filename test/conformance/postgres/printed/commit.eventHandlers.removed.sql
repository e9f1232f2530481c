with event_handler_removed as (
  delete from simplan.event_handler
  using (
    select columns."name"
    from unnest(($1::text)::text[]) with ordinality columns ("name", place)
    where columns.place between 1 and 2147483647
  ) r
  where event_handler.name = r.name
  returning 1
),
delivery_given_up as (
  update simplan.delivery set status = 'Failed', next_attempt_at = null, last_error = $2,
  lease_token = null, lease_until = null
  from (
    select columns."name"
    from unnest(($3::text)::text[]) with ordinality columns ("name", place)
    where columns.place between 1 and 2147483647
  ) r
  where delivery.handler is not null and delivery.handler = r.name and delivery.status = 'Pending'
  returning 1
)
select (select count(*) from event_handler_removed), (select count(*) from delivery_given_up);
