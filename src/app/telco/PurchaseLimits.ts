/**
 * Whether an eSIM may be bought (rule I16): the balance has to pay for it, and what the
 * organization has not sold yet, and what it has spent in the day, are counted anew for each
 * purchase, over all processes.
 */
import { Effect } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import type { Job } from "../../domain/Job.ts"
import * as Limits from "../../domain/PurchaseLimits.ts"
import * as Purchase from "../../domain/Purchase.ts"
import { dayOf } from "../../domain/UsageBook.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import { Storage } from "../../ports/Storage.ts"
import { TelcoPurchases } from "../../ports/TelcoPurchases.ts"
import { SoldBundles } from "./SoldBundles.ts"

/** How many outstanding purchases are counted; with more of them nothing is bought. */
const MOST = 1_000

/** How often a purchase counts anew while others withdraw, and after how many milliseconds. */
const TURNS = 20
const PAUSE = 50

/** How often it counts anew if the clock stands: others withdraw between two times. */
const STANDING_TURNS = 1_000

/** Which eSIM would be bought, or topped up, and what that may cost at most; null: anything. */
export interface Asked extends Limits.OfLoad {
  readonly most: Amount | null
  /** The code of a top-up that is ordered instead of an eSIM. */
  readonly topUp?: string
}

/** Decides about purchases. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const clock = yield* BusinessClock
  const purchases = yield* TelcoPurchases
  const soldBundles = yield* SoldBundles
  const inTransaction = yield* HostTransaction
  const isStandingClock = clock.set !== null

  /** The price in the catalogue, which is read for it if this process has not done so. */
  const priceOf = Effect.fnUntraced(function* (of: Limits.OfLoad, supplier: string | null) {
    const known = yield* soldBundles.priceOf(of)
    if (known !== null || supplier === null) return known
    // Failure: the price is not known.
    yield* Effect.ignore(soldBundles.of(supplier))
    return yield* soldBundles.priceOf(of)
  })

  const spending = Effect.fnUntraced(function* (
    { label, load, most, organizationId, topUp = load }: Asked,
    limit: Amount,
    outstanding: ReadonlyArray<Job>
  ) {
    const supplier = yield* soldBundles.sellerOf({ organizationId, label, load })
    const price = yield* priceOf({ organizationId, label, load: topUp }, supplier)
    const known = new Map<string, Pick<Limits.PricedPurchase, "supplier" | "price">>()
    const priced: Array<Limits.PricedPurchase> = []
    for (const { jobId, work } of outstanding) {
      if (work._tag !== "BuySim") continue
      const { label, limit: most, load } = work
      const key = JSON.stringify([label, load])
      const other = { organizationId, label, load }
      const found = known.get(key) ?? {
        supplier: yield* soldBundles.sellerOf(other),
        price: yield* soldBundles.priceOf(other)
      }
      known.set(key, found)
      priced.push({ jobId, most, ...found })
    }
    const spent = yield* storage.ledger.spent({ organizationId, since: dayOf(yield* clock.now) })
    return Limits.spending(limit, supplier, spent, priced, { price, most })
  })

  // What is outstanding is read first: what comes into the stock and the ledger meanwhile is
  // counted twice then, and not left out.
  const count = Effect.fnUntraced(function* (asked: Asked, limits: Limits.Limits) {
    const { label, organizationId } = asked
    const outstanding = yield* storage.jobs.purchases({ organizationId, limit: MOST })
    if (outstanding.length >= MOST) return null
    const load = Purchase.wantedLoad(asked.load, yield* clock.now)
    const atMost = limits.unsold ?? 0
    const free = atMost === 0 ? 0 : yield* storage.sims.countFree({ organizationId, label, ...load, atMost })
    const { spendingPerDay: limit } = limits
    return { free, outstanding, spending: limit === null ? null : yield* spending(asked, limit, outstanding) }
  })

  return {
    /** Whether the balance at the supplier pays for one, as far as is known. */
    isCovered: Effect.fnUntraced(function* (of: Limits.OfLoad) {
      const { covers } = purchases
      // Rule H1: the telco is not asked inside a transaction of the host.
      if (covers === undefined || (yield* inTransaction)) return true
      return yield* covers(of, yield* soldBundles.priceOf(of))
    }),
    /** Whether there are limits now. */
    areSet: (of: Limits.OfLoad) => Effect.map(purchases.limits(of), (limits) => !Limits.isNone(limits)),
    /** Whether one more may be bought, as far as can be said before it is stored. */
    room: Effect.fnUntraced(function* (asked: Asked) {
      const limits = yield* purchases.limits(asked)
      if (Limits.isNone(limits)) return "Room"
      const counted = yield* count(asked, limits)
      return counted === null ? "Full" : Limits.room(limits, asked, counted)
    }),
    /** Whether a top-up may be ordered, as far as can be said before it is stored. */
    roomToTopUp: Effect.fnUntraced(function* (asked: Asked) {
      const limits = { ...(yield* purchases.limits(asked)), unsold: null }
      if (Limits.isNone(limits)) return "Room"
      const counted = yield* count(asked, limits)
      return counted === null ? "Full" : Limits.room(limits, asked, counted)
    }),
    /** Whether a purchase that is stored may be made. It waits a moment for others to withdraw. */
    admit: Effect.fnUntraced(function* (asked: Asked, job: Job) {
      for (let turn = 0; turn < (isStandingClock ? STANDING_TURNS : TURNS); turn++) {
        const limits = yield* purchases.limits(asked)
        if (Limits.isNone(limits)) return true
        const counted = yield* count(asked, limits)
        const admission = counted === null ? "Withdrawn" : Limits.admission(limits, asked, job, counted)
        if (admission !== "Waits") return admission === "Made"
        yield* isStandingClock ? Effect.yieldNow : Effect.sleep(PAUSE)
      }
      return false
    })
  }
})
