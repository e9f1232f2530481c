/**
 * Buying an eSIM with a load of a supplier, for the stock (rule I15). The supplier is asked under
 * the purchase's id until it has answered for good, and then has sold one SIM or none. What it
 * refuses is a problem at once: nothing was bought.
 */
import { Effect, Result } from "effect"
import * as Problem from "../../domain/Problem.ts"
import * as Purchase from "../../domain/Purchase.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Refused, Telco } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import {
  type Done,
  ending,
  finishing,
  type LeasedJob,
  logRefused,
  makeGiveBack,
  makeInTime
} from "../telco/TelcoCall.ts"

const sellsNone = new Refused({ message: "The telco sells no SIMs" })

/** What does the job. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const ids = yield* Ids
  const giveBack = yield* makeGiveBack

  const end = Effect.fnUntraced(function* (held: LeasedJob, refusal: Refused): Effect.fn.Return<Done, StorageError> {
    const now = yield* clock.now
    const { message, reason } = refusal
    const said = { message, ...(reason !== undefined && { reason }) }
    yield* commits.retryOnConflict(commits.write(ending(held, said, now)))
    return yield* logRefused(held, "purchase", refusal, true)
  })

  return Effect.fnUntraced(function* (held: LeasedJob, work: Purchase.BuySim): Effect.fn.Return<Done, StorageError> {
    const { organizationId } = held.job
    const { label, limit, load, purchaseId } = work
    const key = Problem.telcoKey(purchaseId, held.job)
    const call = telco.buySim?.({ purchaseId: key, organizationId, label, load, limit }) ?? Effect.fail(sellsNone)
    const answer = yield* Effect.result(inTime("buySim", call))
    if (Result.isFailure(answer)) {
      const { failure } = answer
      return yield* failure._tag === "Telco.Refused" ? end(held, failure) : giveBack(held, "purchase", failure)
    }
    const sold = answer.success
    const now = yield* clock.now
    const simId = yield* ids.next(now, organizationId)
    yield* storage.sims.import([Purchase.stocked(work, sold, { organizationId, simId, createdAt: now })])
    const stored = yield* storage.sims.get({ organizationId, iccid: sold.iccid })
    if (stored === null || !Purchase.isOf(work, stored)) {
      const message = `The supplier has sold the SIM ${sold.iccid}, which the inventory has already`
      return yield* end(held, new Refused({ message }))
    }
    const checks = yield* commits.stockChecks(organizationId, [{ label, cause: purchaseId }], now)
    const commit = yield* commits.prepare(organizationId, { jobs: checks }, now)
    yield* commits.retryOnConflict(commits.write(finishing(held, commit)))
    return "done"
  })
})
