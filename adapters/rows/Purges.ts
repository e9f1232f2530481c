/**
 * What is deleted by its age, over rows.
 */
import type { Time } from "simplan/ports"
import type { Kinds } from "./Rows.ts"
import type { RowStore } from "./RowStore.ts"

const EVERYTHING = Number.MAX_SAFE_INTEGER

export const purge = (
  store: RowStore,
  {
    commandsBefore,
    idempotencyBefore,
    reportsBefore
  }: {
    readonly commandsBefore: Time.Instant
    readonly idempotencyBefore: Time.Instant
    readonly reportsBefore: Time.Instant
  }
): number =>
  store.purge("report", reportsBefore, EVERYTHING) +
  store.purge("idempotencyRecord", idempotencyBefore, EVERYTHING) +
  store.purge("command", commandsBefore, EVERYTHING)

/** Events are kept as their deliveries have them. One that nobody takes is not kept at all. */
export const purgeEvents = (
  store: RowStore,
  { before, limit }: { readonly before: Time.Instant; readonly limit: number }
): number => {
  let gone = 0
  const organizations = [...store.list("organization", "", null, "ascending")]
  for (const {
    value: { organizationId }
  } of organizations) {
    const events = new Map<string, Array<Kinds["delivery"]>>()
    for (const { value } of store.list("delivery", organizationId, null, "ascending")) {
      if (value.delivery.createdAt >= before) break
      const { eventId } = value.delivery
      events.set(eventId, [...(events.get(eventId) ?? []), value])
    }
    const settled = [...events.values()].filter((of) => of.every(({ delivery }) => delivery.status !== "Pending"))
    const purged = settled.slice(0, limit - gone)
    for (const value of purged.flat()) store.remove("delivery", value)
    gone += purged.length
  }
  return gone
}
