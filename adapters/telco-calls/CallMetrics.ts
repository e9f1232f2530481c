/**
 * The metrics of the calls of one telco. Labels are the telco's name in the settings, operations and outcomes.
 */
import { Metric } from "effect"
import type { Outcome } from "./CallFailure.ts"
import type { State } from "./CircuitBreaker.ts"

/** What became of a call. `held_back`: it was not made, because there were too many or the circuit breaker is open. */
export type Result = "done" | "refused" | "not_found" | "not_done" | "unknown" | "held_back" | "interrupted"

const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const results: Readonly<Record<Outcome, Result>> = {
  Refused: "refused",
  NotFound: "not_found",
  NotDone: "not_done",
  Unknown: "unknown"
}

export const resultOf = (outcome: Outcome): Result => results[outcome]

const states: Readonly<Record<State["_tag"], number>> = { Closed: 0, HalfOpen: 1, Open: 2 }

/** The series of a telco. */
export const make = (telco: string) => {
  const waiting = Metric.gauge("simplan_telco_requests_waiting", {
    description: "Requests to a telco's system that wait for their turn",
    attributes: { telco }
  })
  const breaker = Metric.gauge("simplan_telco_circuit_breaker_state", {
    description: "0 while a telco's system is called, 1 while one request tries it, 2 while it is not called",
    attributes: { telco }
  })
  return {
    count: (operation: string, outcome: Result) =>
      Metric.update(
        Metric.counter("simplan_telco_requests_total", {
          description: "Requests to a telco's system, by what came of it",
          attributes: { telco, operation, outcome },
          incremental: true
        }),
        1
      ),
    duration: (operation: string, seconds: number) =>
      Metric.update(
        Metric.histogram("simplan_telco_request_duration_seconds", {
          description: "Time from a request to a telco's system to its answer, or to when it was given up",
          attributes: { telco, operation },
          boundaries: BOUNDARIES
        }),
        seconds
      ),
    waiting: (count: number) => Metric.update(waiting, count),
    breaker: (state: State) => Metric.update(breaker, states[state._tag])
  }
}
