/**
 * What the migrations that a schema has not had will do to it: which tables they lock against whom, and for how long.
 *
 * What a statement does is read from its text, where it stands once. A test holds it against the locks and the files of a
 * database that runs it. The time is computed from the database's statistics, at the rates that were measured.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { DatabaseSchema } from "../database/DatabaseSchema.ts"
import * as Migrations from "./Migrations.ts"

/** What others cannot do with a table until the migration is over. */
export type Blocks = "nothing" | "writes" | "reads and writes"

/** What a statement's time goes by. */
export type Work = "none" | "index" | "online index" | "folded index" | "scan" | "copy"

/** What a statement does to the tables that there are. */
export interface Step {
  /** Such as `creates the index sim_releasing`. */
  readonly does: string
  /** The table that it locks, and those that it reads beside it. */
  readonly tables: ReadonlyArray<string>
  /** What others cannot do with the first of them. */
  readonly blocks: Blocks
  /** What of them it goes over. */
  readonly work: Work
}

const TABLE = /\bsimplan\.(\w+)/g

/** The tables of the indexes that migrations make. */
const tablesOfIndexes = new Map(
  Migrations.all.flatMap(({ statements }) =>
    statements.flatMap(Migrations.indexOf).map(({ name, table }) => [name, table] as const)
  )
)

const named = (text: string): ReadonlyArray<string> => [
  ...new Set(Array.from(text.matchAll(TABLE), ([, name = ""]) => name))
]

const ofIndex = (index: string): ReadonlyArray<string> => {
  const table = tablesOfIndexes.get(index)
  return table === undefined ? [] : [table]
}

type Kind = readonly [head: RegExp, step: (name: string, text: string) => Step]

const kinds: ReadonlyArray<Kind> = [
  [
    /^create table simplan\.(\w+)/,
    (name) => ({ does: `creates the table ${name}`, tables: [], blocks: "nothing", work: "none" })
  ],
  [
    /^create (?:unique )?index (\w+)\s+on simplan\./,
    (name, text) => ({
      does: `creates the index ${name}`,
      tables: ofIndex(name),
      blocks: "writes",
      work: text.includes("simplan.folded(") ? "folded index" : "index"
    })
  ],
  [
    /^drop index (?:if exists )?simplan\.(\w+)$/,
    (name) => ({ does: `drops the index ${name}`, tables: ofIndex(name), blocks: "reads and writes", work: "none" })
  ],
  [
    /^alter index (?:if exists )?simplan\.(\w+) (?:set|reset) \(/,
    (name) => ({
      does: `changes a setting of the index ${name}`,
      tables: ofIndex(name),
      blocks: "nothing",
      work: "none"
    })
  ],
  [
    /^alter table simplan\.(\w+)\s+add column /,
    (name, text) => ({
      does: `adds ${Migrations.columnsOf(text)
        .map((column) => column.split(".")[1])
        .join(", ")}`,
      tables: [name],
      blocks: "reads and writes",
      work: "none"
    })
  ],
  [
    /^create trigger \w+ after \w+ on simplan\.(\w+)/,
    (name, text) => ({
      does: `creates ${/^create (trigger \w+)/.exec(text)?.[1]}`,
      tables: [name],
      blocks: "writes",
      work: "none"
    })
  ],
  [
    /^create (?:or replace )?function simplan\.(\w+)/,
    (name) => ({ does: `makes the function ${name}`, tables: [], blocks: "nothing", work: "none" })
  ],
  [
    /^alter function simplan\.(\w+)/,
    (name) => ({ does: `changes a setting of the function ${name}`, tables: [], blocks: "nothing", work: "none" })
  ],
  [
    /^alter table simplan\.(\w+) validate constraint /,
    (name) => ({ does: `reads ${name} for a check`, tables: [name], blocks: "nothing", work: "scan" })
  ],
  [
    /^do \$\$(?=.*'alter table simplan\.(\w+) add constraint )/s,
    (name) => ({ does: `adds a check to ${name}`, tables: [name], blocks: "reads and writes", work: "none" })
  ],
  [
    /^do \$\$(?=.* alter table simplan\.(\w+) rename to )/s,
    (name) => ({ does: `makes ${name} a partition`, tables: [name], blocks: "reads and writes", work: "none" })
  ],
  [
    /^do (\$\$)/,
    (_, text) => ({
      does: `creates ${/create (trigger \w+)/.exec(text)?.[1] ?? "partitions"}`,
      tables: [],
      blocks: "nothing",
      work: "none"
    })
  ],
  [
    /^select simplan\.(\w+)\(/,
    (name) => ({ does: `calls the function ${name}`, tables: [], blocks: "nothing", work: "none" })
  ],
  [
    /^update simplan\.(\w+)/,
    (_, text) => ({ does: "changes rows", tables: named(text), blocks: "nothing", work: "scan" })
  ],
  [
    /^insert into simplan\.(\w+)/,
    (name, text) => ({
      does: `fills the table ${name}`,
      tables: named(text).filter((table) => table !== name),
      blocks: "nothing",
      work: "copy"
    })
  ]
]

/** What a statement of a migration does; null where it is of no kind that is known. */
export const stepOf = (text: string): Step | null => {
  for (const [head, step] of kinds) {
    const [, name] = head.exec(text) ?? []
    if (name !== undefined) return step(name, text)
  }
  return null
}

/** A step with what the database says of its tables. */
export interface Estimate extends Step {
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
  /** One for each statement, in their order. */
  readonly steps: ReadonlyArray<Estimate>
}

/**
 * Seconds for a row, as they were measured on 1,000,000 SIMs: PostgreSQL 18 on two cores of a virtual machine that had other work
 * as well, everything in memory. The dearest of each kind.
 */
const rates: { readonly [Kind in Work]: number } = {
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

/** Of partitioned tables: what their partitions have. Tables that were never analyzed count by their pages. */
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

/** The step of a database that has these tables: what it makes itself holds up nobody. */
export const ofTables = (step: Step, known: { readonly has: (table: string) => boolean }): Step => {
  const tables = step.tables.filter((table) => known.has(table))
  return tables.length === 0 ? { ...step, tables, blocks: "nothing", work: "none" } : { ...step, tables }
}

/** The step of a migration that makes nothing but indexes: one on a large table is built while others read and write it. */
export const online = (step: Step, found: ReadonlyMap<string, Pick<Size, "ownBytes">>): Step =>
  step.tables.some((table) => (found.get(table)?.ownBytes ?? 0) > Migrations.LARGE)
    ? { ...step, does: `${step.does} while others read and write`, blocks: "nothing", work: "online index" }
    : step

const estimated = (steps: ReadonlyArray<Step>, found: ReadonlyMap<string, Size>): ReadonlyArray<Estimate> => {
  let left = 0
  return steps
    .map((one) => {
      const step = ofTables(one, found)
      const own = step.tables.flatMap((table) => found.get(table) ?? [])
      const rows = own.reduce((sum, size) => sum + size.rows, 0)
      const bytes = own.reduce((sum, size) => sum + size.bytes, 0)
      return { ...step, rows, bytes, seconds: rows * rates[step.work] }
    })
    .toReversed()
    .map((step): Estimate => {
      left += step.seconds
      return { ...step, blockedSeconds: step.blocks === "nothing" ? 0 : left }
    })
    .toReversed()
}

/** The migrations that the schema has not had, in their order. */
export const of = Effect.fnUntraced(function* (client: SqlClient.SqlClient, schema: DatabaseSchema) {
  const sql = schema.client(client)
  const newest = yield* Migrations.newestIn(sql, schema)
  const found = yield* sizes(sql, schema)
  return Migrations.all
    .filter(({ number }) => number > newest)
    .map((migration): Pending => {
      const { name, number, statements } = migration
      const steps = statements.flatMap((text) => stepOf(text) ?? [])
      const isOnline = Migrations.indexesAlone(migration).length > 0
      return { number, name, steps: estimated(isOnline ? steps.map((step) => online(step, found)) : steps, found) }
    })
})
