/**
 * One delivery to a handler of this process: the call, and its outcome (rule E2). A failure is logged with its stack and
 * tried again by the handler's schedule. An event that fails again is among the problems (rule S6) until it is handled or
 * given up, because later ones about its SIM wait for it.
 *
 * Where the handler has a transaction, the delivery is settled in it as well, so what the handler writes there is
 * committed once: a process that dies between the two leaves neither, and one that has lost the lease rolls back.
 */
import { Cause, Effect, Exit } from "effect"
import * as Delivery from "../../domain/Delivery.ts"
import type { LoggedDelivery } from "../../domain/Delivery.ts"
import { MINUTE } from "../../domain/Time.ts"
import * as Problem from "../../domain/Problem.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import * as MonotonicTime from "../../ports/MonotonicTime.ts"
import { type Commit, Conflict, Storage } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as Metrics from "../Metrics.ts"
import type { Registered } from "./HandlerRegistry.ts"

/** How long a handler may take, in milliseconds of machine time. Then it is interrupted, and has failed. */
const LIMIT = MINUTE

/** How much of an error's message the log of attempts keeps, in characters. */
const KEPT = 1_000

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const message = error instanceof Error && error.message !== "" ? error.message : String(error)
  // No storage keeps NUL in a text.
  return message.slice(0, KEPT).replaceAll("\0", "\uFFFD").toWellFormed()
}

/** Whether another process, or an operator, has settled the delivery meanwhile: the one by its lease, the other by its problem. */
const isLost = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return error instanceof Conflict && (error.on === "lease" || error.on === "version")
}

const isHopeless = ({ giveUp, name }: Registered, cause: Cause.Cause<unknown>) =>
  Effect.catchCause(
    Effect.sync(() => giveUp(Cause.squash(cause))),
    (broken) => Effect.as(Effect.logError(`giveUp of the handler ${name} failed`, broken), false)
  )

/** What came of a delivery whose outcome was not stored. */
const outcomeOf = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return "handed_back"
  return isLost(cause) ? "lost" : "failed"
}

/** What hands a delivery to a handler, stores the outcome and counts it. */
export const make = Effect.gen(function* () {
  const clock = yield* BusinessClock
  const commits = yield* Commits
  const ids = yield* Ids
  const storage = yield* Storage

  /** What the attempt changes in the list of problems. */
  const problem = Effect.fnUntraced(function* (before: Delivery.Delivery, after: LoggedDelivery, now: Instant) {
    const job = Problem.heldUp(after, now)
    if (job !== null) return { put: [{ job, lease: null }] } satisfies Commit["jobs"]
    if (!Problem.mayHoldUp(before)) return undefined
    const jobId = Problem.eventJobId(before.deliveryId)
    const endedAt = (yield* storage.jobs.get(jobId))?.endedAt ?? null
    return endedAt === null ? undefined : ({ resolved: [{ jobId, endedAt }] } satisfies Commit["jobs"])
  })

  const settle = Effect.fnUntraced(function* (
    { delivery, event }: LoggedDelivery,
    token: string,
    attempt: Delivery.Attempt,
    began: number,
    schedule: Delivery.Schedule
  ) {
    const durationMillis = Math.max(0, Math.round((yield* MonotonicTime.now) - began))
    const now = yield* clock.now
    const after = Delivery.attempted(
      delivery,
      attempt,
      now,
      Delivery.isDone(attempt) ? 0 : yield* ids.fraction,
      schedule
    )
    const jobs = yield* problem(delivery, { delivery: after, event }, now)
    const logged = Delivery.logged(after, attempt, now, durationMillis)
    const settled = { deliveries: { settled: [{ delivery: after, token, attempt: logged }] } }
    yield* commits.write({ ...settled, ...(jobs && { jobs }) })
    return after
  })

  const call = ({ handle }: Registered, { event }: LoggedDelivery) =>
    Effect.timeoutOrElse(
      Effect.suspend(() => handle(event)),
      {
        duration: LIMIT,
        orElse: () => Effect.fail(new Error(`it took longer than ${LIMIT / 1_000} s`))
      }
    )

  const run = Effect.fnUntraced(function* (handler: Registered, due: LoggedDelivery, token: string) {
    const began = yield* MonotonicTime.now
    const handled = Effect.andThen(
      call(handler, due),
      Effect.suspend(() => settle(due, token, { _tag: "Handled" }, began, handler.schedule))
    )
    const { transaction } = handler
    const exit = yield* Effect.exit(transaction === null ? handled : transaction(handled))
    if (Exit.isSuccess(exit)) return "handled"
    const { cause } = exit
    // Interrupted by a stop, it is handed back; settled by another process, it is that one's.
    if (Cause.hasInterruptsOnly(cause)) return "handed_back"
    if (isLost(cause)) return "lost"
    const schedule = (yield* isHopeless(handler, cause)) ? Delivery.noRetry : handler.schedule
    const after = yield* settle(due, token, { _tag: "Threw", message: messageOf(cause) }, began, schedule)
    const { eventId, payload } = due.event
    const isGivenUp = after.nextAttemptAt === null
    yield* Effect.logError(
      `the handler ${handler.name} failed; ${isGivenUp ? "it is given up" : "it is tried again"}`,
      { handler: handler.name, eventId, type: payload.type, attempts: after.attempts },
      cause
    )
    return isGivenUp ? "given_up" : "retried"
  })

  return (handler: Registered, due: LoggedDelivery, token: string) =>
    Metrics.timed(run(handler, due, token), (exit, _, context) => {
      const outcome = Exit.isSuccess(exit) ? exit.value : outcomeOf(exit.cause)
      Metrics.handledEvents({ handler: handler.name, outcome })(1, context)
    })
})
