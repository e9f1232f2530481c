/**
 * The parts that a commit's statement is made of.
 *
 * A part is a list of CTEs and an expression over them. The commit is `with <all CTEs> select <all expressions>`: the
 * expressions are evaluated from left to right, so that every commit locks its tables in the same order, and one whose
 * guard fails raises, which undoes the whole statement. Rows are handed in as one JSON array per part, with the
 * domain's names: the text of a statement depends on nothing but the parts it has, and stays prepared.
 */
import type { Fragment } from "effect/unstable/sql/Statement"
import type { Sql } from "./Database.ts"

export interface Part {
  readonly ctes: ReadonlyArray<Fragment>
  readonly outcome: Fragment
}

/**
 * The values as rows of these columns, `r`, in the order given. The planner takes them for one, however many they are:
 * what is joined to them is looked up by its key, and the plan is the same for any parameters, so that it is made once.
 */
export const rows = (sql: Sql, values: ReadonlyArray<unknown>, columns: string): Fragment =>
  sql`(
    select r.*
    from simplan.rows(${JSON.stringify(values)}::json) as item, json_to_record(item) as r(${sql.literal(columns)})
  ) r`

/** The values likewise, but with a plan for as many as they are: for joining thousands of them with each other. */
export const manyRows = (sql: Sql, values: ReadonlyArray<unknown>, columns: string): Fragment =>
  sql`(
    select * from json_to_recordset(${JSON.stringify(values)}::json) as r(${sql.literal(columns)})
    limit ${values.length}::int
  ) r`

/** The texts as rows of one column, `r.text`. */
export const texts = (sql: Sql, values: ReadonlyArray<string>): Fragment =>
  sql`(
    select * from json_array_elements_text(${JSON.stringify(values)}::json) as r(text) limit ${values.length}::int
  ) r`
