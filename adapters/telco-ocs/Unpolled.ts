/**
 * Finds SIMs that have an order and that nobody polls, and has them polled (`Sweep`).
 *
 * The write that makes an order has its SIM polled. This finds the rest: SIMs whose entry was lost,
 * and those that an earlier version has left out.
 */
import { Effect } from "effect"
import { Time } from "simplan/ports"
import { Journal, Sweep } from "../telco-calls/index.ts"
import * as OrderJournal from "./orders/OrderJournal.ts"
import * as SimState from "./reports/SimState.ts"
import { Settings } from "./Settings.ts"
import * as Subscribers from "./Subscribers.ts"

/**
 * A poll that has seen a package goes on with it; one that has not seen it yet is due until the
 * books are compared no more.
 */
export const isLeftOut = (ordered: ReadonlyArray<SimState.Ordered>, state: SimState.SimState, now: Time.Instant) =>
  ordered.some(
    (one) =>
      SimState.isServed(one) &&
      state.packages[one.externalId ?? ""] === undefined &&
      (state.polledAt === null || now - (one.orderedAt ?? now) < SimState.COMPARED)
  )

/** One turn: how many SIMs it has found that nobody polled, and whether there is more to do now. */
export const make = Effect.gen(function* () {
  const { telco } = yield* Settings
  const journal = yield* Journal.Journal
  return Sweep.make({
    telco,
    journal,
    kind: OrderJournal.KIND,
    polls: Subscribers.KIND,
    every: Time.HOUR,
    isLeftOut: (iccid, entry, now) =>
      Effect.map(journal.ofSim({ telco, kind: OrderJournal.KIND, iccid }), (orders) =>
        isLeftOut(orders.map(SimState.orderedOf), entry === null ? SimState.initial : SimState.of(entry), now)
      )
  })
})
