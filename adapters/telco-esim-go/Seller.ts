/**
 * eSIM Go as a seller whose orders have nothing of ours (`Purchases`, strategy `Anonymous`).
 *
 * A list of orders has those of the supplier's portal too, and top-ups, which look alike: an order
 * has its eSIM whether it was made for it or had been there. So what a purchase may take is an
 * order of one eSIM that nobody has put to use, and that has nothing on it from other orders.
 */
import { Effect } from "effect"
import { SimIdentities, type Telco, Time } from "simplan/ports"
import {
  type Account,
  CallFailure,
  type KeylessTelco,
  type PurchasedLoads,
  type Purchases
} from "../telco-calls/index.ts"
import type * as AccountApi from "./AccountApi.ts"
import * as Assignments from "./Assignments.ts"
import * as Shapes from "./Shapes.ts"

/**
 * How long an eSIM is kept that nobody uses. Its bundle would last for 12 months; but an eSIM on
 * which nothing was applied or used for 180 days is deleted, so what comes first counts.
 */
const KEPT = 180 * Time.DAY

/** When an eSIM was bought, by the supplier's clock; null: it has not said. */
const boughtAt = ({ sellBy }: Pick<Telco.BoughtSim, "sellBy">): Time.Instant | null =>
  sellBy === null ? null : sellBy - KEPT

/** What became of an eSIM since it was bought: its ICCID may have been sold before. */
export const actionsOn = (
  { history }: Pick<AccountApi.AccountApi["Service"], "history">,
  sim: Pick<Telco.BoughtSim, "iccid" | "sellBy">
) => {
  const since = boughtAt(sim) ?? Number.NEGATIVE_INFINITY
  return Effect.map(history(sim.iccid), (actions) => actions.filter(({ at }) => (at ?? since) >= since))
}

/** What is sold; null for orders of several bundles, and of none. */
const itemOf = ({ items: [first, ...others] }: AccountApi.Order): AccountApi.Item | null =>
  first === undefined || others.length > 0 ? null : first

/** The eSIM of an order, as far as it says; null: it has none yet, or several. */
const esimOf = (order: AccountApi.Order): AccountApi.Esim | null => {
  const [first, ...others] = itemOf(order)?.esims ?? []
  return first === undefined || others.length > 0 ? null : first
}

/** The SIM of an order; null if the order lacks how it is downloaded. */
const simOf = (order: AccountApi.Order, { iccid, ...by }: AccountApi.Esim): Telco.BoughtSim | null => {
  const lpa = Shapes.lpaOf(by)
  if (lpa === undefined) return null
  const sellBy = order.createdAt === null ? null : order.createdAt + KEPT
  return { ...SimIdentities.none, iccid, lpa, sellBy, cost: order.total }
}

const placedFrom = (order: AccountApi.Order): Purchases.Placed => {
  const esim = esimOf(order)
  return { reference: order.reference, cost: order.total, sim: esim === null ? null : simOf(order, esim) }
}

/** An order as it is compared with what was bought here. */
export const ordered =
  (topUpOf: ReturnType<typeof KeylessTelco.ofOrder>) =>
  (order: AccountApi.Order): Account.Order => {
    const { createdAt: at, reference, total: cost } = order
    const iccid = esimOf(order)?.iccid ?? null
    const topUp = iccid === null ? Effect.succeed(null) : topUpOf(iccid, reference)
    return { reference, load: itemOf(order)?.name ?? null, iccid, cost, at, topUp }
  }

/** What the journal knows of an eSIM. */
export interface Known {
  readonly boughtOf: Purchases.Purchases["boughtOf"]
  /** What the supplier calls the top-ups on it, by their packages' ids. */
  readonly topUpsOn: ReturnType<typeof KeylessTelco.madeOn>
}

/** The journal, failing as a call of the supplier's that was not made. */
export const fromJournal = <A>(call: Effect.Effect<A, Telco.Unavailable>): Effect.Effect<A, CallFailure.CallFailure> =>
  Effect.mapError(call, ({ message }) => new CallFailure.CallFailure({ outcome: "NotDone", message }))

/** The seller over the calls. */
export const make = (api: AccountApi.AccountApi["Service"], { boughtOf, topUpsOn }: Known): Purchases.Anonymous => {
  /** Whether an eSIM went back to the supplier, as one may whose last bundle was revoked. */
  const hasLeft = ({ sim }: PurchasedLoads.Bought) =>
    Effect.map(actionsOn(api, sim), (actions) => actions.some(({ action }) => /^esim returned$/i.test(action)))

  /**
   * How many eSIMs of an order a purchase may take: null for a top-up, which is no purchase; 0 if
   * somebody has put the eSIM to use.
   */
  const free = Effect.fnUntraced(function* (order: AccountApi.Order, item: AccountApi.Item) {
    const esim = esimOf(order)
    if (item.quantity !== 1 || item.esims.length > 1) return Math.max(2, item.quantity)
    // Top-ups name their eSIM from the beginning.
    if (esim === null) return 1
    const { iccid } = esim
    const bought = yield* fromJournal(boughtOf(iccid))
    if (bought?.reference === order.reference) return 1
    const topUps = bought === null ? [] : (yield* fromJournal(topUpsOn(iccid))).values()
    if ([...topUps].includes(order.reference)) return null
    if (bought !== null && bought.returned === null && !(yield* hasLeft(bought))) return null
    const assignments = yield* api.assignments(iccid)
    const own = assignments.filter((one) => one.order === order.reference)
    // An eSIM that was given back may be sold again, with what was on it before.
    const others = assignments.filter((one) => !own.includes(one) && !(bought !== null && Assignments.isOver(one)))
    const first = Math.min(...own.map(({ assignedAt }) => assignedAt ?? Number.POSITIVE_INFINITY))
    if (others.some(({ assignedAt }) => assignedAt === null || assignedAt < first)) return null
    if (others.length > 0 || own.some((one) => Assignments.isUsed(one) || Assignments.isOver(one))) return 0
    const { installedAt, state } = yield* api.details(iccid)
    return installedAt !== null || state === "deactivated" ? 0 : 1
  })

  return {
    strategy: "Anonymous",
    // A price is a call, and nobody needs it without a limit.
    quote: ({ limit, load }) => (limit === null ? Effect.succeed(null) : api.quote({ bundle: load, iccid: null })),
    order: ({ purchase }) => Effect.map(api.order({ bundle: purchase.load, iccid: null }), placedFrom),
    read: Effect.fnUntraced(function* ({ reference }) {
      const order = yield* api.orderOf(reference)
      const esim = esimOf(order)
      if (esim === null) return null
      const full = simOf(order, esim) ?? simOf(order, yield* api.details(esim.iccid))
      if (full !== null) return full
      // It is bought, so it is no refusal; `Purchases` says what is wrong with it.
      return { ...SimIdentities.none, iccid: esim.iccid, lpa: "", sellBy: null, cost: order.total }
    }),
    list: Effect.fnUntraced(function* ({ load, since }) {
      const found: Array<Purchases.Listed> = []
      for (const order of yield* api.orders(since)) {
        const item = itemOf(order)
        if (item === null || item.name !== load) continue
        const quantity = yield* Effect.catchIf(
          free(order, item),
          // It has left the account.
          ({ outcome }) => outcome === "NotFound",
          () => Effect.succeed(null)
        )
        if (quantity !== null) found.push({ ...placedFrom(order), load, quantity })
      }
      return found
    })
  }
}
