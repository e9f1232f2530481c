/**
 * Pausing the service of a SIM at the telco, and resuming it (rule S7). The telco is asked for a
 * change until it has answered, and then for the next one if something else is wanted by then. What
 * it refuses for good is left to an operator (rule S6).
 */
import { Effect, Result } from "effect"
import * as Deletion from "../../domain/Deletion.ts"
import type { Work } from "../../domain/Job.ts"
import * as Pause from "../../domain/Pause.ts"
import * as Problem from "../../domain/Problem.ts"
import type { Sim } from "../../domain/Sim.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type Commit, Storage, type StorageError } from "../../ports/Storage.ts"
import { Telco } from "../../ports/Telco.ts"
import { setService } from "../../ports/TelcoPorts.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import {
  type Done,
  finishing,
  givingBack,
  type LeasedJob,
  logNotTaken,
  logRefused,
  makeInTime,
  retrying
} from "../telco/TelcoCall.ts"

/**
 * The commit of a change that has ended, by the telco's answer or by hand. A SIM that is being
 * released waits until it is resumed: its release is tried at once, and if that is done already
 * the SIM is free.
 */
export const makeEnding = Effect.gen(function* () {
  const storage = yield* Storage
  const commits = yield* Commits
  return Effect.fnUntraced(function* (
    sim: Sim,
    next: Pause.Next,
    now: Instant
  ): Effect.fn.Return<Commit, StorageError> {
    const { organizationId } = sim
    const jobId = Deletion.releaseJobOf(sim)
    const isReleased = jobId !== null && (yield* storage.jobs.get({ organizationId, jobId })) === null
    const commit = yield* commits.prepare(organizationId, Deletion.afterPause(sim, next, isReleased), now)
    return jobId === null
      ? commit
      : { ...commit, jobs: { ...commit.jobs, hastened: [{ organizationId, jobId, dueAt: now }] } }
  })
})

/** What does the job. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const ids = yield* Ids
  const ending = yield* makeEnding

  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { changeId, iccid }: Extract<Work, { _tag: "SetService" }>
  ): Effect.fn.Return<Done, StorageError> {
    const { organizationId } = held.job
    const load = Effect.map(storage.sims.get({ organizationId, iccid }), (sim) => {
      const service = sim === null ? null : Pause.underWay(sim, changeId)
      return sim === null || service === null ? null : { sim, service }
    })
    const finish = (commit: Commit) => Effect.as(commits.write(finishing(held, commit)), "done" as const)
    const asked = yield* load
    if (asked === null) return yield* commits.retryOnConflict(finish({}))
    const { active } = asked.service
    const call = setService(telco, { key: Problem.telcoKey(changeId, held.job), iccid, active })
    const answer = yield* Effect.result(inTime("setService", call))
    return yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const loaded = yield* load
        const now = yield* clock.now
        if (loaded === null) return yield* finish({})
        const { service, sim } = loaded
        if (Result.isSuccess(answer)) {
          const nextId = yield* ids.next(now, organizationId)
          return yield* finish(yield* ending(sim, Pause.made(sim, service, nextId, now), now))
        }
        const { failure } = answer
        if (failure._tag === "Telco.Unavailable") {
          yield* commits.write(retrying(held, now, failure))
          yield* logNotTaken(held, active ? "a resumption" : "a pause", failure)
          return "retried"
        }
        if (!Pause.isWanted(service)) return yield* finish(yield* ending(sim, Pause.dropped(sim, service), now))
        // Written with the SIM, so that what is asked for meanwhile knows whether this change has
        // ended.
        const commit = yield* commits.prepare(organizationId, { sim: { loaded: { sim }, next: { sim } } }, now)
        const refusal = givingBack(held, failure, now)
        yield* commits.write({ ...commit, jobs: { ...commit.jobs, ...refusal.jobs } })
        return yield* logRefused(held, active ? "resumption" : "pause", failure, refusal.isEnded)
      })
    )
  })
})
