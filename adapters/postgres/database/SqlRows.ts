/** What statements are sent over, and the rows that they give. */
import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

export type Sql = SqlClient.SqlClient

/** The text of a JSON value. */
export type Json<A> = string & { readonly "~json"?: A }

/**
 * A row of a result: one JSON value, made in SQL and shaped as the domain has it. JSON carries
 * every text and every whole number of JavaScript exactly. It comes as text
 * (`select (…)::text as value`), because the host may have configured its client to read JSON in
 * another way. A host's client that may change texts instead reads the same value as `json`.
 */
export interface Row<A> {
  readonly value: Json<A> | null
}

/** A statement that gives such rows. */
export type Query<A> = (sql: Sql) => Effect.Effect<ReadonlyArray<Row<A>>, SqlError>
