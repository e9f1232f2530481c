/**
 * A table that is a queue: which of its rows wait, and which of these nobody holds.
 */
import type { Fragment } from "effect/sql/Statement"
import type { Jobs } from "simplan/ports"
import type { Sql } from "../database/Database.ts"

/**
 * The columns of a table that is a queue; it has an index by due time and id, and one that the
 * partition leads.
 */
export interface Queue {
  readonly table: string
  readonly partition: string
  readonly dueAt: string
  readonly id: string
  /** Which rows wait at all; both indexes are for these. */
  readonly waits: string
  /** What of it a claim asks again of a row that it has chosen by its key; all, if it is absent. */
  readonly stillWaits?: string
  /**
   * Whether the database has functions that go over the partitions, whatever it believes of how
   * many rows wait.
   */
  readonly hasFunctions?: true
}

/** Whether nobody holds the row. */
export const isFree = (sql: Sql, { table }: Queue, machineNow: number): Fragment =>
  sql`(${sql.literal(table)}.lease_until is null or ${sql.literal(table)}.lease_until <= ${machineNow}::bigint)`

/** At the place or after it. */
export const notBefore = (sql: Sql, { dueAt, id }: Queue, from: Jobs.Place | undefined): Fragment =>
  from === undefined
    ? sql.literal("")
    : sql`and (${sql.literal(dueAt)}, ${sql.literal(id)}) >= (${from.dueAt}::bigint, ${from.id}::text)`
