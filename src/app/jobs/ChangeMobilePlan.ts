/**
 * Bringing the mobile plan of an eSIM to its target (rule I6). What becomes of a change whose
 * outcome stays open depends on its caller:
 *
 * - A request without a key fails. It is asked again as the same change until the telco answers,
 *   and what turns out to be done is turned back.
 * - A request with a key may come again, and goes on with the change (rule S5). If it does not, the
 *   change is turned back too.
 * - A command waits until then, and its change stays (rule H1).
 */
import { Effect, Result } from "effect"
import * as Idempotency from "../../domain/Idempotency.ts"
import type { Work } from "../../domain/Job.ts"
import * as MobilePlan from "../../domain/MobilePlan.ts"
import { TelcoRefused } from "../../domain/Refusal.ts"
import { changeOfPlan, type Sim } from "../../domain/Sim.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage } from "../../ports/Storage.ts"
import { Telco, type Unavailable } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import {
  answering,
  finishing,
  interrupting,
  type LeasedJob,
  makeInTime,
  logNotTaken,
  notTaken,
  refusing,
  retrying
} from "../telco/TelcoCall.ts"

/**
 * What does the job; the outcome is for the request that waits for it, if one does. A request is
 * either the one that began the change, and has asked for nothing before, or goes on with one that
 * may have been made.
 */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const ids = yield* Ids

  /** Whether the request has come again since the change was interrupted. */
  const isResumed = Effect.fnUntraced(function* (
    { job: { idempotencyKey: key, organizationId } }: LeasedJob,
    changeId: string
  ) {
    if (key === null) return false
    return Idempotency.isResumed(yield* storage.idempotencyRecords.get({ organizationId, key }), changeId)
  })

  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { changeId, iccid }: Extract<Work, { _tag: "ChangeMobilePlan" }>,
    isRequest: boolean
  ) {
    const { attempts, command, organizationId, origin } = held.job
    const unavailable = notTaken()
    const load = storage.sims.get({ organizationId, iccid })
    const sim = yield* load
    const plan = sim === null ? null : changeOfPlan(sim.mobilePlan)
    if (plan === null) {
      yield* commits.retryOnConflict(commits.write(refusing(held, {}, unavailable, yield* clock.now)))
      return Result.fail(unavailable)
    }
    const isTurningBack = MobilePlan.isTurningBack(plan)
    const isLater = !isRequest && attempts > 0 && command === null && !isTurningBack
    const hasFailed = isLater && !(yield* isResumed(held, changeId))
    const answer = yield* Effect.result(
      inTime("setMobilePlan", telco.setMobilePlan({ key: changeId, iccid, applied: plan.target }))
    )

    /** The commit of a change that the telco did not take. */
    const notDone = Effect.fnUntraced(function* (sim: Sim, failure: Unavailable) {
      const now = yield* clock.now
      if (command !== null || isTurningBack || hasFailed) return retrying(held, now, failure)
      if (isRequest && attempts === 0 && failure.isDone === false) {
        const commit = yield* commits.prepare(organizationId, MobilePlan.refused(sim), now)
        return refusing(held, commit, notTaken(failure), now)
      }
      return interrupting(held, {}, { iccid, attemptId: changeId }, failure, now)
    })

    return yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const sim = yield* load
        const now = yield* clock.now
        if (sim === null) {
          yield* commits.write(refusing(held, {}, unavailable, now))
          return Result.fail(unavailable)
        }
        if (Result.isFailure(answer)) {
          const { failure } = answer
          if (failure._tag === "Telco.Unavailable") {
            yield* commits.write(yield* notDone(sim, failure))
            return Result.fail(yield* logNotTaken(held, "a mobile plan", failure))
          }
          const commit = yield* commits.prepare(organizationId, MobilePlan.refused(sim), now)
          const refusal = new TelcoRefused({ message: failure.message })
          yield* commits.write(hasFailed ? finishing(held, commit) : refusing(held, commit, refusal, now))
          return Result.fail(refusal)
        }
        if (hasFailed) {
          const decision = MobilePlan.turnedBack(sim, changeId, yield* ids.next(now, organizationId), now)
          yield* commits.write(finishing(held, yield* commits.prepare(organizationId, decision, now)))
          return Result.fail(unavailable)
        }
        const { decision, status: value } = MobilePlan.settled(sim)
        const decided = yield* commits.prepare(organizationId, decision, now)
        const action = value.applied ? "sim.apply_mobile_plan" : "sim.remove_mobile_plan"
        const change = { organizationId, action, resourceId: iccid, iccid } as const
        // What is turned back has not changed.
        const commit = isTurningBack ? decided : yield* commits.audited(decided, change, now, origin)
        yield* commits.write(answering(held, commit, { kind: "MobilePlan", value }, now))
        return Result.succeed(value)
      })
    )
  })
})
