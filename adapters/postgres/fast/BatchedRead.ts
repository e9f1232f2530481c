/**
 * Reads of one thing by its key. Under load one statement answers the reads of several callers. If that statement fails,
 * each question is asked by itself, so one that cannot be answered fails no other (rule W9).
 */
import { Effect, Exit } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
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

/** How many questions of a failed group are asked at once. */
const APART = 4

/**
 * A read that returns null if nothing has that key. `same` names a question: callers with questions of the same name
 * share one answer.
 */
export const make = <Asked extends object, A>(
  database: Database,
  statement: Statement<Asked, A>,
  same?: (asked: Asked) => string
): ((of: Asked) => Effect.Effect<A | null, Storage.StorageError>) => {
  const answers = (questions: ReadonlyArray<Placed<Asked>>, rows: Database["rows"]) =>
    Effect.map(
      rows((sql) => statement(sql, questions)),
      (found): ReadonlyArray<A | null> => {
        const answered = new Map(found.map(({ at, found }) => [at, found]))
        return questions.map(({ at }) => answered.get(at) ?? null)
      }
    )
  const answer = (question: Placed<Asked>, rows: Database["rows"]) =>
    Effect.map(answers([question], rows), ([found]) => found ?? null)

  const together = (asked: ReadonlyArray<Asked>) => {
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
    const apart = Effect.forEach(questions, (one) => Effect.exit(answer(one, database.rowsAlone)), {
      concurrency: APART
    })
    const exits = Effect.flatMap(Batcher.exits(questions, answers(questions, database.rows)), (all) =>
      questions.length > 1 && all.some(Exit.isFailure) ? apart : Effect.succeed(all)
    )
    return Effect.map(exits, (all) => placed.map((at) => all[at] ?? Exit.succeed(null)))
  }
  const readOne = (of: Asked) => answer({ ...of, at: 0 }, database.rows)
  if (!database.fastPaths.batchedReads) return readOne
  const grouped = Batcher.make<Asked, A | null, Storage.StorageError>({
    parallel: PARALLEL,
    limit: LIMIT,
    context: database.context,
    run: together
  })
  return (of) => Effect.flatMap(database.inTransaction, (joined) => (joined ? readOne(of) : grouped(of)))
}
