/**
 * SIGINT and SIGTERM: the first asks the process to stop, a second one ends it at once, and so does the deadline.
 */
import { Effect } from "effect"

/** How long stopping may take: what is not done by then is durable, and goes on at the next start. */
const DEADLINE = 9_000

// Ctrl-C under `npm start` arrives twice, from the terminal and from npm.
const SAME = 250

const codes = { SIGINT: 130, SIGTERM: 143 } as const

type Signal = keyof typeof codes

/** Ends with the first signal that the process gets. From then on the deadline runs. */
export const first: Effect.Effect<Signal> = Effect.callback((resume) => {
  let since: number | null = null
  const onSignal = (signal: NodeJS.Signals): void => {
    if (signal !== "SIGINT" && signal !== "SIGTERM") return
    const now = performance.now()
    if (since !== null) {
      if (now - since > SAME) process.exit(codes[signal])
      return
    }
    since = now
    setTimeout(() => process.exit(0), DEADLINE).unref()
    resume(Effect.succeed(signal))
  }
  process.on("SIGINT", onSignal)
  process.on("SIGTERM", onSignal)
})
