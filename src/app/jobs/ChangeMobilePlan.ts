/**
 * Bringing the mobile plan of an eSIM to its target (rule I6). A change that the telco could not take in time is turned
 * back by a job of its own, which goes on until the telco confirms.
 */
import { Effect, Result } from "effect"
import type { Work } from "../../domain/Job.ts"
import * as MobilePlan from "../../domain/MobilePlan.ts"
import { TelcoRefused, TelcoUnavailable } from "../../domain/Refusal.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Storage } from "../../ports/Storage.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits } from "../Commits.ts"
import { Ids } from "../Ids.ts"
import { finishing, type Held, inTime, RETRY_AFTER_SECONDS, retrying } from "./Asking.ts"

export const perform = Effect.fnUntraced(function* (
  held: Held,
  { changeId, iccid }: Extract<Work, { _tag: "ChangeMobilePlan" }>
) {
  const storage = yield* Storage
  const telco = yield* Telco
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const ids = yield* Ids
  const { organizationId } = held.job
  const unavailable = new TelcoUnavailable({ retryAfterSeconds: RETRY_AFTER_SECONDS })
  const load = storage.line({ organizationId, iccid })
  const plan = (yield* load)?.sim.mobilePlan
  if (plan === undefined || plan._tag === "Settled") {
    yield* commits.untilDone(commits.write(finishing(held, {}, "forget")))
    return Result.fail(unavailable)
  }
  const call = telco.setMobilePlan({ key: changeId, iccid, applied: plan.target })
  const answer = yield* Effect.result(inTime(call))
  const turningBack = plan.target === plan.applied
  if (Result.isFailure(answer) && answer.failure._tag === "Telco.Unavailable" && turningBack) {
    yield* commits.untilDone(commits.write(retrying(held, yield* clock.now)))
    return Result.fail(unavailable)
  }
  return yield* commits.untilDone(
    Effect.gen(function* () {
      const line = yield* load
      const now = yield* clock.now
      if (line === null) {
        yield* commits.write(finishing(held, {}, "forget"))
        return Result.fail(unavailable)
      }
      if (Result.isSuccess(answer)) {
        const decision = MobilePlan.settled(line.sim)
        const value = MobilePlan.statusOf(decision.sim ?? line.sim)
        const commit = yield* commits.of(organizationId, decision, now)
        yield* commits.write(finishing(held, commit, { _tag: "Succeeded", answer: { kind: "MobilePlan", value } }))
        return Result.succeed(value)
      }
      const refused = answer.failure._tag === "Telco.Refused"
      const decision = refused
        ? MobilePlan.refused(line.sim)
        : MobilePlan.turnedBack(line.sim, yield* ids.next(now), now)
      yield* commits.write(finishing(held, yield* commits.of(organizationId, decision, now), "forget"))
      return Result.fail(refused ? new TelcoRefused({ message: answer.failure.message }) : unavailable)
    })
  )
})
