/**
 * The parts that a commit's statement is made of.
 *
 * A part is a list of CTEs and an expression over them. The commit is `with <all CTEs> select <all expressions>`: the
 * expressions are evaluated from left to right, so that every commit locks its tables in the same order, and one whose
 * guard fails raises, which undoes the whole statement. Rows are handed in as one JSON array per CTE, with the domain's
 * names: the text of a statement depends on nothing but the parts it has, and stays prepared.
 */
import type { Fragment } from "effect/unstable/sql/Statement"

export interface Part {
  readonly ctes: ReadonlyArray<Fragment>
  readonly outcome: Fragment
}

/** What `json_to_recordset` reads. */
export const json = (rows: unknown): string => JSON.stringify(rows)
