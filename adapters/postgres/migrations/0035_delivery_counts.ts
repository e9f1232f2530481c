/**
 * How many deliveries are pending to each endpoint, and when one was last made, kept so that neither is counted in the log (rules W7
 * and W13). Triggers keep them, so that the processes of an earlier version do too while they run beside this one. Each connection
 * adds to a row of its own, as far as there are enough of them: commits that are written at the same time do not wait for one another.
 * What one connection has added another one may take, so a row may be less than 0.
 */

const trigger = (name: string, event: string): string => {
  const seen = { insert: ["new"], update: ["old", "new"], delete: ["old"] }[event] ?? []
  return `create trigger ${name} after ${event} on simplan.delivery
    referencing ${seen.map((which) => `${which} table as ${which}_rows`).join(" ")}
    for each statement execute function simplan.count_deliveries()`
}

const gone = `select organization_id, endpoint_id, -1 as change, null::bigint as at from old_rows
          where status = 'Pending' and handler is null`

const there = `select organization_id, endpoint_id, (status = 'Pending')::int as change,
            case when status = 'Delivered' then last_attempt_at end as at
          from new_rows where status <> 'Failed' and handler is null`

const counted = (changes: string): string => `
        insert into simplan.delivery_count as kept (organization_id, endpoint_id, shard, pending, delivered_at)
        select changed.organization_id, changed.endpoint_id, pg_catalog.pg_backend_pid() % 16, sum(changed.change),
          max(changed.at)
        from (${changes}) changed
        group by changed.organization_id, changed.endpoint_id
        having sum(changed.change) <> 0 or max(changed.at) is not null
        order by changed.organization_id, changed.endpoint_id
        on conflict (organization_id, endpoint_id, shard) do update set pending = kept.pending + excluded.pending,
          delivered_at = greatest(kept.delivered_at, excluded.delivered_at);`

export const statements: ReadonlyArray<string> = [
  `create table simplan.delivery_count (
    organization_id text collate "C" not null,
    endpoint_id text collate "C" not null,
    shard integer not null,
    pending bigint not null default 0,
    delivered_at bigint,
    primary key (organization_id, endpoint_id, shard)
  ) with (fillfactor = 50)`,
  `create function simplan.count_deliveries() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then${counted(there)}
      elsif tg_op = 'DELETE' then${counted(gone)}
      else${counted(`${there} union all ${gone}`)}
      end if;
      return null;
    end
  $$`,
  trigger("delivery_counted", "insert"),
  trigger("delivery_counted_again", "update"),
  trigger("delivery_counted_off", "delete"),
  `insert into simplan.delivery_count (organization_id, endpoint_id, shard, pending, delivered_at)
    select webhook_endpoint.organization_id, webhook_endpoint.endpoint_id, 0, pending.count, lately.at
    from simplan.webhook_endpoint
    cross join lateral (
      select count(*) as count from simplan.delivery
      where delivery.endpoint_id = webhook_endpoint.endpoint_id and delivery.status = 'Pending'
        and delivery.handler is null and delivery.organization_id = webhook_endpoint.organization_id
    ) pending
    cross join lateral (
      select max(newest.last_attempt_at) as at from (
        select delivery.status, delivery.last_attempt_at from simplan.delivery
        where delivery.organization_id = webhook_endpoint.organization_id
          and delivery.endpoint_id = webhook_endpoint.endpoint_id and delivery.handler is null
        order by delivery.created_at desc, delivery.delivery_id desc
        limit 1000
      ) newest
      where newest.status = 'Delivered'
    ) lately`
]
