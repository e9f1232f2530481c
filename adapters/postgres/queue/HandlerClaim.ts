/**
 * Handing out what is due to handlers (rule E2): of each SIM the first pending delivery, and no other before that one is
 * settled, whichever process has it.
 */
import { Effect } from "effect"
import type { Delivery, Jobs, Outbox } from "simplan/ports"
import * as Claims from "./Claims.ts"
import type { Database, Row } from "../database/Database.ts"
import * as DeliveryLog from "../statements/DeliveryLog.ts"

const queue: Claims.Queue = {
  table: "delivery",
  partition: "delivery.handler",
  dueAt: "delivery.next_attempt_at",
  id: "delivery.delivery_id",
  // An event that is about no SIM waits for no other. A join would read all that is pending.
  waits: `delivery.status = 'Pending' and delivery.handler is not null and (
    select true from simplan.delivery earlier
    where earlier.status = 'Pending' and earlier.handler is not null and earlier.handler = delivery.handler
      and earlier.iccid = delivery.iccid
      and (earlier.created_at, earlier.delivery_id) < (delivery.created_at, delivery.delivery_id)
    limit 1
  ) is null`
}

/** Before all that can be due. */
const BEGINNING: Jobs.Place = { dueAt: Number.MIN_SAFE_INTEGER, id: "" }

export const claim =
  (database: Database) =>
  ({ handler, ...of }: Outbox.HandlerClaim) =>
    database.write((sql) => {
      const shares = [{ partitionId: handler, from: BEGINNING, limit: of.limit }]
      const { isTaken, taken } = Claims.byPlace(sql, queue, { ...of, shares })
      return sql<Row<Delivery.LoggedDelivery>>`
        with ${taken}, delivery as (
          update simplan.delivery set lease_token = ${of.token}, lease_until = ${of.until}::bigint
          where ${isTaken}
          returning delivery.*
        )
        select (${sql.literal(DeliveryLog.logged)})::text as value
        from delivery
        join simplan.event on event.organization_id = delivery.organization_id and event.event_id = delivery.event_id
        order by delivery.next_attempt_at, delivery.delivery_id`
    })

export const pending =
  (database: Database) =>
  ({ handler, ...at }: Outbox.HandlerPendingQuery) =>
    Effect.map(
      database.row((sql) => Claims.pending(sql, queue, at, sql`and delivery.handler = ${handler}`)),
      (row): Jobs.Pending => row ?? { dueAt: null, held: 0 }
    )
