/**
 * Calls to the telco from within a job, within a time limit, and the commits that end a job.
 */
import { Cause, Clock as MachineClock, Effect, Exit, type Fiber, type Scope } from "effect"
import * as Command from "../../domain/Command.ts"
import * as Job from "../../domain/Job.ts"
import * as Problem from "../../domain/Problem.ts"
import { type Refused, Unavailable } from "../../ports/Telco.ts"
import { type Asked, CurrentlyAsked, type Operation } from "../../ports/TelcoPorts.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import type { JobLease } from "../../ports/Jobs.ts"
import type { Commit } from "../../ports/Storage.ts"
import { type Answer, type Interrupted, type Outcome, undoneAt } from "../../domain/Idempotency.ts"
import { nextTry } from "../../domain/Backoff.ts"
import * as Refusal from "../../domain/Refusal.ts"
import type { Instant } from "../../domain/Time.ts"
import { SECOND } from "../../domain/Time.ts"
import { Commits } from "../commit/Commits.ts"
import * as Metrics from "../Metrics.ts"
import * as Rates from "../Rates.ts"
import { Settings } from "../Settings.ts"

/** A job and the token of its lease. */
export interface LeasedJob {
  readonly job: Job.Job
  readonly token: string
}

/**
 * Why a request is not answered with what it asked for: its SIM was not free after all (rule S5),
 * or the telco's answer.
 */
export type NotTaken = Refusal.TelcoRefused | Refusal.TelcoUnavailable | Refusal.PackagesListed | Refusal.SimsReleasing

/** The result of one attempt of a job that no request waits for. */
export type Done = "done" | "refused" | "retried"

/**
 * Measures a call, and gives it up as unavailable when it takes too long. The telco may still do
 * the work.
 */
export type InTime = <A>(
  operation: Operation,
  call: Effect.Effect<A, Refused | Unavailable>
) => Effect.Effect<A, Refused | Unavailable>

/** The telco did not answer in time. */
class TimedOut extends Unavailable {}

const outcomeOf = (exit: Exit.Exit<unknown, Refused | Unavailable>): string => {
  if (Exit.isSuccess(exit)) return "ok"
  const error = Cause.findErrorOption(exit.cause)
  if (error._tag === "None") return Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "failed"
  if (error.value._tag === "Telco.Refused") return "refused"
  return error.value instanceof TimedOut ? "timed_out" : "unavailable"
}

/** The outcomes of calls that the telco has answered, or that nobody waits for any more. */
const ANSWERED: ReadonlySet<string> = new Set(["ok", "refused", "interrupted"])

const measured = <A>(operation: Operation, call: Effect.Effect<A, Refused | Unavailable>) =>
  Metrics.timed(Metrics.traced(`telco ${operation}`, { kind: "client" }, call), (exit, seconds, context) => {
    const outcome = outcomeOf(exit)
    Metrics.telcoCalls({ operation, outcome })(1, context)
    Rates.count("telcoCalls", !ANSWERED.has(outcome), context)
    Metrics.telcoCallDuration({ operation })(seconds, context)
  })

/**
 * One time limit for many calls, with one timer for all of them. A timer for each call would need
 * two fibers more, and hardly any call needs its timer.
 */
export interface TimeLimit {
  /**
   * The outcome of the fiber, or that of `late` if the fiber is still running when the limit is
   * reached. The limit counts from this call on. The fiber is left running.
   */
  readonly join: <A, E>(fiber: Fiber.Fiber<A, E>, late: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

interface Waiting {
  /** When the limit is reached, in nanoseconds of monotonic time. */
  readonly until: bigint
  readonly expire: () => void
}

/**
 * A limit of so many milliseconds of monotonic time: a clock that is set anew ends no call early.
 * Calls reach it in the order in which they began. Its timer outlives the scope only for calls that
 * are under way when the scope ends.
 */
export const makeTimeLimit = (millis: number): Effect.Effect<TimeLimit, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* MachineClock.Clock
    const fork = Effect.runForkWith(yield* Effect.context())
    const limit = BigInt(Math.ceil(millis * 1e6))
    // In the order in which the limit is reached.
    const waiting = new Set<Waiting>()
    let timer: Fiber.Fiber<void> | null = null
    let isClosed = false

    const watch: Effect.Effect<void> = Effect.suspend(() => {
      const now = clock.monotonicTimeNanosUnsafe()
      for (const one of waiting) {
        if (one.until > now) return Effect.andThen(Effect.sleep(Number(one.until - now) / 1e6), watch)
        waiting.delete(one)
        one.expire()
      }
      timer = null
      return Effect.void
    })

    const stopUnused = (): void => {
      if (!isClosed || waiting.size > 0) return
      timer?.interruptUnsafe()
      timer = null
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        stopUnused()
      })
    )

    const join = <A, E>(fiber: Fiber.Fiber<A, E>, late: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.callback<A, E>((resume) => {
        const limited: Waiting = {
          until: clock.monotonicTimeNanosUnsafe() + limit,
          expire: () => {
            stopObserving()
            resume(late)
          }
        }
        const leave = (): void => {
          waiting.delete(limited)
          stopUnused()
        }
        waiting.add(limited)
        const stopObserving = fiber.addObserver((exit) => {
          leave()
          resume(exit)
        })
        if (timer === null) {
          const begun = fork(watch)
          // A limit of zero has been reached already.
          if (waiting.size > 0) timer = begun
        }
        return Effect.sync(() => {
          stopObserving()
          leave()
        })
      })

    return { join }
  })

export const makeInTime: Effect.Effect<InTime, never, Scope.Scope> = Effect.gen(function* () {
  const { telcoTimeoutMillis } = yield* Settings
  const limit = yield* makeTimeLimit(telcoTimeoutMillis)
  const message = `no answer within ${telcoTimeoutMillis} ms`
  const inTime = <A>(call: Effect.Effect<A, Refused | Unavailable>) =>
    Effect.suspend(() => {
      const asked: Asked = { telco: null }
      const noted = Effect.provideService(call, CurrentlyAsked, asked)
      return Effect.flatMap(Effect.forkChild(noted, { startImmediately: true }), (fiber) => {
        // The caller does not wait for the interruption: a call that cannot be interrupted must not
        // block it.
        const late = Effect.suspend(() => {
          fiber.interruptUnsafe()
          const { telco } = asked
          return Effect.fail(new TimedOut({ message, ...(telco !== null && { telco }) }))
        })
        // A telco in the same process may have answered already.
        return fiber.pollUnsafe() ?? limit.join(fiber, late)
      })
    })
  return (operation, call) => measured(operation, inTime(call))
})

/** `Retry-After` if the telco is unavailable and does not say for how long, in seconds. */
const RETRY_AFTER_SECONDS = 5

/** The longest that a telco is left alone on its own word, in seconds. */
const LONGEST_WAIT = 3_600

/**
 * The seconds that the telco asks to wait; null if it does not say, or says what is no number of
 * seconds.
 */
const waitOf = ({ retryAfterSeconds }: Unavailable): number | null =>
  retryAfterSeconds === undefined || !(retryAfterSeconds >= 0) ? null : Math.min(retryAfterSeconds, LONGEST_WAIT)

/** The refusal of a request that the telco has not taken. */
export const notTaken = (answer?: Unavailable): Refusal.TelcoUnavailable =>
  new Refusal.TelcoUnavailable({
    retryAfterSeconds: (answer && waitOf(answer)) ?? RETRY_AFTER_SECONDS,
    ...(answer?.telco !== undefined && { telco: answer.telco })
  })

/** What a line of the log says of the job, and of what the telco answered. */
const aboutOf = ({ jobId, organizationId, work }: Job.Job, { message }: Refused | Unavailable) => ({
  jobId,
  organizationId,
  iccid: "iccid" in work ? work.iccid : null,
  answer: message
})

/**
 * The refusal of a request, with the reason in the log: its caller is not told it. `what` names
 * what was asked for.
 */
export const logNotTaken = (
  { job }: LeasedJob,
  what: string,
  answer: Unavailable
): Effect.Effect<Refusal.TelcoUnavailable> =>
  Effect.as(Effect.logWarning(`the telco has not taken ${what}`, aboutOf(job, answer)), notTaken(answer))

/**
 * Deletes the idempotency record of the request that waits for the job, so that it can be repeated
 * (rule W2).
 */
export const forgetting = ({ job: { idempotencyKey: key, organizationId } }: LeasedJob): Pick<Commit, "idempotency"> =>
  key === null ? {} : { idempotency: { forgotten: [{ organizationId, key }] } }

/**
 * Keeps the attempt in the idempotency record of its request: it waits for the request, or is being
 * undone (rule S5).
 */
const leaving = (
  { job: { idempotencyKey: key, organizationId } }: LeasedJob,
  attempt: Pick<Interrupted, "iccid" | "attemptId">
): Pick<Commit, "idempotency"> =>
  key === null
    ? {}
    : { idempotency: { settled: [{ organizationId, key, outcome: { _tag: "Interrupted", ...attempt } }] } }

/** The lease that the job is held by. */
export const leaseOf = ({ job: { jobId, organizationId }, token }: LeasedJob): JobLease => ({
  organizationId,
  jobId,
  token
})

/** The commit, extended to end the job. */
export const finishing = (held: LeasedJob, commit: Commit): Commit => ({
  ...commit,
  jobs: { ...commit.jobs, finished: [leaseOf(held)] }
})

/** The commit, extended by what an operator is to read among the problems. */
export const listing = (
  { job: { organizationId } }: LeasedJob,
  commit: Commit,
  findings: ReadonlyArray<Problem.Finding>,
  now: Instant
): Commit => {
  if (findings.length === 0) return commit
  const found = findings.map((one) => ({ job: Problem.found(one, organizationId, now), lease: null }))
  return { ...commit, jobs: { ...commit.jobs, put: [...(commit.jobs?.put ?? []), ...found] } }
}

/** The commit, extended to end the job and to settle the command that waits for it (rule H1). */
const settlingCommand = (held: LeasedJob, commit: Commit, outcome: Outcome, now: Instant): Commit => {
  const finished = finishing(held, commit)
  const { command, organizationId } = held.job
  if (command === null) return finished
  const { commandId } = command
  return { ...finished, commands: { settled: [{ organizationId, commandId, outcome, settledAt: now }] } }
}

/**
 * The commit, extended to end the job and to answer who waits for it: the idempotency record of a
 * request is settled (rule W2), and a command is (rule H1).
 */
export const answering = (held: LeasedJob, commit: Commit, answer: Answer, now: Instant): Commit => {
  const outcome: Outcome = { _tag: "Succeeded", answer }
  const settled = settlingCommand(held, commit, outcome, now)
  const { idempotencyKey: key, organizationId } = held.job
  return key === null ? settled : { ...settled, idempotency: { settled: [{ organizationId, key, outcome }] } }
}

/** The commit that gives a command's job its next attempt, after the one that `job` was part of. */
const commandAgain = (
  { job }: LeasedJob,
  { attempts, commandId }: Job.WaitingCommand,
  now: Instant,
  refusal: Refusal.TelcoUnavailable | Refusal.SimsReleasing
) => ({
  job: {
    ...Job.make(Command.job(commandId, Command.nextAttempt(attempts + 1, now, refusal.retryAfterSeconds)), {
      organizationId: job.organizationId,
      createdAt: now
    }),
    attempts: attempts + 1,
    origin: job.origin,
    waiting: Job.waiting(
      job,
      refusal._tag === "TelcoUnavailable" ? "unavailable" : "busy",
      Refusal.reasonOf(refusal),
      now
    )
  },
  lease: null
})

/**
 * The commit, extended to end the job of a request that the telco has not taken. The idempotency
 * record of the request is deleted, so that it can be repeated (rule W2), or has the attempt that a
 * job is to undo first (rule S5). A command that the telco refused is settled; if the telco was
 * unavailable, or another SIM is to be taken (rule S5), the command gets the job of its next
 * attempt (rule H1).
 */
export const refusing = (
  held: LeasedJob,
  commit: Commit,
  refusal: NotTaken,
  now: Instant,
  undone: Pick<Interrupted, "iccid" | "attemptId"> | null = null
): Commit => {
  const { command } = held.job
  if (command === null) {
    return { ...finishing(held, commit), ...(undone === null ? forgetting(held) : leaving(held, undone)) }
  }
  if (refusal._tag === "TelcoRefused" || refusal._tag === "PackagesListed") {
    return settlingCommand(held, commit, { _tag: "Refused", refusal: Refusal.toPlain(refusal) }, now)
  }
  const finished = finishing(held, commit)
  const again = commandAgain(held, command, now, refusal)
  return { ...finished, jobs: { ...finished.jobs, put: [...(finished.jobs?.put ?? []), again] } }
}

/** The shortest wait for a telco that has too many calls already. */
const PAUSE = SECOND

const nextAttempt = (job: Job.Job, now: Instant): Pick<Job.Job, "attempts" | "dueAt"> => {
  const attempts = job.attempts + 1
  return { attempts, dueAt: nextTry(attempts, now) }
}

/**
 * The commit that schedules the job's next attempt after this answer: not before the time that the
 * telco asks for, and at `latest` at the latest. `Recovery` may have it tried sooner.
 */
export const retrying = (
  held: LeasedJob,
  now: Instant,
  answer: Unavailable,
  latest: Instant = Number.POSITIVE_INFINITY
): Commit => {
  const { job } = held
  const isAsked = answer.isAsked !== false
  const next = isAsked ? nextAttempt(job, now) : { attempts: job.attempts, dueAt: now + PAUSE }
  const { message, telco } = answer
  const wait = waitOf(answer)
  const notBefore = now + (wait ?? 0) * SECOND
  const dueAt = Math.min(Math.max(next.dueAt, notBefore), latest)
  // A telco that was not asked does not ask for anything: the wait is a guess, and may be shorter
  // (`Recovery`).
  const isDemanded = wait !== null && isAsked
  const reason = { message, ...(telco !== undefined && { telco }), ...(isDemanded && { notBefore }) }
  const waiting = Job.waiting(job, isAsked ? "unavailable" : "held_back", reason, now)
  return { jobs: { retried: [{ ...leaseOf(held), ...next, dueAt, waiting }] } }
}

/** The commit that has the job tried again later, or when what it waits for has it hastened. */
export const awaiting = (held: LeasedJob, message: string, now: Instant): Commit => {
  const waiting = Job.waiting(held.job, "busy", { message }, now)
  return { jobs: { retried: [{ ...leaseOf(held), ...nextAttempt(held.job, now), waiting }] } }
}

/**
 * The commit, extended to leave the attempt to its request, which may come again under its key
 * (rule S5). The job is due when the attempt is to be undone. Without a key it is tried again as
 * any other.
 */
export const interrupting = (
  held: LeasedJob,
  commit: Commit,
  attempt: Pick<Interrupted, "iccid" | "attemptId">,
  answer: Unavailable,
  now: Instant
): Commit => {
  const { attempts, idempotencyKey: key } = held.job
  if (key === null) return { ...commit, jobs: { ...commit.jobs, ...retrying(held, now, answer).jobs } }
  const dueAt = undoneAt(now, notTaken(answer).retryAfterSeconds)
  return {
    ...commit,
    // It waits for its request, not for the telco.
    jobs: { ...commit.jobs, retried: [{ ...leaseOf(held), attempts: attempts + 1, dueAt, waiting: null }] },
    ...leaving(held, attempt)
  }
}

/** The job as a problem at once: no further try of it would come to anything (rule S6). */
export const ending = (held: LeasedJob, said: Pick<Job.Refusals, "message" | "reason" | "soldBy">, now: Instant) => {
  const { job } = held
  const ended = { ...Problem.ended(job, said, now), waiting: null }
  return { jobs: { retried: [{ ...leaseOf(held), attempts: job.attempts + 1, ...ended }] } satisfies Commit["jobs"] }
}

/** The job after a refusal (rule S6), and whether that was the last one. */
export const givingBack = (held: LeasedJob, { message }: Refused, now: Instant) => {
  const { job } = held
  const refusal = Problem.refused(job, message, now)
  const waiting = refusal.endedAt === null ? Job.waiting(job, "refused", { message }, now) : null
  const retried = [{ ...leaseOf(held), attempts: job.attempts + 1, ...refusal, waiting }]
  return { jobs: { retried } satisfies Commit["jobs"], isEnded: refusal.endedAt !== null }
}

/**
 * Logs a refusal; one that has ended the job is the operator's to see to. `what` names the work.
 */
export const logRefused = (
  { job }: LeasedJob,
  what: string,
  answer: Refused,
  isEnded: boolean
): Effect.Effect<"refused" | "retried"> =>
  isEnded
    ? Effect.as(
        Effect.logWarning(
          `the telco refuses a ${what} for good: it waits for an operator to retry or resolve it`,
          aboutOf(job, answer)
        ),
        "refused"
      )
    : Effect.as(Effect.logWarning(`the telco has refused a ${what}`, aboutOf(job, answer)), "retried")

/**
 * Gives back a job that is to be done until the telco has done it: for the next attempt, or as one
 * that has ended in refusals (rule S6). `what` names it in the log.
 */
export const makeGiveBack = Effect.gen(function* () {
  const commits = yield* Commits
  const clock = yield* BusinessClock
  return Effect.fnUntraced(function* (held: LeasedJob, what: string, answer: Refused | Unavailable) {
    const now = yield* clock.now
    if (answer._tag === "Telco.Unavailable") {
      yield* Effect.logWarning(`the telco has not taken a ${what}`, aboutOf(held.job, answer))
      yield* commits.retryOnConflict(commits.write(retrying(held, now, answer)))
      return "retried" satisfies Done
    }
    const refusal = givingBack(held, answer, now)
    yield* commits.retryOnConflict(commits.write({ jobs: refusal.jobs }))
    return yield* logRefused(held, what, answer, refusal.isEnded)
  })
})
