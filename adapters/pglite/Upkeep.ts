/**
 * What a server does by itself and PGlite does not: give back the room of rows that are gone, and learn how many there
 * are. Jobs come and go without end, so a directory would grow without end.
 */
import { Effect, Schedule } from "effect"
import type { SqlClient } from "effect/sql"

// Nothing waits for it to succeed: the next time will do.
const once = (sql: SqlClient.SqlClient) => Effect.ignore(sql`vacuum analyze`.unprepared)

/** Does it now, and again every hour until the scope ends. It is short: only what has changed is looked at. */
export const run = (sql: SqlClient.SqlClient) =>
  Effect.andThen(once(sql), Effect.forkScoped(Effect.repeat(Effect.delay(once(sql), "1 hour"), Schedule.forever)))
