/**
 * Whether an eSIM may be bought (rule I16): the balance has to pay for it, and what the
 * organization has not sold yet is counted anew for each purchase, over all processes.
 */
import { Effect } from "effect"
import type { Job } from "../../domain/Job.ts"
import * as Limits from "../../domain/PurchaseLimits.ts"
import * as Purchase from "../../domain/Purchase.ts"
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

/** Decides about purchases. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const clock = yield* BusinessClock
  const purchases = yield* TelcoPurchases
  const soldBundles = yield* SoldBundles
  const inTransaction = yield* HostTransaction
  const isStandingClock = clock.set !== null

  // What is outstanding is read first: what comes into the stock meanwhile is counted twice then,
  // and not left out.
  const unsold = Effect.fnUntraced(function* (of: Limits.OfLoad, limits: Limits.Limits) {
    const { label, organizationId } = of
    const outstanding = yield* storage.jobs.purchases({ organizationId, limit: MOST })
    if (outstanding.length >= MOST) return null
    const load = Purchase.wantedLoad(of.load, yield* clock.now)
    const atMost = limits.unsold ?? 0
    const free = atMost === 0 ? 0 : yield* storage.sims.countFree({ organizationId, label, ...load, atMost })
    return { free, outstanding }
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
    hasRoom: Effect.fnUntraced(function* (of: Limits.OfLoad) {
      const limits = yield* purchases.limits(of)
      if (Limits.isNone(limits)) return true
      const found = yield* unsold(of, limits)
      return found !== null && Limits.hasRoom(limits, of, found)
    }),
    /** Whether a purchase that is stored may be made. It waits a moment for others to withdraw. */
    admit: Effect.fnUntraced(function* (of: Limits.OfLoad, job: Job) {
      for (let turn = 0; turn < (isStandingClock ? STANDING_TURNS : TURNS); turn++) {
        const limits = yield* purchases.limits(of)
        if (Limits.isNone(limits)) return true
        const found = yield* unsold(of, limits)
        const admission = found === null ? "Withdrawn" : Limits.admission(limits, of, job, found)
        if (admission !== "Waits") return admission === "Made"
        yield* isStandingClock ? Effect.yieldNow : Effect.sleep(PAUSE)
      }
      return false
    })
  }
})
