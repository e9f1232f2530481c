/**
 * The metrics of an SMSC. `telco` is its name in the settings; the other labels are from short lists.
 */
import { type Effect, Metric } from "effect"

const counter = (name: string, description: string, attributes: Record<string, string>): Effect.Effect<void> =>
  Metric.update(Metric.counter(name, { description, attributes, incremental: true }), 1)

/** What came of a segment that was submitted. */
export const segment = (
  telco: string,
  outcome: "accepted" | "throttled" | "not_done" | "refused" | "unknown"
): Effect.Effect<void> =>
  counter("simplan_smpp_segments_total", "Segments of messages that were submitted to an SMSC, by what came of it", {
    telco,
    outcome
  })

/** What became of a connection. */
export const connection = (telco: string, event: "bound" | "failed" | "lost"): Effect.Effect<void> =>
  counter("simplan_smpp_connections_total", "Connections to an SMSC: bound, failed before they were, lost after it", {
    telco,
    event
  })

export const bound = (telco: string, isBound: boolean): Effect.Effect<void> =>
  Metric.update(
    Metric.gauge("simplan_smpp_bound", { description: "Whether the SMSC can be sent to", attributes: { telco } }),
    isBound ? 1 : 0
  )

/** A delivery receipt, by its state in lower case. */
export const receipt = (telco: string, state: string): Effect.Effect<void> =>
  counter("simplan_smpp_receipts_total", "Delivery receipts of an SMSC, by the state that they report", {
    telco,
    state
  })
