/**
 * Settles orders whose calls may have taken effect late or twice.
 *
 * An order is due to be settled in growing steps after a call without an answer, and at the end of
 * its watch time in any case. Packages that came of its calls beside its own are deleted if they
 * are unused and calls without an answer explain them; others are reported to the caller. Where all
 * calls were answered, a further package may be what a customer has paid for whom a restored backup
 * does not know (rule S5). A settling ends only when they are reported, so none is lost with a
 * process that dies: the next one finds and reports them again.
 *
 * A package that comes late starts the service of its SIM, also if the SIM is paused: it is
 * paused once more each time that an order of it is settled (rule S7).
 */
import { Clock, Effect } from "effect"
import { Journal, CallGate, SimLocks } from "../../telco-calls/index.ts"
import * as Pauses from "../Pauses.ts"
import { Settings } from "../Settings.ts"
import * as Decision from "./Decision.ts"
import * as OrderJournal from "./OrderJournal.ts"

/**
 * A package that looks like a further one of an order. It is used, or nothing shows that the order
 * has made it, so it is not deleted. Each settling that sees it reports it again.
 */
export interface Duplicate {
  /** The SIM that has it. */
  readonly iccid: string
  /** The order's key. */
  readonly packageId: string
  /** The system's id of the duplicate. */
  readonly duplicateId: number
  /** What was used of it, in bytes. */
  readonly usedBytes: number
  /** Whether a call of the order without an answer may have made it. */
  readonly isExplained: boolean
  /** What became of the order. One that was cancelled or refused has no other package. */
  readonly order: Exclude<OrderJournal.Order["_tag"], "Open">
}

/** What one settling of the due orders did. */
export interface Settled {
  /** How many orders were due. */
  readonly due: number
  /** Packages that calls without an answer have made beside their orders' own, unused. */
  readonly deleted: number
}

/**
 * If `report` fails, so does the settling, and the orders that are left are due again in a
 * minute.
 */
export type Settle = <E = never, R = never>(of: {
  readonly limit: number
  /** Reports the duplicates of one order that are kept; there is at least one. */
  readonly report: (kept: ReadonlyArray<Duplicate>) => Effect.Effect<void, E, R>
}) => Effect.Effect<Settled, Journal.JournalError | E, R>

/**
 * In milliseconds: when an order is due again whose settling fails; and one that another order's
 * outcome decides.
 */
const RETRY = 60_000

/** Settles orders whose calls may have taken effect late. */
export const make = Effect.gen(function* () {
  const { telco, watch } = yield* Settings
  const journal = yield* Journal.Journal
  const locks = yield* SimLocks.SimLocks
  const orderJournal = yield* OrderJournal.open
  const { keep } = yield* Pauses.make

  /** What a settling has found and done, and the write that ends it. */
  const observe = Effect.fnUntraced(function* (key: string, iccid: string) {
    const kept = yield* orderJournal.get(key)
    const now = yield* Clock.currentTimeMillis
    const { order } = kept
    if (order === null) return null
    const dueAt = Decision.nextCheck(order, now, watch)
    // An open order has no extras: the call that ends it searches its package.
    if (order._tag === "Open") return { deleted: 0, kept: [], end: orderJournal.put(key, iccid, kept, order, dueAt) }
    const extras = Decision.extras(key, order, yield* orderJournal.observe(iccid), watch)
    for (const { id } of extras.unused) yield* orderJournal.remove(id, key, iccid)
    return {
      deleted: extras.unused.length,
      kept: extras.kept.map(({ isExplained, one: { id, usedBytes } }) => ({
        ...{ iccid, packageId: key, duplicateId: id, usedBytes, isExplained },
        order: order._tag
      })),
      end: orderJournal.put(key, iccid, kept, order, extras.undecided ? now + RETRY : dueAt)
    }
  })

  /** Failure: the order is due again when its claim ends. */
  const orNull = <A, E extends { readonly message: string }, R>(key: string, effect: Effect.Effect<A, E, R>) =>
    Effect.catch(effect, ({ message }) =>
      Effect.as(Effect.logDebug(`The settling of order ${key} has failed: ${message}`), null)
    )

  const settle: Settle = Effect.fn("Orders.settle")(function* ({ limit, report }) {
    const now = yield* Clock.currentTimeMillis
    const claim = { telco, kind: OrderJournal.KIND, now, until: now + RETRY, limit }
    const due = yield* journal.claimDue(claim)
    let deleted = 0
    for (const { iccid, key } of due) {
      if (iccid === null) continue
      const seen = yield* orNull(
        key,
        locks.withLock(iccid, () => CallGate.asPoll(observe(key, iccid)))
      )
      // The order is due again if the SIM cannot be paused.
      if (seen === null || (yield* orNull(key, Effect.as(CallGate.asPoll(keep(iccid)), true))) === null) continue
      deleted += seen.deleted
      if (seen.kept.length > 0) yield* report(seen.kept)
      yield* orNull(key, seen.end)
    }
    return { due: due.length, deleted }
  })
  return settle
})
