/** Events, who takes them, and their deliveries to endpoints (rule W7) and handlers (rule E2). */
import { type Change, Step } from "../Step.ts"
import * as ClaimFunctions from "./ClaimFunctions.ts"

const counter = (name: string, event: string, seen: ReadonlyArray<"old" | "new">): Change =>
  Step.Trigger({
    name,
    table: "delivery",
    when: `after ${event}`,
    definition: `referencing ${seen.map((which) => `${which} table as ${which}_rows`).join(" ")}
    for each statement execute function simplan.count_deliveries()`
  })

const gone = `select organization_id, endpoint_id, -1 as change, null::bigint as at from old_rows
          where status = 'Pending' and handler is null`

const there = `select organization_id, endpoint_id, (status = 'Pending')::int as change,
            case when status = 'Delivered' then last_attempt_at end as at
          from new_rows where status <> 'Failed' and handler is null`

const summed = (
  changes: string
): string => `select changed.organization_id, changed.endpoint_id, pg_catalog.pg_backend_pid() % 16, sum(changed.change),
          max(changed.at)
        from (${changes}) changed
        group by changed.organization_id, changed.endpoint_id
        having sum(changed.change) <> 0 or max(changed.at) is not null
        order by changed.organization_id, changed.endpoint_id`

const added = (rows: string): string => `
        insert into simplan.delivery_count as kept (organization_id, endpoint_id, shard, pending, delivered_at)
        ${rows}
        on conflict (organization_id, endpoint_id, shard) do update set pending = kept.pending + excluded.pending,
          delivered_at = greatest(kept.delivered_at, excluded.delivered_at);`

/** The body of the function, by what adds the changes to the counts. */
const counting = (counted: (changes: string) => string): string => `begin
      if tg_op = 'INSERT' then${counted(there)}
      elsif tg_op = 'DELETE' then${counted(gone)}
      else${counted(`${there} union all ${gone}`)}
      end if;
      return null;
    end
  $$`

/**
 * The function where the tables are distributed: the rows of a trigger are read by themselves, and
 * each count is written where its organization is, which is where the trigger runs.
 */
export const countingDistributed = `() returns trigger language plpgsql
    set citus.allow_nested_distributed_execution = on as $$
    declare
      one record;
    ${counting(
      (changes) => `
        for one in ${summed(changes)} loop
          ${added("values (one.organization_id, one.endpoint_id, pg_catalog.pg_backend_pid() % 16, one.sum, one.max)")}
        end loop;`
    )}`

export const steps: ReadonlyArray<Change> = [
  Step.Table({
    name: "webhook_endpoint",
    columns: {
      organization_id: `text collate "C" not null`,
      endpoint_id: `text collate "C" not null`,
      url: "text not null",
      events: "text[]",
      description: "text not null",
      disabled_reason: "text",
      disabled_at: "bigint",
      failing_since: "bigint",
      signing_keys: "jsonb not null",
      created_at: "bigint not null",
      deleted_at: "bigint",
      version: "bigint not null"
    },
    key: "(organization_id, endpoint_id)",
    indexes: {
      webhook_endpoint_listed: "(organization_id, created_at, endpoint_id) where deleted_at is null",
      webhook_endpoint_failing: `(failing_since)
        where failing_since is not null and disabled_at is null and deleted_at is null`
    }
  }),

  // organization_id: whose events it takes; null for all.
  Step.Table({
    name: "event_handler",
    columns: {
      name: `text collate "C" primary key`,
      types: "text[] not null",
      organization_id: `text collate "C"`,
      created_at: "bigint not null"
    }
  }),

  Step.Table({
    name: "event",
    columns: {
      organization_id: `text collate "C" not null`,
      event_id: `text collate "C" not null`,
      created_at: "bigint not null",
      payload: "json not null"
    },
    key: "(organization_id, event_id)",
    indexes: {
      event_created: "(created_at)",
      event_of_sim_by_time: `(
        organization_id, coalesce(payload->'data'->>'sim', payload->'data'->>'esim'), created_at
      )`
    }
  }),

  // handler and iccid: the handler that it is to in place of an endpoint, and the SIM whose order
  // it keeps.
  //
  // Every delivery is settled once: its row then moves, and gets a second entry in the first
  // indexes, beside the first one. Pages that are full by then are searched for dead entries, or
  // split, so they have room.
  Step.Table({
    name: "delivery",
    columns: {
      organization_id: `text collate "C" not null`,
      delivery_id: `text collate "C" not null`,
      event_id: `text collate "C" not null`,
      endpoint_id: `text collate "C" not null`,
      status: `text collate "C" not null`,
      attempts: "integer not null",
      retry_step: "integer not null",
      response_status: "integer",
      last_error: "text",
      last_attempt_at: "bigint",
      next_attempt_at: "bigint",
      created_at: "bigint not null",
      lease_token: "text",
      lease_until: "bigint",
      handler: `text collate "C"`,
      iccid: `text collate "C"`
    },
    key: "(organization_id, delivery_id) with (fillfactor = 50)",
    fillfactor: 50,
    indexes: {
      delivery_listed: "(organization_id, created_at, delivery_id) with (fillfactor = 50) where handler is null",
      delivery_listed_by_endpoint: `(organization_id, endpoint_id, created_at, delivery_id) with (fillfactor = 50)
        where handler is null`,
      delivery_due: "(next_attempt_at, delivery_id) where status = 'Pending' and handler is null",
      delivery_of_endpoint: `(endpoint_id, next_attempt_at, delivery_id)
        where status = 'Pending' and handler is null`,
      delivery_of_handler: `(handler, next_attempt_at, delivery_id)
        where status = 'Pending' and handler is not null`,
      delivery_of_handler_and_sim: `(handler, iccid, created_at, delivery_id)
        where status = 'Pending' and handler is not null`,
      delivery_failed_of_handler: `(handler, created_at, delivery_id)
        where status = 'Failed' and handler is not null`
    }
  }),
  ...ClaimFunctions.ofQueue({
    table: "delivery",
    partition: "delivery.endpoint_id",
    dueAt: "delivery.next_attempt_at",
    id: "delivery.delivery_id",
    waits: "delivery.status = 'Pending' and delivery.handler is null"
  }),

  Step.Table({
    name: "delivery_attempt",
    columns: {
      organization_id: `text collate "C" not null`,
      delivery_id: `text collate "C" not null`,
      number: "integer not null",
      at: "bigint not null",
      duration_millis: "integer",
      response_status: "integer",
      error: "text",
      response_body: "text"
    },
    key: "(organization_id, delivery_id, number)"
  }),

  // How many deliveries are pending to each endpoint, and when one was last made, so that neither
  // is counted in the log (rules W7 and W13). Each connection adds to a row of its own, as far as
  // there are enough of them: commits that are written at the same time do not wait for one
  // another. What one connection has added another one may take, so a row may be less than 0.
  Step.Table({
    name: "delivery_count",
    columns: {
      organization_id: `text collate "C" not null`,
      endpoint_id: `text collate "C" not null`,
      shard: "integer not null",
      pending: "bigint not null default 0",
      delivered_at: "bigint"
    },
    key: "(organization_id, endpoint_id, shard)",
    fillfactor: 50
  }),
  Step.Function({
    name: "count_deliveries",
    definition: `() returns trigger language plpgsql as $$
    ${counting((changes) => added(summed(changes)))}`
  }),
  counter("delivery_counted", "insert", ["new"]),
  counter("delivery_counted_again", "update", ["old", "new"]),
  counter("delivery_counted_off", "delete", ["old"])
]
