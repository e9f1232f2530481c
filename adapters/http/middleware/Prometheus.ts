/**
 * The metrics of the process in the text format of Prometheus.
 *
 * With all routes and statuses there are thousands of series, which take 0.1 s to format. So they are formatted a few in a
 * turn of the event loop (rule W13), and once for all who ask meanwhile. An answer has all that was counted before its
 * request came.
 */
import { Context, Effect, Metric, Semaphore } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as Turns from "../Turns.ts"

/** How many metrics are formatted in a turn. One histogram takes 0.1 ms. */
const PIECE = 24

const HEADING = /^# (?:HELP|TYPE) \w+/

/** Formats the metrics of the fiber's registry. */
export const format: Effect.Effect<string> = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  // The series of a name stand together in the format.
  const registered = [...Context.get(context, Metric.MetricRegistry)].toSorted(([, a], [, b]) =>
    a.id < b.id ? -1 : a.id > b.id ? 1 : 0
  )
  const described = new Set<string>()
  const isNew = (line: string): boolean => {
    const [heading] = HEADING.exec(line) ?? []
    if (heading === undefined) return true
    const isFirst = !described.has(heading)
    described.add(heading)
    return isFirst
  }
  let text = ""
  for (let at = 0; at < registered.length; at += PIECE) {
    yield* Turns.piece
    const piece = new Map(registered.slice(at, at + PIECE))
    const lines = PrometheusMetrics.formatUnsafe(Context.add(context, Metric.MetricRegistry, piece)).split("\n")
    text += lines.filter(isNew).join("\n")
  }
  return text
})

/** Runs something once for all who ask before it begins. Who asks while it runs waits for the next run. */
export const shared = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  let begun = 0
  let last: { readonly number: number; readonly value: A } | undefined
  return Effect.suspend(() => {
    const before = begun
    const next = Effect.suspend(() => {
      if (last !== undefined && last.number > before) return Effect.succeed(last.value)
      begun += 1
      return Effect.tap(run, (value) =>
        Effect.sync(() => {
          last = { number: begun, value }
        })
      )
    })
    return oneAtATime.withPermit(next)
  })
}
