/**
 * How busy the connections are. The SQL client's pool has no metrics, so the statements under way are counted: if there
 * are more statements than connections, the others wait.
 */
import { Context, Clock, Effect, Metric } from "effect"

export type Pool = "reads" | "writes"

const BOUNDARIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const connections = (pool: Pool) =>
  Metric.gauge("simplan_database_connections_max", {
    description: "How many connections there may be; one for reads carries many statements at once",
    attributes: { pool }
  })

/** Records how many connections a pool may have. */
export const recordConnections = (pool: Pool, max: number): Effect.Effect<void> => Metric.update(connections(pool), max)

/** Measures statements, the wait for a connection included. */
export const measured = (pool: Pool): (<A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
  const attributes = { pool }
  const underWay = Metric.gauge("simplan_database_statements_under_way", {
    description: "Statements that use a connection or wait for one",
    attributes
  })
  const duration = Metric.histogram("simplan_database_statement_duration_seconds", {
    description: "Time that a statement took, the wait for a connection included",
    attributes,
    boundaries: BOUNDARIES
  })
  let count = 0
  return (statement) =>
    Effect.withFiber((fiber) => {
      const { context } = fiber
      const clock = Context.get(context, Clock.Clock)
      const start = clock.monotonicTimeNanosUnsafe()
      count += 1
      underWay.updateUnsafe(count, context)
      return Effect.onExitPrimitive(statement, () => {
        count -= 1
        underWay.updateUnsafe(count, context)
        duration.updateUnsafe(Number(clock.monotonicTimeNanosUnsafe() - start) / 1e9, context)
        return undefined
      })
    })
}
