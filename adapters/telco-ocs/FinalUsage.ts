/**
 * What the system has counted of the packages on a SIM that a subscription leaves (rule S8).
 *
 * The system answers with totals in its list of packages, which forgets a package once it is
 * deleted, and may be some seconds behind. A list that shows a stopped package as inactive is
 * younger than its stop, and so are its totals; until there is one the call waits, or is
 * unavailable. What was read is noted for the polls, so that the system's own book of usage is
 * compared with it although no poll has found it; then the SIM is polled once more, for what comes
 * late.
 */
import { Clock, Effect, Option } from "effect"
import type { Telco } from "simplan/ports"
import { CallFailure, Journal } from "../telco-calls/index.ts"
import * as Api from "./api/Api.ts"
import * as OrderJournal from "./orders/OrderJournal.ts"
import * as Polling from "./Polling.ts"
import * as SimState from "./reports/SimState.ts"
import { Settings } from "./Settings.ts"
import * as Subscribers from "./Subscribers.ts"

type Read = NonNullable<Telco.Telco["Service"]["readUsage"]>

/** In milliseconds: how soon a list is read again that is behind. */
const PAUSE = 1_000

interface Found {
  readonly packageId: string
  readonly listed: Api.SubscriberPackage
  readonly order: OrderJournal.Order
}

/** Until when a list may lack what was done; null: it shows all that was stopped. */
const behindUntil = (
  orders: ReadonlyMap<string, OrderJournal.Order>,
  listed: ReadonlyMap<number, Api.SubscriberPackage>,
  stopped: ReadonlyArray<string>,
  lag: number,
  now: number
): number | null => {
  const untils = stopped.flatMap((packageId) => {
    const order = orders.get(packageId)
    if (order === undefined || order.asked === null) return []
    const id = OrderJournal.idOf(order)
    const counted = id === null ? undefined : listed.get(id)
    if (counted !== undefined) return counted.isActive ? [now + PAUSE] : []
    // What was made a moment ago may not be listed yet, and what was cancelled is gone.
    const until = order.asked.lastAt + lag
    return order._tag !== "Cancelled" && order._tag !== "Refused" && now < until ? [until] : []
  })
  return untils.length === 0 ? null : Math.max(...untils)
}

/** Reads what was used, of one system. */
export const make = Effect.gen(function* () {
  const { listLag: lag, telco } = yield* Settings
  const api = yield* Api.Api
  const journal = yield* Journal.Journal

  const list = (iccid: string) =>
    api.packages(iccid).pipe(
      Effect.catchIf(
        ({ outcome }) => outcome === "NotFound",
        () => Effect.succeed([])
      ),
      Effect.mapError(CallFailure.later)
    )

  const ordersOf = Effect.fnUntraced(function* (iccid: string) {
    const entries = yield* CallFailure.ofJournal(journal.ofSim({ telco, kind: OrderJournal.KIND, iccid }))
    return new Map(
      entries.flatMap(({ document, key }) =>
        Option.match(OrderJournal.decodeOption(document), {
          onNone: () => [],
          onSome: (order) => [[key, order] as const]
        })
      )
    )
  })

  /** Notes for the polls what was read. */
  const note = (iccid: string, found: ReadonlyArray<Found>, now: number) =>
    CallFailure.ofJournal(
      Journal.change(journal, { telco, kind: Subscribers.KIND, key: iccid }, (before) => {
        const entry = before ?? { document: {}, dueAt: null, externalId: null }
        const state = SimState.of(entry)
        const packages = found.map(({ listed }) => {
          const { activationAt, assignedAt, expirationAt, id } = listed
          const known = state.packages[String(id)]
          const usedBytes = SimState.greatest(listed, known)
          const usedAt =
            usedBytes > (known?.usedBytes ?? 0) ? now : (known?.usedAt ?? activationAt ?? assignedAt ?? now)
          const reported = known ?? { rate: 0, reportedBytes: 0, reportedActivationAt: null, countedAt: null }
          return [String(id), { ...reported, usedBytes, usedAt, expirationAt }] as const
        })
        const next = { ...state, packages: { ...state.packages, ...Object.fromEntries(packages) } }
        return {
          iccid,
          externalId: entry.externalId,
          document: SimState.within(entry, next),
          dueAt: Math.min(now, entry.dueAt ?? now)
        }
      })
    )

  const readUsage: Read = Effect.fn("TelcoOcs.readUsage")(function* ({ iccid, stopped }) {
    const begun = yield* Clock.currentTimeMillis
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const orders = yield* ordersOf(iccid)
      const listed = new Map((yield* list(iccid)).map((one) => [one.id, one]))
      const until = behindUntil(orders, listed, stopped, lag, now)
      if (until !== null) {
        const seconds = Math.ceil((until - now) / 1_000)
        if (now - begun < lag) yield* Effect.sleep(PAUSE)
        else return yield* CallFailure.unavailable("The lists do not show yet that the packages are stopped", seconds)
        continue
      }
      const found = [...orders].flatMap(([packageId, order]): ReadonlyArray<Found> => {
        const counted = listed.get(OrderJournal.idOf(order) ?? Number.NaN)
        return counted === undefined ? [] : [{ packageId, listed: counted, order }]
      })
      yield* note(iccid, found, now)
      return found.map(({ listed: { activationAt, usedBytes }, order: { asked }, packageId }) => {
        // The times of a package with a window are not those of its use.
        const isFirstUse = activationAt !== null && asked?.window === null
        return {
          packageId,
          usedBytes,
          activationAt: isFirstUse ? Polling.usedFirst(activationAt, asked.firstAt, now) : null
        }
      })
    }
  })
  return readUsage
})
