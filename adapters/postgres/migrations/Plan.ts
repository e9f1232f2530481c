/**
 * What the migrations that a schema has not had will do to it: which tables they lock against whom,
 * and for how long.
 *
 * What a step does is read from its data. A test holds it against the locks and the files of a
 * database that runs it. The time is computed from the database's statistics, at the rates that
 * were measured.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { DatabaseSchema } from "../database/DatabaseSchema.ts"
import * as Migrations from "./Migrations.ts"
import * as Step from "./Step.ts"

/** A step with what the database says of its tables. */
export interface Estimate extends Step.Impact {
  /** How many rows its tables have. */
  readonly rows: number
  /** How large they are, with their indexes. */
  readonly bytes: number
  /** How long it takes. */
  readonly seconds: number
  /** How long the table is blocked: until the migration ends. */
  readonly blockedSeconds: number
}

/** A migration that the schema has not had. */
export interface Pending {
  /** Its place among the migrations, from 1. */
  readonly number: number
  /** Such as `releasing_sims`. */
  readonly name: string
  /** What each of its steps does, in their order. */
  readonly steps: ReadonlyArray<Estimate>
}

/**
 * Seconds for a row, as they were measured on 1,000,000 SIMs: PostgreSQL 18 on two cores of a
 * virtual machine that had other work as well, everything in memory. The dearest of each kind.
 */
const rates: { readonly [Kind in Step.Work]: number } = {
  none: 0,
  index: 7e-6,
  "online index": 14e-6,
  "folded index": 21e-6,
  scan: 2e-6,
  copy: 11e-6
}

interface Size {
  readonly table: string
  readonly rows: number
  readonly bytes: number
  /** Without indexes; 0 for a partitioned table. */
  readonly ownBytes: number
}

/**
 * Of partitioned tables: what their partitions have. Tables that were never analyzed count by their
 * pages.
 */
const sizes = (sql: SqlClient.SqlClient, { quoted }: DatabaseSchema) =>
  Effect.map(
    sql<Size>`
      select t.relname::text as table, sum(case when part.reltuples < 0
          then pg_relation_size(part.oid) / 200 else part.reltuples end)::float8 as rows,
        sum(pg_total_relation_size(part.oid))::float8 as bytes, pg_relation_size(t.oid)::float8 as "ownBytes"
      from pg_class t
      left join lateral pg_partition_tree(t.oid) leaf on leaf.isleaf
      join pg_class part on part.oid = coalesce(leaf.relid, t.oid)
      where t.relnamespace = to_regnamespace(${quoted}) and t.relkind in ('r', 'p')
      group by t.oid, t.relname`,
    (found) => new Map(found.map((size) => [size.table, size]))
  )

/** What a step does to a database that has these tables: what it makes itself holds up nobody. */
export const ofTables = (impact: Step.Impact, known: { readonly has: (table: string) => boolean }): Step.Impact => {
  const tables = impact.tables.filter((table) => known.has(table))
  return tables.length === 0 ? { ...impact, tables, blocks: "nothing", work: "none" } : { ...impact, tables }
}

/** An index on a large table is built while others read and write it. */
const impactOf = (step: Step.Step, found: ReadonlyMap<string, Size>): Step.Impact => {
  const impact = ofTables(Step.impact(step), found)
  if (step._tag !== "Index" || (found.get(step.table)?.ownBytes ?? 0) <= Migrations.LARGE) return impact
  return { ...impact, does: `${impact.does} while others read and write`, blocks: "nothing", work: "online index" }
}

const estimated = (steps: ReadonlyArray<Step.Step>, found: ReadonlyMap<string, Size>): ReadonlyArray<Estimate> => {
  let left = 0
  return steps
    .map((step) => {
      const impact = impactOf(step, found)
      const own = impact.tables.flatMap((table) => found.get(table) ?? [])
      const rows = own.reduce((sum, size) => sum + size.rows, 0)
      const bytes = own.reduce((sum, size) => sum + size.bytes, 0)
      return { ...impact, rows, bytes, seconds: rows * rates[impact.work] }
    })
    .toReversed()
    .map((impact): Estimate => {
      left += impact.seconds
      return { ...impact, blockedSeconds: impact.blocks === "nothing" ? 0 : left }
    })
    .toReversed()
}

/**
 * The migrations that the schema has not had, in their order. Fails if it is of another lineage.
 */
export const of = Effect.fnUntraced(function* (
  client: SqlClient.SqlClient,
  schema: DatabaseSchema,
  chain: Migrations.Chain = Migrations.all
) {
  const sql = schema.client(client)
  yield* Migrations.check(sql, schema, chain)
  const newest = yield* Migrations.newestIn(sql, schema)
  const found = yield* sizes(sql, schema)
  return Migrations.numbered(chain)
    .slice(newest)
    .map(({ name, number, steps }): Pending => ({ number, name, steps: estimated(steps, found) }))
})
