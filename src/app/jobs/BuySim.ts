/**
 * Buying an eSIM with a load of a supplier, for the stock (rule I15). The supplier is asked under
 * the purchase's id until it has answered for good, and then has sold one SIM or none, which is in
 * the ledger before it is in the stock (rule C1). What it refuses is a problem at once: nothing was
 * bought. That a load is sold out, or too dear for the balance, is one problem until it is retried,
 * or a purchase of the load succeeds.
 */
import { Effect, Result } from "effect"
import * as Problem from "../../domain/Problem.ts"
import * as Purchase from "../../domain/Purchase.ts"
import { BusinessClock, monotonicNow } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Refused, Telco } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { Settings } from "../Settings.ts"
import * as PurchaseLimits from "../telco/PurchaseLimits.ts"
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
  const giveBack = yield* makeGiveBack
  const limits = yield* PurchaseLimits.make
  const { leaseMillis } = yield* Settings

  /** The problems of the load that wait for an operator, but for one. */
  const openProblems = Effect.fnUntraced(function* (
    { job: { organizationId } }: LeasedJob,
    { label, load }: Pick<Purchase.BuySim, "label" | "load">,
    besides: string | null
  ) {
    const ids = Purchase.problemIds({ organizationId, label, load }).filter((id) => id !== besides)
    const found = yield* Effect.forEach(ids, (jobId) => storage.jobs.get({ organizationId, jobId }))
    return found.flatMap((job) =>
      job === null || job.endedAt === null ? [] : [{ organizationId, jobId: job.jobId, endedAt: job.endedAt }]
    )
  })

  const end = Effect.fnUntraced(function* (
    held: LeasedJob,
    work: Purchase.BuySim,
    refusal: Refused,
    soldBy?: string
  ): Effect.fn.Return<Done, StorageError> {
    const now = yield* clock.now
    const { message, reason } = refusal
    const said = { message, ...(reason !== undefined && { reason }), ...(soldBy !== undefined && { soldBy }) }
    const problem = Purchase.problem(held.job, work, said, now)
    const isOfLoad = problem.jobId !== held.job.jobId
    yield* commits.retryOnConflict(
      Effect.gen(function* () {
        // One that is there stays as it is.
        const commit = isOfLoad
          ? finishing(held, { jobs: { put: [{ job: problem, lease: null }] } })
          : ending(held, said, now)
        const resolved = isOfLoad ? yield* openProblems(held, work, problem.jobId) : []
        yield* commits.write({ ...commit, jobs: { ...commit.jobs, resolved } })
      })
    )
    return yield* logRefused(held, "purchase", refusal, true)
  })

  /**
   * Ends the job with the SIM in the stock: a new one, or one that the organization had under its
   * ICCID before. Whether it is. The id of a new one follows from the purchase: a process that dies
   * before the job has ended leaves a SIM that may be sold, returned and bought again meanwhile.
   */
  const stock = Effect.fnUntraced(function* (held: LeasedJob, bought: Purchase.Bought, sold: Purchase.Sold) {
    const { organizationId } = held.job
    const { iccid } = sold
    // Before anybody can claim the load: it is booked whatever becomes of the SIM.
    const ledger = Purchase.charged(bought, sold, { organizationId }, yield* clock.now)
    yield* commits.retryOnConflict(commits.write({ ledger }))
    const simId = Purchase.simId(bought)
    if ((yield* storage.simAggregates.owner(iccid)) === null) {
      const createdAt = yield* clock.now
      yield* storage.sims.import([Purchase.stocked(bought, sold, { organizationId, simId, createdAt })])
    }
    return yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const stored = yield* storage.sims.get({ organizationId, iccid })
        const now = yield* clock.now
        const isThere = stored !== null && Purchase.hasBrought(bought, stored)
        const revived = stored === null || isThere ? null : Purchase.revived(stored, bought, sold, now)
        if (stored === null || !(isThere || revived !== null)) return false
        const changed = [{ label: bought.label, cause: bought.purchaseId }]
        // The sale of a new one is no decision about a SIM, and neither is that its time is over.
        const sale = revived === null ? yield* commits.stockChecks(organizationId, changed, now) : []
        const lapse =
          sold.sellBy === null
            ? []
            : yield* commits.stockChecks(
                organizationId,
                [{ label: bought.label, cause: `${bought.purchaseId} lapses` }],
                Math.max(now, Purchase.lapsesAt(sold.sellBy))
              )
        const jobs = [...sale, ...lapse]
        const decision =
          revived === null ? { jobs } : { sim: { loaded: { sim: stored }, next: { sim: revived } }, jobs }
        const commit = finishing(held, yield* commits.prepare(organizationId, decision, now))
        const resolved = yield* openProblems(held, bought, held.job.jobId)
        yield* commits.write({ ...commit, jobs: { ...commit.jobs, resolved } })
        return true
      })
    )
  })

  /** Whether the purchase is within the limits. Else it is withdrawn, and nobody was asked. */
  const admit = Effect.fnUntraced(function* (held: LeasedJob, { label, limit, load }: Purchase.BuySim) {
    const { job, token } = held
    const { dueAt, jobId, organizationId } = job
    const isAdmitted = yield* limits.admit({ organizationId, label, load, most: limit }, job)
    // From now on the supplier may have been asked: whoever takes over asks it again.
    const lease = { token, until: (yield* monotonicNow) + leaseMillis }
    const commit = isAdmitted
      ? { jobs: { retried: [{ organizationId, jobId, token, dueAt, attempts: 1, lease }] } }
      : finishing(held, {})
    yield* commits.retryOnConflict(commits.write(commit))
    return isAdmitted
  })

  return Effect.fnUntraced(function* (held: LeasedJob, work: Purchase.BuySim): Effect.fn.Return<Done, StorageError> {
    const { organizationId, refused } = held.job
    const { label, limit, load, regionCode } = work
    if (Purchase.isToBeAdmitted(held.job, work) && !(yield* admit(held, work))) return "done"
    const purchaseId = refused?.soldBy ?? Problem.telcoKey(work.purchaseId, held.job)
    const call = telco.buySim?.({ purchaseId, organizationId, label, load, limit }) ?? Effect.fail(sellsNone)
    const answer = yield* Effect.result(inTime("buySim", call))
    if (Result.isFailure(answer)) {
      const { failure } = answer
      return yield* failure._tag === "Telco.Refused" ? end(held, work, failure) : giveBack(held, "purchase", failure)
    }
    const sold = answer.success
    const bought = { purchaseId, label, load, ...(regionCode !== undefined && { regionCode }) }
    if (yield* stock(held, bought, sold)) return "done"
    const message =
      `The supplier has sold the SIM ${sold.iccid}, which the inventory has already. Withdraw that one if nobody has it any ` +
      "more, and retry: the same purchase is asked for again"
    return yield* end(held, work, new Refused({ message }), purchaseId)
  })
})
