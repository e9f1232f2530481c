/**
 * A process that serves: its signals, and its logs on stderr.
 *
 * The first SIGINT or SIGTERM stops the process gracefully; a second one, or the deadline, ends it
 * at once. At a SIGHUP settings are read again. Logs are readable lines on a terminal, JSON lines
 * elsewhere; secrets are removed from every line.
 */
import { Effect, Layer, Logger, Queue, type Scope } from "effect"
import * as Output from "../output/Output.ts"
import * as Secrets from "../settings/Secrets.ts"
import * as Start from "../Start.ts"

/**
 * How long a graceful stop may take, in milliseconds. Work that is not done by then is durable and
 * continues later.
 */
const DEADLINE = 9_000

// Under `npm start`, Ctrl-C arrives twice: from the terminal and from npm. A repetition within this
// time is ignored.
const REPEATED = 250

/** Ends with the first signal. The deadline begins then. */
const first: Effect.Effect<NodeJS.Signals> = Effect.callback((resume) => {
  let since: number | null = null
  const onSignal = (signal: "SIGINT" | "SIGTERM") => (): void => {
    const now = performance.now()
    if (since !== null) {
      if (now - since > REPEATED) process.exit(Start.signalCodes[signal])
      return
    }
    since = now
    setTimeout(() => process.exit(0), DEADLINE).unref()
    resume(Effect.succeed(signal))
  }
  process.on("SIGINT", onSignal("SIGINT"))
  process.on("SIGTERM", onSignal("SIGTERM"))
  Start.leaveSignals()
})

/** Starts a server, and stops it with the first signal. */
export const serve = <E, R>(start: Effect.Effect<void, E, R | Scope.Scope>) =>
  Effect.raceFirst(
    Effect.scoped(Effect.andThen(start, Effect.never)),
    Effect.flatMap(first, (signal) => Effect.logInfo("stopping", { signal }))
  )

/**
 * Runs something within the event of each SIGINT and SIGTERM, before anything else is read, as long
 * as the scope is open.
 */
export const onStop = (leave: Effect.Effect<void>): Effect.Effect<void, never, Scope.Scope> => {
  const listener = (): void => Effect.runSync(leave)
  return Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => process.on("SIGINT", listener).on("SIGTERM", listener)),
      () => Effect.sync(() => process.off("SIGINT", listener).off("SIGTERM", listener))
    )
  )
}

/**
 * Does it at each SIGHUP as long as the scope is open; several that come meanwhile are one. Without
 * this a SIGHUP ends the process.
 */
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

const write = (line: string): void => void process.stderr.write(`${Output.safe(Secrets.redact(line))}\n`)

const time = (date: Date): string => date.toTimeString().slice(0, 8)

const forPeople = Logger.map(Logger.formatStructured, (entry) => {
  const message = Array.isArray(entry.message) ? entry.message.map(Output.text).join(" ") : Output.text(entry.message)
  const details = Object.entries(entry.annotations).map(([name, value]) => ` ${name}=${Output.text(value)}`)
  const cause = entry.cause === undefined ? "" : `\n${entry.cause}`
  write(`${time(new Date(entry.timestamp))} ${entry.level.padEnd(5)} ${message}${details.join("")}${cause}`)
})

const forMachines = Logger.map(Logger.formatJson, write)

/** The logger for stderr. */
export const logs: Layer.Layer<never> = Layer.unwrap(
  Effect.sync(() => Logger.layer([process.stderr.isTTY === true ? forPeople : forMachines]))
)
