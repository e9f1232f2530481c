/**
 * One delivery to a handler of this process: the call, and its outcome (rule E2). A failure is logged with its stack and
 * tried again by the schedule of rule W7.
 *
 * Where the handler has a transaction, the delivery is settled in it as well, so what the handler writes there is
 * committed once: a process that dies between the two leaves neither, and one that has lost the lease rolls back.
 */
import { Cause, Clock as MachineClock, Effect, Exit } from "effect"
import * as Delivery from "../../domain/Delivery.ts"
import type { LoggedDelivery } from "../../domain/Delivery.ts"
import { MINUTE } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Conflict } from "../../ports/Storage.ts"
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

const isLeaseLost = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return error instanceof Conflict && error.on === "lease"
}

/** What came of a delivery whose outcome was not stored. */
const outcomeOf = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return "handed_back"
  return isLeaseLost(cause) ? "lost" : "failed"
}

/** What hands a delivery to a handler, stores the outcome and counts it. */
export const make = Effect.gen(function* () {
  const clock = yield* BusinessClock
  const commits = yield* Commits
  const ids = yield* Ids

  const settle = Effect.fnUntraced(function* (
    { delivery }: LoggedDelivery,
    token: string,
    attempt: Delivery.Attempt,
    began: number
  ) {
    const durationMillis = Math.max(0, Math.round((yield* MachineClock.currentTimeMillis) - began))
    const now = yield* clock.now
    const after = Delivery.attempted(delivery, attempt, now, Delivery.isDone(attempt) ? 0 : yield* ids.fraction)
    const logged = Delivery.logged(after, attempt, now, durationMillis)
    yield* commits.write({ deliveries: { settled: [{ delivery: after, token, attempt: logged }] } })
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
    const began = yield* MachineClock.currentTimeMillis
    const handled = Effect.andThen(
      call(handler, due),
      Effect.suspend(() => settle(due, token, { _tag: "Handled" }, began))
    )
    const { transaction } = handler
    const exit = yield* Effect.exit(transaction === null ? handled : transaction(handled))
    if (Exit.isSuccess(exit)) return "handled"
    const { cause } = exit
    // Interrupted by a stop, it is handed back; settled by another process, it is that one's.
    if (Cause.hasInterruptsOnly(cause)) return "handed_back"
    if (isLeaseLost(cause)) return "lost"
    const after = yield* settle(due, token, { _tag: "Threw", message: messageOf(cause) }, began)
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
