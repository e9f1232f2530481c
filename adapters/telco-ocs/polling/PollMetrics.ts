/**
 * The metrics of looks at SIMs: how many there were by outcome, and how late they were. Labels are names of telcos and
 * outcomes, never ids.
 */
import { type Effect, Metric } from "effect"

/** From a second to a day. */
const BOUNDARIES = [1, 5, 15, 30, 60, 150, 300, 600, 900, 1_800, 3_600, 21_600, 86_400]

export type Outcome = "reported" | "nothing_new" | "failed"

export interface PollMetrics {
  readonly outcome: (outcome: Outcome) => Effect.Effect<void>
  /** Milliseconds from when a look was due to when it began. */
  readonly lateness: (millis: number) => Effect.Effect<void>
}

export const make = (telco: string): PollMetrics => {
  const counter = (outcome: Outcome) =>
    Metric.counter("simplan_telco_polls_total", {
      description: "Looks at SIMs at the telco, by what came of them",
      attributes: { telco, outcome },
      incremental: true
    })
  const counters = { reported: counter("reported"), nothing_new: counter("nothing_new"), failed: counter("failed") }
  const lateness = Metric.histogram("simplan_telco_poll_lateness_seconds", {
    description: "Time from when a look at a SIM was due to when it began",
    attributes: { telco },
    boundaries: BOUNDARIES
  })
  return {
    outcome: (outcome) => Metric.update(counters[outcome], 1),
    lateness: (millis) => Metric.update(lateness, Math.max(0, millis) / 1_000)
  }
}
