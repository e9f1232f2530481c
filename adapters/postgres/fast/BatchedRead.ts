/**
 * Reads of one thing by its key. Under load one statement answers the reads of several callers.
 */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../connection/Database.ts"
import * as Batcher from "./Batcher.ts"
import * as CommitClause from "../sql/CommitClause.ts"

/** What was found for the question with this number. */
export interface Found<A> {
  readonly at: number
  readonly found: A
}

/** A question with its number, which the statement returns with the answer. */
export type Placed<Asked> = Asked & { readonly at: number }

/** What is looked up by its SIM. */
export interface OfSim {
  readonly organizationId: string
  readonly iccid: string
}

export const ofSim = CommitClause.columns<Placed<OfSim>>({ integer: ["at"], text: ["organizationId", "iccid"] })

type Statement<Asked, A> = (
  sql: Sql,
  asked: ReadonlyArray<Placed<Asked>>
) => Effect.Effect<ReadonlyArray<Row<Found<A>>>, SqlError>

const PARALLEL = 1
const LIMIT = 100

/**
 * A read that returns null if nothing has that key. `same` names a question: callers with questions of the same name
 * share one answer.
 */
export const make = <Asked extends object, A>(
  database: Database,
  statement: Statement<Asked, A>,
  same?: (asked: Asked) => string
): ((of: Asked) => Effect.Effect<A | null, Storage.StorageError>) => {
  const read = (asked: ReadonlyArray<Asked>) => {
    const places = new Map<string, number>()
    const questions: Array<Placed<Asked>> = []
    const placeOf = (one: Asked): number => {
      const name = same?.(one)
      const known = name === undefined ? undefined : places.get(name)
      if (known !== undefined) return known
      const at = questions.length
      questions.push({ ...one, at })
      if (name !== undefined) places.set(name, at)
      return at
    }
    const placed = asked.map(placeOf)
    return Effect.map(
      database.rows((sql) => statement(sql, questions)),
      (rows): ReadonlyArray<A | null> => {
        const answers = new Map(rows.map(({ at, found }) => [at, found]))
        return placed.map((at) => answers.get(at) ?? null)
      }
    )
  }
  const readOne = (of: Asked) => Effect.map(read([of]), ([found]) => found ?? null)
  if (!database.fastPaths.batchedReads) return readOne
  const grouped = Batcher.make<Asked, A | null, Storage.StorageError>({
    parallel: PARALLEL,
    limit: LIMIT,
    context: database.context,
    run: (asked) => Batcher.exits(asked, read(asked))
  })
  return (of) => Effect.flatMap(database.inTransaction, (joined) => (joined ? readOne(of) : grouped(of)))
}
