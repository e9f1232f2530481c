/**
 * Bringing the mobile plan of an eSIM to its target (rule I6). A change whose outcome stays open has failed for its
 * caller; it is asked again under the same key until the telco tells, and what turns out to be done is turned back. A
 * command waits until then, and its change stays (rule H1).
 */
import { Effect, Result } from "effect"
import type { Work } from "../../domain/Job.ts"
import * as MobilePlan from "../../domain/MobilePlan.ts"
import { TelcoRefused } from "../../domain/Refusal.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Storage } from "../../ports/Storage.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import { answering, forgetting, type LeasedJob, makeInTime, notTaken, refusing, retrying } from "../telco/TelcoCall.ts"

/** What does the job; the outcome is for the request that waits for it, if one does. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const ids = yield* Ids
  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { changeId, iccid }: Extract<Work, { _tag: "ChangeMobilePlan" }>
  ) {
    const { attempts, command, organizationId, origin } = held.job
    const unavailable = notTaken()
    const load = storage.simAggregates.get({ organizationId, iccid })
    const plan = (yield* load)?.sim.mobilePlan
    if (plan === undefined || plan._tag === "Settled") {
      yield* commits.retryOnConflict(commits.write(refusing(held, {}, unavailable, yield* clock.now)))
      return Result.fail(unavailable)
    }
    const answer = yield* Effect.result(
      inTime("setMobilePlan", telco.setMobilePlan({ key: changeId, iccid, applied: plan.target }))
    )
    if (Result.isFailure(answer) && answer.failure._tag === "Telco.Unavailable") {
      const retry = retrying(held, yield* clock.now, answer.failure)
      yield* commits.retryOnConflict(commits.write({ ...retry, ...forgetting(held) }))
      return Result.fail(notTaken(answer.failure))
    }
    const hasFailed = attempts > 0 && command === null && !MobilePlan.isTurningBack(plan)
    return yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const aggregate = yield* load
        const now = yield* clock.now
        if (aggregate === null) {
          yield* commits.write(refusing(held, {}, unavailable, now))
          return Result.fail(unavailable)
        }
        const { sim } = aggregate
        if (Result.isFailure(answer)) {
          const commit = yield* commits.of(organizationId, MobilePlan.refused(sim), now)
          const refusal = new TelcoRefused({ message: answer.failure.message })
          yield* commits.write(refusing(held, commit, refusal, now))
          return Result.fail(refusal)
        }
        if (hasFailed) {
          const decision = MobilePlan.turnedBack(sim, yield* ids.next(now, organizationId), now)
          yield* commits.write(refusing(held, yield* commits.of(organizationId, decision, now), unavailable, now))
          return Result.fail(unavailable)
        }
        const { decision, status: value } = MobilePlan.settled(sim)
        const decided = yield* commits.of(organizationId, decision, now)
        const action = value.applied ? "sim.apply_mobile_plan" : "sim.remove_mobile_plan"
        const change = { organizationId, action, resourceId: iccid, iccid } as const
        // What is turned back has not changed.
        const commit = MobilePlan.isTurningBack(plan) ? decided : yield* commits.audited(decided, change, now, origin)
        yield* commits.write(answering(held, commit, { kind: "MobilePlan", value }, now))
        return Result.succeed(value)
      })
    )
  })
})
