/**
 * Asking the telco, from within a job: what all kinds of job have in common.
 */
import { Cause, Effect, Exit, Fiber } from "effect"
import type { Job } from "../../domain/Job.ts"
import { type Refused, type Telco, Unavailable } from "../../ports/Telco.ts"
import type { Commit } from "../../ports/Storage.ts"
import type { Outcome } from "../../domain/Idempotency.ts"
import { nextTry } from "../../domain/Backoff.ts"
import { TelcoUnavailable } from "../../domain/Refusal.ts"
import type { Instant } from "../../domain/Time.ts"
import { SECOND } from "../../domain/Time.ts"
import * as Metrics from "../Metrics.ts"
import { Settings } from "../Settings.ts"

/** A job and the lease that it is done under. */
export interface LeasedJob {
  readonly job: Job
  readonly token: string
}

/** What came of one try of a job that no request waits for. */
export type Done = "done" | "refused" | "retried"

/**
 * Makes of a call one that is measured, and given up as unavailable when it takes too long: the telco may still do the
 * work.
 */
export type InTime = <A>(
  operation: keyof Telco["Service"],
  call: Effect.Effect<A, Refused | Unavailable>
) => Effect.Effect<A, Refused | Unavailable>

/** That the telco did not answer in time. */
class TimedOut extends Unavailable {}

const outcomeOf = (exit: Exit.Exit<unknown, Refused | Unavailable>): string => {
  if (Exit.isSuccess(exit)) return "ok"
  const error = Cause.findErrorOption(exit.cause)
  if (error._tag === "None") return Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "failed"
  if (error.value._tag === "Telco.Refused") return "refused"
  return error.value instanceof TimedOut ? "timed_out" : "unavailable"
}

const measured = <A>(operation: keyof Telco["Service"], call: Effect.Effect<A, Refused | Unavailable>) =>
  Metrics.timed(Metrics.traced(`telco ${operation}`, { kind: "client" }, call), (exit, seconds, context) => {
    Metrics.telcoCalls({ operation, outcome: outcomeOf(exit) })(1, context)
    Metrics.telcoCallDuration({ operation })(seconds, context)
  })

export const makeInTime: Effect.Effect<InTime> = Effect.map(Settings, ({ telcoTimeoutMillis }): InTime => {
  const inTime = Effect.fnUntraced(function* <A>(call: Effect.Effect<A, Refused | Unavailable>) {
    const asked = yield* Effect.forkChild(call, { startImmediately: true })
    const answered = asked.pollUnsafe()
    // Most telcos take a while, and then a clock has to run; one in the same process may have answered already.
    if (answered !== undefined) return yield* answered
    return yield* Effect.timeoutOrElse(Fiber.join(asked), {
      duration: telcoTimeoutMillis,
      orElse: () =>
        Effect.suspend(() => {
          // Not waited for: a call that cannot be interrupted must not hold up its caller.
          asked.interruptUnsafe()
          return Effect.fail(new TimedOut({ message: `no answer within ${telcoTimeoutMillis} ms` }))
        })
    })
  })
  return (operation, call) => measured(operation, inTime(call))
})

/** How many seconds a caller is asked to wait when the telco is unavailable and does not say for how long. */
const RETRY_AFTER_SECONDS = 5

/** What a caller is told whose request the telco has not taken. */
export const notTaken = (answer?: Unavailable): TelcoUnavailable =>
  new TelcoUnavailable({ retryAfterSeconds: answer?.retryAfterSeconds ?? RETRY_AFTER_SECONDS })

/** Forgets the request that waits for the job, so that it may be made again (rule W2). */
export const forgetting = ({ job: { idempotencyKey: key, organizationId } }: LeasedJob): Pick<Commit, "idempotency"> =>
  key === null ? {} : { idempotency: { forgotten: [{ organizationId, key }] } }

const settling = (
  { job: { idempotencyKey: key, organizationId } }: LeasedJob,
  outcome: Outcome
): Pick<Commit, "idempotency"> => (key === null ? {} : { idempotency: { settled: [{ organizationId, key, outcome }] } })

/** The commit that also ends the job, and tells the request that waits for it, if one does (rule W2). */
export const finishing = (held: LeasedJob, commit: Commit, outcome: Outcome | "forget"): Commit => ({
  ...commit,
  jobs: { ...commit.jobs, finished: [{ jobId: held.job.jobId, token: held.token }] },
  ...(outcome === "forget" ? forgetting(held) : settling(held, outcome))
})

/**
 * The commit that gives the job back for a later try after this answer, not before the telco wants to be asked again, and
 * at the latest at `latest`.
 */
export const retrying = (
  { job, token }: LeasedJob,
  now: Instant,
  answer: Refused | Unavailable,
  latest: Instant = Number.POSITIVE_INFINITY
): Commit => {
  const attempts = job.attempts + 1
  const wait = answer._tag === "Telco.Unavailable" ? (answer.retryAfterSeconds ?? 0) : 0
  const dueAt = Math.min(Math.max(nextTry(attempts, now), now + wait * SECOND), latest)
  return { jobs: { retried: [{ jobId: job.jobId, token, dueAt, attempts }] } }
}
