/**
 * Keeps the tables that are partitioned by time: drops partitions that are past their time, and
 * makes those of now, in steps of a transaction each. The functions of the database say what a step
 * is.
 */
import { Effect } from "effect"
import type { Storage } from "simplan/ports"
import type { Database, Row } from "../database/Database.ts"

type Step = "more" | "done" | "busy"

/**
 * How often a step is tried that found its table in use for long, and the pause before, in
 * milliseconds.
 */
const TRIES = 5
const PAUSE = 1_000

type Kept = "audit entries" | "reports" | "usage"

const step = (
  database: Database,
  kept: Kept,
  { before, now }: { readonly before: number; readonly now: number }
): Effect.Effect<Step, Storage.StorageError> =>
  Effect.map(
    database.write(
      (sql) => sql<Row<Step>>`
        select to_json(simplan.keep_partitions(${kept}, ${before}::bigint, ${now}::bigint))::text as value`
    ),
    ([found = "done"]) => found
  )

/** What is not done, because the table is in use for long by others, the next call does. */
export const keep = (database: Database, kept: Kept) =>
  Effect.fnUntraced(function* (older: { readonly before: number; readonly now: number }) {
    let tries = 0
    while (tries < TRIES) {
      const found = yield* step(database, kept, older)
      if (found === "done") return
      if (found === "busy") {
        tries += 1
        yield* Effect.sleep(PAUSE)
      }
    }
    yield* Effect.logInfo(`Partitions of ${kept} are kept later: a transaction uses them for long`)
  })
