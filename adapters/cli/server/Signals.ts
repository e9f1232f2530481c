/**
 * SIGINT and SIGTERM: the first signal stops the process gracefully; a second one, or the deadline, ends it at once. SIGHUP:
 * settings are read again.
 */
import { Effect, Queue, type Scope } from "effect"
import * as StartSignals from "./StartSignals.ts"

/** How long a graceful stop may take, in milliseconds. Work that is not done by then is durable and continues later. */
const DEADLINE = 9_000

// Under `npm start`, Ctrl-C arrives twice: from the terminal and from npm. A repetition within this time is ignored.
const REPEATED = 250

/** Ends with the first signal. The deadline begins then. */
const first: Effect.Effect<NodeJS.Signals> = Effect.callback((resume) => {
  let since: number | null = null
  const onSignal = (signal: "SIGINT" | "SIGTERM") => (): void => {
    const now = performance.now()
    if (since !== null) {
      if (now - since > REPEATED) process.exit(StartSignals.codes[signal])
      return
    }
    since = now
    setTimeout(() => process.exit(0), DEADLINE).unref()
    resume(Effect.succeed(signal))
  }
  process.on("SIGINT", onSignal("SIGINT"))
  process.on("SIGTERM", onSignal("SIGTERM"))
  StartSignals.end()
})

/** Starts a server, and stops it with the first signal. */
export const serve = <E, R>(start: Effect.Effect<void, E, R | Scope.Scope>) =>
  Effect.raceFirst(
    Effect.scoped(Effect.andThen(start, Effect.never)),
    Effect.flatMap(first, (signal) => Effect.logInfo("stopping", { signal }))
  )

/** Does it at each SIGHUP as long as the scope is open; several that come meanwhile are one. Without this a SIGHUP ends the process. */
export const onHangup = <R>(reload: Effect.Effect<void, never, R>): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const signals = yield* Queue.sliding<void>(1)
    const listener = (): void => void Queue.offerUnsafe(signals, undefined)
    yield* Effect.acquireRelease(
      Effect.sync(() => process.on("SIGHUP", listener)),
      () => Effect.sync(() => process.off("SIGHUP", listener))
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(signals), reload)))
  })
