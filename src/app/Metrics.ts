/**
 * The core's metrics, in Effect's metric registry: jobs, deliveries, telco calls and reports.
 *
 * Labels are kinds and outcomes, and the names that a host gives its handlers of events; never ids
 * or texts from outside. So there are few series, and none holds a secret.
 */
import { Clock as MachineClock, Context, Effect, type Exit, Metric, Tracer } from "effect"

/** From a millisecond to the 15 s that a webhook may take, and beyond for what waited. */
const BOUNDARIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Adds to a series. The fiber's context has the registry. */
type Add = (value: number, context: Context.Context<never>) => void

const series = <Names extends ReadonlyArray<string>>(
  names: Names,
  make: (attributes: Record<string, string>) => Metric.Metric<number, unknown>
): ((labels: { readonly [Name in Names[number]]: string }) => Add) => {
  const made = new Map<string, Add>()
  return (labels: Readonly<Record<string, string>>) => {
    let key = ""
    for (const name of names) key += `${labels[name]} `
    let add = made.get(key)
    if (add === undefined) {
      const metric = make({ ...labels })
      add = (value, context) => metric.updateUnsafe(value, context)
      made.set(key, add)
    }
    return add
  }
}

const counter = <const Names extends ReadonlyArray<string>>(name: string, description: string, names: Names) =>
  series(names, (attributes) => Metric.counter(name, { description, attributes, incremental: true }))

const histogram = <const Names extends ReadonlyArray<string>>(name: string, description: string, names: Names) =>
  series(names, (attributes) => Metric.histogram(name, { description, attributes, boundaries: BOUNDARIES }))

export const jobs = counter("simplan_jobs_total", "Jobs that were tried, by what came of it", ["kind", "outcome"])

export const jobDuration = histogram("simplan_job_duration_seconds", "Time that one try of a job took", ["kind"])

export const lateness = histogram(
  "simplan_queue_lateness_seconds",
  "Time from when a job or delivery was due to when it was claimed",
  ["queue"]
)

export const deliveries = counter(
  "simplan_deliveries_total",
  "Webhook deliveries that were tried, by type of event and what came of it",
  ["type", "outcome"]
)

export const handledEvents = counter(
  "simplan_handler_events_total",
  "Events that were given to handlers of this process, by handler and what came of it",
  ["handler", "outcome"]
)

export const deliveryDuration = histogram(
  "simplan_delivery_duration_seconds",
  "Time that one webhook call took, by the class of the receiver's answer",
  ["answer"]
)

export const telcoCalls = counter("simplan_telco_calls_total", "Calls to the telco, by what came of it", [
  "operation",
  "outcome"
])

export const telcoCallDuration = histogram(
  "simplan_telco_call_duration_seconds",
  "Time from a call to the telco to its answer, or to when it was given up",
  ["operation"]
)

export const reports = counter("simplan_telco_reports_total", "Reports of the telco, by what came of it", ["outcome"])

/** Runs an effect, and passes its exit and its duration in seconds of machine time to `record`. */
export const timed = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  record: (exit: Exit.Exit<A, E>, seconds: number, context: Context.Context<never>) => void
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const { context } = fiber
    const clock = Context.get(context, MachineClock.Clock)
    const start = clock.monotonicTimeNanosUnsafe()
    return Effect.onExitPrimitive(effect, (exit) => {
      record(exit, Number(clock.monotonicTimeNanosUnsafe() - start) / 1e9, context)
      return undefined
    })
  })

/** Records metrics from within an effect. */
export const observe = (measure: (context: Context.Context<never>) => void): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    measure(fiber.context)
    return Effect.void
  })

/** Records how late work was claimed that was due at these instants of business time. */
export const recordLateness = (queue: "jobs" | "deliveries", dueAt: ReadonlyArray<number>, now: number) =>
  observe((context) => {
    for (const at of dueAt) lateness({ queue })(Math.max(0, now - at) / 1000, context)
  })

/** Runs an effect in a span, if a tracer is set. */
export const traced = <A, E>(
  name: string,
  options: Tracer.SpanOptionsNoTrace,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) =>
    Context.get(fiber.context, Tracer.Tracer) === Tracer.nativeTracer ? effect : Effect.withSpan(effect, name, options)
  )
