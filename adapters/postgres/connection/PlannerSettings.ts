/**
 * The planner's settings on the connection for reads, where simplan opens that connection itself.
 *
 * PostgreSQL keeps the plan of a prepared statement until its tables have new statistics. A plan that was made while a
 * table was empty may read that table as a whole, and goes on doing so while thousands of rows are added. Every read of a
 * table that grows has an index to use, so `enable_seqscan` is off. The few small tables without one are read as a whole
 * all the same. Servers before version 18 take such a read for so expensive that they would compile it, so `jit` is off.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect } from "effect"
import * as Failure from "./Failure.ts"

export const values = { enable_seqscan: "off", jit: "off" } as const

/** The settings, for connections that begin with them; none where a connection is refused because of them. */
export const accepted = (config: PgConnection.Config) =>
  PgConnection.make({ ...config, startupParameters: values }).pipe(
    Effect.scoped,
    Effect.as(values),
    Effect.catch((error) =>
      Failure.isProtocolRefused(error)
        ? Effect.as(
            Effect.logInfo("the connection for reads goes without the planner's settings: they are refused"),
            undefined
          )
        : Effect.succeed(values)
    )
  )
