/**
 * Tables that an adapter keeps in the schema of the service, beside those of the migrations, so
 * that the schema is all there is to back up. They are made at the start if they are missing.
 * If all of them are there, nothing asks for a right to make any.
 *
 * Servers on the schema `simplan` had such tables outside of it, in the first schema of the
 * `search_path` of their user. They are moved into it as a whole, or their rows are, in one
 * transaction, which one process does while others wait. Services in other schemas always had
 * theirs there, so they take none. Neither is one taken that lies in the schema of another service.
 */
import { Effect, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Storage } from "simplan/ports"

/** A table, written for the schema that `of` quotes. */
export interface Table {
  readonly name: string
  /** As `create table` has them. */
  readonly columns: string
  /** By its name, what an index is on, as `create index` has it. */
  readonly indexes: Readonly<Record<string, string>>
  /**
   * The columns whose values are moved, in the order of the rows; and what is done if a row of
   * the key is there.
   */
  readonly moved: { readonly columns: string; readonly order: string; readonly conflict: string }
}

/** The schema of services that choose none. */
export const DEFAULT = "simplan"

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const create = (schema: string, { columns, indexes, name }: Table): ReadonlyArray<readonly [string, string]> => [
  [name, `create table if not exists ${quoted(schema)}.${name} (${columns})`],
  ...Object.entries(indexes).map(
    ([index, on]) => [index, `create index if not exists ${index} on ${quoted(schema)}.${name} ${on}`] as const
  )
]

/**
 * What makes the tables if they are missing, in a schema that is there, for a migration tool of
 * the host's own.
 */
export const text = (schema: string, tables: ReadonlyArray<Table>): string =>
  tables.flatMap((table) => create(schema, table).map(([, statement]) => `${statement};\n`)).join("\n")

const messageOf = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null || !("message" in value)) return undefined
  return typeof value.message === "string" && value.message !== "" ? value.message : undefined
}

const stateOf = ({ reason: { cause } }: SqlError.SqlError): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

/** What the database has said, or what its client has if the database has said nothing. */
export const reasonOf = (error: { readonly message: string; readonly reason?: { readonly cause?: unknown } }): string =>
  messageOf(error.reason?.cause) ?? error.message

interface Outside {
  readonly space: string
  readonly name: string
}

/**
 * What there is: whether the schema is, the names in it, and tables of earlier servers outside of
 * it.
 */
const found = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, schema: string, tables: ReadonlyArray<Table>) {
  const names = JSON.stringify(tables.flatMap((table) => create(schema, table).map(([name]) => name)))
  const [row] = yield* sql<{ readonly has: boolean; readonly names: string }>`
    select exists (select from pg_namespace where nspname = ${schema}) as has, coalesce((
      select json_agg(pg_class.relname)
      from pg_class
      join pg_namespace on pg_namespace.oid = pg_class.relnamespace
      where pg_namespace.nspname = ${schema}
        and pg_class.relname::text in (select * from json_array_elements_text(${names}::json))
    ), '[]')::text as names`
  const inside: ReadonlyArray<string> = JSON.parse(row?.names ?? "[]")
  const columns = JSON.stringify(
    Object.fromEntries(tables.map(({ moved, name }) => [name, moved.columns.split(/,\s*/)]))
  )
  const outside = yield* schema === DEFAULT
    ? sql<Outside>`
        select pg_namespace.nspname::text as space, pg_class.relname::text as name
        from pg_class
        join pg_namespace on pg_namespace.oid = pg_class.relnamespace
        join json_each(${columns}::json) asked on asked.key = pg_class.relname::text
        where pg_class.relkind = 'r' and pg_namespace.nspname <> ${schema}
          and (pg_namespace.nspname = 'public' or pg_namespace.nspname = any(current_schemas(false)))
          and not exists (
            select from json_array_elements_text(asked.value) needed(name)
            where not exists (
              select from pg_attribute
              where pg_attribute.attrelid = pg_class.oid and pg_attribute.attname::text = needed.name
                and pg_attribute.attnum > 0 and not pg_attribute.attisdropped
            )
          )
          and not exists (
            select from pg_class migration
            join pg_class sim on sim.relnamespace = migration.relnamespace and sim.relname = 'sim'
            where migration.relnamespace = pg_class.relnamespace and migration.relname = 'migration'
          )
        order by 1, 2`
    : Effect.succeed([])
  return { hasSchema: row?.has === true, inside, outside }
})

/** Fails if the user may not read and write the rows of tables that are there. */
const demand = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  schema: string,
  tables: ReadonlyArray<Table>
): Effect.fn.Return<void, SqlError.SqlError | Storage.StorageError> {
  const names = JSON.stringify(tables.map(({ name }) => name))
  const [row] = yield* sql<{ readonly user: string; readonly lacking: string }>`
    select current_user::text as user, coalesce(string_agg(pg_class.relname, ', ' order by pg_class.relname), '') as lacking
    from pg_class
    join pg_namespace on pg_namespace.oid = pg_class.relnamespace
    where pg_namespace.nspname = ${schema} and pg_class.relkind = 'r'
      and pg_class.relname::text in (select * from json_array_elements_text(${names}::json))
      and not (
        has_table_privilege(pg_class.oid, 'select') and has_table_privilege(pg_class.oid, 'insert')
        and has_table_privilege(pg_class.oid, 'update') and has_table_privilege(pg_class.oid, 'delete')
      )`
  if (row === undefined || row.lacking === "") return
  return yield* new Storage.StorageError({
    message: `The database's user ${row.user} may not read and write ${row.lacking} of the schema ${schema}: grant select, insert, update, delete on all tables in schema ${quoted(schema)} to ${row.user}`
  })
})

const isComplete = (
  schema: string,
  tables: ReadonlyArray<Table>,
  { inside, outside }: Effect.Success<ReturnType<typeof found>>
): boolean =>
  outside.length === 0 && tables.every((table) => create(schema, table).every(([name]) => inside.includes(name)))

/** How long a step waits for a lock at a time, in which others wait behind it. */
const LOCK_WAIT = "500ms"

const make = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, schema: string, tables: ReadonlyArray<Table>) {
  yield* sql`select set_config(name, '0', true) from pg_settings where name in ('statement_timeout', 'lock_timeout')`
  yield* sql`select pg_advisory_xact_lock(hashtextextended(${`simplan tables of ${schema}`}, 0))`
  const there = yield* found(sql, schema, tables)
  if (isComplete(schema, tables, there)) return
  yield* sql`select set_config('lock_timeout', ${LOCK_WAIT}, true)`
  if (!there.hasSchema) yield* sql.unsafe(`create schema if not exists ${quoted(schema)}`).unprepared
  for (const table of tables) {
    const { columns, conflict, order } = table.moved
    const own = `${quoted(schema)}.${table.name}`
    let isThere = there.inside.includes(table.name)
    for (const { space } of there.outside.filter(({ name }) => name === table.name)) {
      const other = `${quoted(space)}.${table.name}`
      if (isThere) {
        yield* sql.unsafe(`lock table ${own}, ${other} in access exclusive mode`).unprepared
        yield* sql.unsafe(
          `insert into ${own} as own (${columns}) select ${columns} from ${other} order by ${order} on conflict ${conflict}`
        ).unprepared
        yield* sql.unsafe(`drop table ${other}`).unprepared
      } else {
        yield* sql.unsafe(`alter table ${other} set schema ${quoted(schema)}`).unprepared
      }
      isThere = true
      yield* Effect.logInfo(`The table ${space}.${table.name} was moved into the schema ${schema}`)
    }
    const now = (yield* found(sql, schema, [table])).inside
    for (const [name, statement] of create(schema, table)) {
      if (!now.includes(name)) yield* sql.unsafe(statement).unprepared
    }
  }
})

const LOCK_NOT_AVAILABLE = "55P03"
const INSUFFICIENT_PRIVILEGE = "42501"

/** How often it is tried to get the locks, and how long the way is left to others in between. */
const again = { times: 600, schedule: Schedule.spaced("500 millis") }

/**
 * Makes the tables if they are missing, and moves those of earlier servers. Fails with a
 * sentence that has the database's reason, and that says what to do if the user of the database
 * may not, or may not use those that are there.
 */
export const ensure = (
  schema: string,
  tables: ReadonlyArray<Table>
): Effect.Effect<void, Storage.StorageError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (isComplete(schema, tables, yield* found(sql, schema, tables))) return yield* demand(sql, schema, tables)
    yield* Effect.retry(sql.withTransaction(make(sql, schema, tables)), {
      while: (error) => stateOf(error) === LOCK_NOT_AVAILABLE,
      ...again
    })
  }).pipe(
    Effect.mapError((cause) => {
      if (cause._tag !== "SqlError") return cause
      const names = tables.map(({ name }) => name).join(" and ")
      const advice =
        stateOf(cause) === INSUFFICIENT_PRIVILEGE
          ? "; have `simplan migrate` run once by the user who owns the schema and such tables outside of it"
          : ""
      return new Storage.StorageError({
        message: `The tables ${names} cannot be kept in the schema ${schema}: ${reasonOf(cause)}${advice}`,
        cause
      })
    })
  )
