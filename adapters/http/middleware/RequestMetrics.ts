/**
 * Metrics of requests: counts and latencies by method, route and status, in Effect's metric registry, and the registry in
 * the text format of Prometheus. Labels are route patterns and never paths, so they contain no ids and no keys.
 */
import { type Context, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"

const BOUNDARIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Records one answered request. */
export type Record = (status: number, seconds: number, context: Context.Context<never>) => void

/** A recorder for a route. It makes the series of a status when the status first occurs, and keeps them. */
export const recorder = (method: string, route: string): Record => {
  const byStatus = new Map<number, Record>()
  const series = (status: number): Record => {
    const attributes = { method, route, status: String(status) }
    const count = Metric.counter("http_requests_total", {
      description: "HTTP requests that were answered",
      attributes,
      incremental: true
    })
    const latency = Metric.histogram("http_request_duration_seconds", {
      description: "Time from a request's arrival to the head of its answer",
      attributes,
      boundaries: BOUNDARIES
    })
    return (_, seconds, context) => {
      count.updateUnsafe(1, context)
      latency.updateUnsafe(seconds, context)
    }
  }
  return (status, seconds, context) => {
    let record = byStatus.get(status)
    if (record === undefined) {
      record = series(status)
      byStatus.set(status, record)
    }
    record(status, seconds, context)
  }
}

/** The registry in the text format of Prometheus. */
export const text = PrometheusMetrics.format()
