/**
 * Handlers of health, readiness and metrics of the process.
 *
 * Metrics are in the text format of Prometheus. With all routes and statuses there are thousands of
 * series, which take 0.1 s to format. So they are formatted a few in a turn of the event loop
 * (rule W13), and once for all who ask meanwhile. An answer has all that was counted before its
 * request came.
 */
import { Effect, Context, Metric, Semaphore } from "effect"
import { HttpServerResponse } from "effect/http"
import { Health } from "simplan"
import * as SystemApi from "../api/SystemApi.ts"
import * as Endpoints from "../Endpoints.ts"
import * as Auth from "../middleware/Auth.ts"
import type * as RateLimit from "../middleware/RateLimit.ts"
import * as Errors from "../wire/Errors.ts"
// Not by the group, which has a module with `import.meta`: `examples/modules.md`, Jest.
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Turns from "../Turns.ts"

/** How many metrics are formatted in a turn. One histogram takes 0.1 ms. */
const PIECE = 24

const HEADING = /^# (?:HELP|TYPE) \w+/

/**
 * Formats the metrics of the fiber's registry. `prefix` comes before each name, with an underscore
 * between.
 */
export const format = Effect.fnUntraced(function* (prefix?: string): Effect.fn.Return<string> {
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
    const within = Context.add(context, Metric.MetricRegistry, piece)
    const lines = PrometheusMetrics.formatUnsafe(within, { prefix }).split("\n")
    text += lines.filter(isNew).join("\n")
  }
  return text
})

/**
 * Runs something once for all who ask before it begins. Who asks while it runs waits for the next
 * run.
 */
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

const up = { status: "ok" } as const

const notReady = new Errors.Problem({ code: "not_ready", message: "The service is starting or stopping" })
const outOfReach = new Errors.Problem({
  code: "storage_unavailable",
  message: "The storage is out of reach, or takes no writes"
})

/** What the metrics cost an address, in requests. */
const COST_OF_METRICS = 10

/**
 * `ready` says whether the process takes requests; readiness needs the storage as well. `limited`:
 * the limit of the client's address. `metricsPrefix` comes before the names of metrics.
 */
export const make = (ready: Effect.Effect<boolean>, limited: RateLimit.AddressLimit, metricsPrefix?: string) =>
  Effect.gen(function* () {
    const probe = yield* Health.StorageProbe
    const queues = yield* Health.QueueDepth
    const metrics = shared(Effect.andThen(queues.measure, format(metricsPrefix)))

    const storageServes = probe.check.pipe(
      Effect.mapError(() => outOfReach),
      Effect.timeoutOrElse({ duration: "800 millis", orElse: () => outOfReach })
    )

    return Endpoints.group(SystemApi.SystemApi, Auth.anybody, {
      health: () => Effect.succeed(up),
      readiness: Effect.fnUntraced(function* () {
        if (!(yield* ready)) return yield* notReady
        const { deadServers } = yield* storageServes
        return { ...up, dead_servers: deadServers }
      }),
      metrics: () =>
        limited(
          Effect.map(metrics, (text) =>
            HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
          ),
          COST_OF_METRICS
        )
    })
  })
