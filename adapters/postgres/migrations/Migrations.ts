/**
 * Brings a service's schema up to date with the numbered migrations.
 *
 * Each migration is one transaction under an advisory lock, and those of a new schema are one
 * together: any number of processes may start on one database at the same time, and a migration
 * that fails leaves nothing of itself behind. What it locks is free again before the next one
 * begins. While it waits for a lock, all that come after it wait too, so it gives up after a
 * moment, leaves the way to them, and tries again.
 *
 * A migration of indexes blocks nobody: an index on a large table is built before it, outside of
 * any transaction, by one process alone. What a process that ended meanwhile has left is dropped
 * and built anew.
 *
 * A schema of another lineage is refused before anything is done to it: one that has had a
 * migration of the same number with another name or other statements, that lacks one in between, or
 * that lacks a column or a function which its migrations have made. The table of migrations has the
 * digest of each one's statements. A schema that has had no migration may have other tables, but
 * nothing of a name that the migrations use.
 */
import { createHash } from "node:crypto"
import { Data, Effect, Schedule } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import * as Failure from "../connection/Failure.ts"
import type { DatabaseSchema } from "../database/DatabaseSchema.ts"
import * as Placement from "../database/Placement.ts"
import * as CostTable from "./CostTable.ts"
import * as Initial from "./Initial.ts"
import * as NoteWords from "./NoteWords.ts"
import * as Step from "./Step.ts"

/** What brings a schema from one version to the next. */
export interface Migration {
  readonly name: string
  /**
   * An index on a table of before is in a migration of indexes alone, so that it can be built while
   * others write.
   */
  readonly steps: ReadonlyArray<Step.Change> | ReadonlyArray<Step.Index>
}

/** The migrations of a build: the first has the number 1. */
export type Chain = ReadonlyArray<Migration>

/**
 * Those of this build. A schema that has had one is told by its digest, so none of a release
 * changes any more.
 */
export const all: Chain = [
  { name: "initial", steps: Initial.steps },
  // What a SIM knows of the moves of subscriptions (rule S8).
  { name: "sim_moves", steps: [Step.Step.Columns({ table: "sim", columns: { moves: { type: "jsonb" } } })] },
  { name: "note_words", steps: NoteWords.steps },
  {
    name: "rights",
    steps: [
      // It drops what is past its time with its owner's rights, and every user might call it.
      Step.Step.Statement({
        ...{
          does: "has keep_partitions called by whom it was granted to",
          tables: [],
          blocks: "nothing",
          work: "none"
        },
        text: "revoke execute on function simplan.keep_partitions(text, bigint, bigint) from public"
      })
    ]
  },
  // The words that organizations have for SIMs (rule I14).
  { name: "sim_tags", steps: [Step.Step.Columns({ table: "sim", columns: { tags: { type: "jsonb" } } })] },
  // What a change has made of fields (rule W11).
  {
    name: "changed_fields",
    steps: [Step.Step.Columns({ table: "audit_entry", columns: { changed: { type: "jsonb" } } })]
  },
  // The endpoints that the service has disabled (rule W7), for the overview.
  {
    name: "disabled_endpoints",
    steps: [
      Step.Step.Index({
        name: "webhook_endpoint_disabled",
        table: "webhook_endpoint",
        definition: `(coalesce(failing_since, disabled_at))
          where disabled_at is not null and disabled_reason <> 'Organization' and deleted_at is null`
      })
    ]
  },
  // eSIMs that were bought of suppliers (rule I15), and plans that are bundles of theirs (rule P5).
  {
    name: "purchases",
    steps: [
      Step.Step.Columns({ table: "sim", columns: { purchase: { type: "jsonb" } } }),
      Step.Step.Columns({ table: "plan", columns: { bundle: { type: "jsonb" } } }),
      Step.Step.Columns({ table: "job", columns: { awaited_until: { type: "bigint" } } })
    ]
  },
  {
    name: "purchase_indexes",
    steps: [
      Step.Step.Index({
        name: "sim_loaded",
        table: "sim",
        definition: `(organization_id, label, (purchase->>'load'), ((purchase->>'sellBy')::bigint), import_sequence)
          where is_esim and allocated_to is null and not downloaded and purchase is not null`
      }),
      Step.Step.Index({
        name: "job_purchase",
        table: "job",
        definition: `(organization_id, created_at, job_id) where ended_at is null and work->>'_tag' = 'BuySim'`
      })
    ]
  },
  { name: "note_word_buckets", steps: NoteWords.bucketSteps },
  { name: "note_words_end", steps: NoteWords.lastSteps },
  { name: "cost", steps: CostTable.steps },
  // What organizations say of their plans, and what they sell them for (rule P7).
  {
    name: "plan_prices",
    steps: [
      Step.Step.Columns({
        table: "plan",
        columns: { metadata: { type: "text", default: "''" }, price: { type: "jsonb" } }
      })
    ]
  }
]

/** The number of the newest migration. */
export const latest = all.length

const stepsOf = ({ steps }: Migration): ReadonlyArray<Step.Step> => steps

interface Numbered {
  readonly number: number
  readonly name: string
  readonly steps: ReadonlyArray<Step.Step>
  /** Of the statements, however they are broken into lines. */
  readonly digest: string
}

const digestOf = (statements: ReadonlyArray<string>): string =>
  createHash("sha256")
    .update(statements.map((text) => text.replace(/\s+/g, " ").trim()).join(";\n"))
    .digest("hex")

/** The migrations with their numbers and digests. */
export const numbered = (chain: Chain): ReadonlyArray<Numbered> =>
  chain.map((migration, index) => {
    const steps = stepsOf(migration)
    return { number: index + 1, name: migration.name, steps, digest: digestOf(steps.flatMap(Step.statements)) }
  })

const createTable = `create table simplan.migration (
  migration_id integer primary key,
  created_at timestamptz not null default now(),
  name text not null,
  digest text
)`

/** The schema was made by other migrations than those of this build. */
export class OtherLineage extends Data.TaggedError("OtherLineage")<{ readonly message: string }> {}

/** The database keeps texts in another encoding than UTF8. */
export class OtherEncoding extends Data.TaggedError("OtherEncoding")<{ readonly message: string }> {}

/** A table of more bytes is large: an index on a smaller one is made within half a second. */
export const LARGE = 16 * 1024 * 1024

/** The tables that the migrations make. */
export const tables: ReadonlyArray<string> = [
  "migration",
  ...all.flatMap(stepsOf).flatMap((step) => (step._tag === "Table" ? [step.name] : []))
]

interface Applied {
  readonly number: number
  readonly name: string
  readonly digest: string | null
}

/** What the schema has had that this build's migrations are not; null if they fit. */
const mismatch = (chain: Chain, applied: ReadonlyArray<Applied>): string | null => {
  const newest = Math.max(0, ...applied.map(({ number }) => number))
  for (const { digest, name, number } of numbered(chain)) {
    if (number > newest) break
    const found = applied.find((one) => one.number === number)
    if (found === undefined) return `has not had migration ${number} (${name}), but later ones`
    if (found.name !== name) return `has had a migration ${number} of the name ${found.name}, which is ${name} here`
    if (found.digest !== digest) return `has had another migration ${number} (${name})`
  }
  return null
}

/**
 * The digest of the first of the 35 migrations which are one now. Those of before version 0.2 have
 * none.
 */
const FORMER = "8eb2a492e6a21766"

const isFormer = (applied: ReadonlyArray<Applied>): boolean =>
  applied.some(({ digest, number }) => number === 1 && (digest === null || digest.startsWith(FORMER)))

/**
 * What the schema has: columns, each with its table before it, functions, with brackets, and the
 * names of all else.
 */
const contents = (sql: SqlClient.SqlClient, { quoted }: DatabaseSchema) =>
  Effect.map(
    sql<{ readonly name: string }>`
      select pg_class.relname || '.' || pg_attribute.attname as name
      from pg_attribute
      join pg_class on pg_class.oid = pg_attribute.attrelid and pg_class.relkind in ('r', 'p')
      where pg_class.relnamespace = to_regnamespace(${quoted}) and pg_attribute.attnum > 0
        and not pg_attribute.attisdropped
      union all
      select pg_proc.proname || '()' from pg_proc where pg_proc.pronamespace = to_regnamespace(${quoted})
      union all
      select pg_class.relname::text from pg_class where pg_class.relnamespace = to_regnamespace(${quoted})
      union all
      select pg_type.typname::text from pg_type where pg_type.typnamespace = to_regnamespace(${quoted})`,
    (found) => new Set(found.map(({ name }) => name))
  )

/** Whether the schema has had a migration. */
const hasAny = (sql: SqlClient.SqlClient, { quoted }: DatabaseSchema) =>
  Effect.map(
    sql<{ readonly found: boolean }>`select to_regclass(${`${quoted}.migration`}) is not null as found`,
    ([row]) => row?.found === true
  )

/** Fails if the schema is of another lineage. */
export const check = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, schema: DatabaseSchema, chain: Chain) {
  const other = (found: string) =>
    new OtherLineage({
      message: `The schema ${schema.name} of the database is of another lineage: it ${found}; use the build that made it, or another schema or database`
    })
  const hasMigrations = yield* hasAny(sql, schema)
  const found = yield* contents(sql, schema)
  if (hasMigrations && !["migration.migration_id", "migration.name"].every((column) => found.has(column))) {
    return yield* other("has something else of the name migration")
  }
  const applied = hasMigrations
    ? yield* sql<Applied>`
        select migration_id as number, name, to_jsonb(migration)->>'digest' as digest from simplan.migration`
    : []
  if (applied.length === 0) {
    const taken = chain
      .flatMap(stepsOf)
      .flatMap(Step.created)
      .find((name) => !name.includes(".") && found.has(name))
    return yield* taken === undefined ? Effect.void : other(`has had no migration, but has ${taken}`)
  }
  if (isFormer(applied)) {
    return yield* new OtherLineage({
      message: `The schema ${schema.name} of the database was made by the 35 migrations of before, which are one now: bring it to the last of them with a build that has them, and then run examples/deploy/carry-over.mjs of simplan's repository once`
    })
  }
  const different = mismatch(chain, applied)
  if (different !== null) return yield* other(different)
  const newest = Math.max(...applied.map(({ number }) => number))
  // A later build may have dropped what this one does not use any more.
  if (newest > chain.length) return
  const missing = Step.contents(chain.slice(0, newest).flatMap(stepsOf)).find(
    (name) => Step.isDemanded(name) && !found.has(name)
  )
  if (missing !== undefined) return yield* other(`has had these migrations, but has no ${missing}`)
})

/** What the letters of `simplan.folded`, and the lengths that it compares, are of. */
const ENCODING = "UTF8"

const inserted = ({ digest, name, number }: Numbered): string =>
  `insert into simplan.migration (migration_id, name, digest) values (${number}, '${name}', '${digest}')`

/**
 * Makes the schema unless it is there. To create one takes a right to create schemas even if
 * nothing is left to create.
 */
const createSchema = ({ name, quoted }: DatabaseSchema): string =>
  `do $$ begin
  if not exists (select from pg_namespace where nspname = '${name}') then create schema ${quoted}; end if;
end $$`

/**
 * The migrations with a greater number than `after`, as SQL text for a tool of the host. It is to
 * run as a whole, in one transaction, and leaves nothing for `run` to do.
 */
export const text = (schema: DatabaseSchema, after: number, chain: Chain = all): string => {
  const parts = numbered(chain)
    .slice(after)
    .flatMap((one) => [...one.steps.flatMap(Step.statements), inserted(one)])
  const made = after === 0 ? [createSchema(schema), createTable] : []
  return [...made, ...parts].map((statement) => `${schema.text(statement)};\n`).join("\n")
}

/** A migration failed. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{ readonly cause: SqlError.SqlError }> {}

const newestOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly number: number }>`select coalesce(max(migration_id), 0)::int as number from simplan.migration`,
    ([row]) => row?.number ?? 0
  )

/** Fails if the database keeps texts in another encoding. */
const checkEncoding = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [found] = yield* sql<{ readonly encoding: string }>`select current_setting('server_encoding') as encoding`
  if (found === undefined || found.encoding === ENCODING) return
  return yield* new OtherEncoding({
    message: `The database has the encoding ${found.encoding}, but must have ${ENCODING}, because searches fold texts by their characters; make another one with: create database simplan encoding '${ENCODING}' template template0`
  })
})

/** The number of the newest migration that the schema has had; 0 if it has had none. */
export const newestIn = (sql: SqlClient.SqlClient, schema: DatabaseSchema) =>
  Effect.flatMap(hasAny(sql, schema), (found) => (found ? newestOf(sql) : Effect.succeed(0)))

/** How long a migration waits for a lock at a time, in which others wait behind it. */
const LOCK_WAIT = "500ms"

/** How often it tries to get its locks, and how long it leaves the way to others in between. */
const again = { times: 600, schedule: Schedule.spaced("500 millis") }

/** What an attempt at the next migration came to. */
type Attempt = Data.TaggedEnum<{
  UpToDate: {}
  Migrated: {}
  /** An index of it has to be built before it. */
  Unbuilt: { readonly index: Step.Index }
}>
const Attempt = Data.taggedEnum<Attempt>()

/**
 * What there is of an index: it is `built`; it is `missing`, and made by the migration itself; or
 * it is `unbuilt`, as its table is large or distributed, or a process has not built it to its end.
 */
const stateOf = (
  sql: SqlClient.SqlClient,
  { quoted }: DatabaseSchema,
  placed: ReadonlySet<string>,
  { name, table }: Step.Index
) =>
  Effect.map(
    sql<{ readonly valid: boolean | null; readonly large: boolean | null }>`
      select (
        select pg_index.indisvalid from pg_index where pg_index.indexrelid = to_regclass(${`${quoted}.${name}`})
      ) as valid,
      pg_relation_size(to_regclass(${`${quoted}.${table}`})) > ${LARGE}::int as large`,
    ([found]) => {
      if (found?.valid === true) return "built"
      // This server has no rows of a distributed table, so that its size says nothing.
      return found?.valid === false || found?.large === true || placed.has(table) ? "unbuilt" : "missing"
    }
  )

/**
 * What people limit statements and transactions by, which a migration and the wait for another
 * process are not held to.
 */
const TIMEOUTS = "statement_timeout, lock_timeout, transaction_timeout, idle_in_transaction_session_timeout"

const withoutTimeouts = (sql: SqlClient.SqlClient) =>
  sql`
    select count(set_config(name, '0', true)) from pg_settings where name = any(string_to_array(${TIMEOUTS}, ', '))`

/** Attempts the next migration, or all of them if there was none. */
const next = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, schema: DatabaseSchema, chain: Chain) {
  yield* withoutTimeouts(sql)
  yield* sql`select pg_advisory_xact_lock(${schema.migrationLock}::bigint)`
  yield* checkEncoding(sql)
  yield* check(sql, schema, chain)
  if (!(yield* hasAny(sql, schema))) {
    yield* sql.unsafe(createSchema(schema))
    yield* sql.unsafe(createTable)
  }
  yield* sql`select set_config('lock_timeout', ${LOCK_WAIT}, true)`
  const newest = yield* newestOf(sql)
  const pending = numbered(chain).slice(newest)
  const [first] = pending
  if (first === undefined) return Attempt.UpToDate()
  const due = newest === 0 ? pending : [first]
  const built = new Set<Step.Step>()
  const indexes = newest === 0 ? [] : first.steps.filter((step) => step._tag === "Index")
  const placed = indexes.length === 0 ? new Set<string>() : yield* Placement.placed(sql, schema)
  for (const step of indexes) {
    const state = yield* stateOf(sql, schema, placed, step)
    if (state === "unbuilt") return Attempt.Unbuilt({ index: step })
    if (state === "built") built.add(step)
  }
  const run = (statement: string) => sql.unsafe(statement).unprepared
  yield* Effect.mapError(
    Effect.forEach(
      due.flatMap((one) => [...one.steps.filter((step) => !built.has(step)).flatMap(Step.statements), inserted(one)]),
      run,
      { discard: true }
    ),
    (cause) => new MigrationFailed({ cause })
  )
  return Attempt.Migrated()
})

/** How long a process waits for another one that builds an index. */
const BUILD_WAIT = "500 millis"

/**
 * Builds an index while others read and write its table. The statement waits for each transaction
 * that began before it, so no process may wait for another one in a transaction: one builds, and
 * the others ask again. A process of an earlier version does wait in one; if the database ends
 * the statement for that, it is built anew.
 */
const build = (sql: SqlClient.SqlClient, schema: DatabaseSchema, index: Step.Index) =>
  Effect.gen(function* () {
    const connection = yield* sql.reserve
    const run = (text: string, ...parameters: ReadonlyArray<unknown>) =>
      connection.executeUnprepared(schema.text(text), parameters, undefined)
    const [row] = yield* run("select pg_try_advisory_lock($1::bigint) as taken", schema.indexLock)
    if (row?.taken !== true) return yield* Effect.sleep(BUILD_WAIT)
    const [limit] = yield* run("select current_setting('statement_timeout') as value")
    const limited = (value: unknown) => run("select set_config('statement_timeout', $1, false)", value)
    yield* limited("0")
    const built = Effect.gen(function* () {
      const [found] = yield* run(
        "select pg_index.indisvalid as valid from pg_index where pg_index.indexrelid = to_regclass($1)",
        `${schema.quoted}.${index.name}`
      )
      if (found?.valid === true) return
      if (found !== undefined) yield* run(`drop index concurrently simplan.${index.name}`)
      yield* run(Step.concurrently(index))
    })
    const left = Effect.andThen(run("select pg_advisory_unlock($1::bigint)", schema.indexLock), limited(limit?.value))
    // Failure: the lock ends with the session, and so does what is set.
    yield* Effect.ensuring(built, Effect.ignore(left))
  }).pipe(
    Effect.scoped,
    Effect.catchIf(
      (error) => Failure.stateOf(error) === "40P01",
      () => Effect.sleep(BUILD_WAIT)
    ),
    Effect.mapError((cause) => new MigrationFailed({ cause }))
  )

const isLocked = (error: unknown): boolean =>
  error instanceof MigrationFailed && Failure.stateOf(error.cause) === "55P03"

/** Runs the migrations that the schema has not had. */
export const run = (client: SqlClient.SqlClient, schema: DatabaseSchema, chain: Chain = all) => {
  const sql = schema.client(client)
  const attempt = Effect.retry(sql.withTransaction(next(sql, schema, chain)), { while: isLocked, ...again })
  const attempted = Effect.tap(attempt, (came) =>
    came._tag === "Unbuilt" ? build(sql, schema, came.index) : Effect.void
  )
  return Effect.asVoid(Effect.repeat(attempted, { until: ({ _tag }) => _tag === "UpToDate" }))
}
