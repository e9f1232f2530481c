/**
 * Giving an eSIM that was bought back to its supplier (rule I15). The SIM is withdrawn before the
 * supplier is asked, and asked for until there is an answer. What it refuses is a problem at once,
 * and the SIM stays withdrawn until an operator makes it available or has the supplier asked again.
 * A supplier whose people decide is asked again each day, for 90 days, what they have decided.
 */
import { Effect, Result } from "effect"
import { TELCO } from "../../domain/AuditEntry.ts"
import type { Work } from "../../domain/Job.ts"
import type { Returned } from "../../domain/Sim.ts"
import * as SimReturn from "../../domain/SimReturn.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Refused, Telco } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import {
  type Done,
  ending,
  finishing,
  type LeasedJob,
  leaseOf,
  logRefused,
  makeGiveBack,
  makeInTime
} from "../telco/TelcoCall.ts"

const takesNone = new Refused({ message: "The telco takes no SIMs back" })

const TELCO_SAYS = { actor: TELCO, requestId: null, address: null }

/** What does the job. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const giveBack = yield* makeGiveBack

  return Effect.fnUntraced(function* (
    held: LeasedJob,
    work: Extract<Work, { readonly _tag: "ReturnSim" }>
  ): Effect.fn.Return<Done, StorageError> {
    const { organizationId } = held.job
    const { iccid, purchaseId } = work
    const load = storage.sims.get({ organizationId, iccid })

    const isAsked = yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const step = SimReturn.step(yield* load, work)
        if (step._tag === "Hold")
          yield* commits.write(yield* commits.prepare(organizationId, step.decision, yield* clock.now))
        if (step._tag === "Nothing") yield* commits.write(finishing(held, {}))
        return step._tag !== "Nothing"
      })
    )
    if (!isAsked) return "done"

    const end = (returned: Returned, refusal: Refused | null) =>
      commits.retryOnConflict(
        Effect.gen(function* () {
          const now = yield* clock.now
          const sim = yield* load
          const prepared = yield* commits.prepare(organizationId, SimReturn.ended(sim, work, returned, now), now)
          const change = SimReturn.answer(sim, work, returned)
          const commit = change === null ? prepared : yield* commits.audited(prepared, change, now, TELCO_SAYS)
          if (refusal !== null) {
            const { message } = refusal
            return yield* commits.write({ ...commit, jobs: { ...commit.jobs, ...ending(held, { message }, now).jobs } })
          }
          const dueAt = SimReturn.askedAgainAt(returned, held.job.createdAt, now)
          if (dueAt === null) return yield* commits.write(finishing(held, commit))
          const retried = [{ ...leaseOf(held), dueAt, attempts: 0 }]
          yield* commits.write({ ...commit, jobs: { ...commit.jobs, retried } })
        })
      )

    const call = telco.returnSim?.({ purchaseId, iccid }) ?? Effect.fail(takesNone)
    const answer = yield* Effect.result(inTime("returnSim", call))
    if (Result.isSuccess(answer)) {
      yield* end(answer.success, null)
      return "done"
    }
    const { failure } = answer
    if (failure._tag === "Telco.Unavailable") return yield* giveBack(held, "return", failure)
    yield* end("refused", failure)
    return yield* logRefused(held, "return", failure, true)
  })
})
