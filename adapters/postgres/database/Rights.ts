/**
 * What a service needs of its user of the database. What is missing is refused at the start with
 * one sentence, which says what to do; what the user does without is logged once.
 *
 * A user who may write rows, and change nothing of the schema, is enough: its owner runs the
 * migrations, and what makes and drops partitions are functions with their owner's rights.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { Storage } from "simplan/ports"
import type { DatabaseSchema } from "./DatabaseSchema.ts"

interface Rights {
  readonly user: string
  readonly owner: string
  readonly mayChange: boolean
  readonly mayUse: boolean
  /** Tables on which rights are missing, and whether these are all. */
  readonly tables: ReadonlyArray<string>
  readonly noTable: boolean
  /** Functions that may not be called. */
  readonly functions: ReadonlyArray<string>
  /** Whether the owner of the function that makes partitions may do so. */
  readonly mayKeep: boolean
}

/**
 * Fails if the user may not use the tables or functions that the schema has. `names`: of the tables
 * of the migrations.
 */
export const demand = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { name, quoted }: DatabaseSchema,
  names: ReadonlyArray<string>
): Effect.fn.Return<Rights | undefined, SqlError.SqlError | Storage.StorageError> {
  const [row] = yield* sql<{ readonly value: string }>`
    with asked as (
      select pg_class.oid, pg_class.relname, pg_class.relowner
      from pg_class
      join pg_namespace on pg_namespace.oid = pg_class.relnamespace
      where pg_namespace.nspname = ${name}
        and pg_class.relname::text in (select * from json_array_elements_text(${JSON.stringify(names)}::json))
    ), called as (
      select pg_proc.oid, pg_proc.proname, pg_proc.proowner, pg_proc.pronamespace
      from pg_proc
      join pg_namespace on pg_namespace.oid = pg_proc.pronamespace
      where pg_namespace.nspname = ${name}
    )
    select json_build_object(
      'user', current_user,
      'owner', (select pg_get_userbyid(relowner) from asked where relname = 'sim'),
      'mayUse', coalesce((
        select has_schema_privilege(oid, 'usage') from pg_namespace where nspname = ${name}
      ), true),
      'noTable', not exists (select from asked where has_table_privilege(oid, 'select')),
      'mayChange', (select bool_and(pg_has_role(relowner, 'usage')) from asked),
      'tables', coalesce((
        select json_agg(relname order by relname) from asked
        where not (
          has_table_privilege(oid, 'select') and (relname = 'migration' or (
            has_table_privilege(oid, 'insert') and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')
          ))
        )
      ), '[]'),
      'functions', coalesce((
        select json_agg(distinct proname) from called where not has_function_privilege(oid, 'execute')
      ), '[]'),
      'mayKeep', coalesce((
        select bool_and(
          has_schema_privilege(proowner, pronamespace, 'create')
          and (select bool_and(pg_has_role(called.proowner, asked.relowner, 'usage')) from asked)
        )
        from called where proname = 'keep_partitions'
      ), true)
    )::text as value`
  if (row === undefined) return
  const rights: Rights = JSON.parse(row.value)
  const { functions, mayUse, noTable, tables, user } = rights
  if (!mayUse || tables.length > 0 || functions.length > 0) {
    const lacks = [
      ...(mayUse ? [] : ["use anything"]),
      ...(tables.length > 0 ? [`read and write ${noTable ? "the tables" : tables.join(", ")}`] : []),
      ...(functions.length > 0 ? [`call ${functions.join(", ")}`] : [])
    ].join(" and ")
    const usage = mayUse ? "" : `usage on schema ${quoted} to ${user}, `
    return yield* new Storage.StorageError({
      message: `The database's user ${user} may not ${lacks} of the schema ${name}: grant ${usage}select, insert, update, delete on all tables in schema ${quoted} to ${user}, and execute on all functions in it`
    })
  }
  return rights
})

/** Fails as `demand` does. Logs once what the user may not change, and what follows. */
export const check = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  schema: DatabaseSchema,
  names: ReadonlyArray<string>
): Effect.fn.Return<void, SqlError.SqlError | Storage.StorageError> {
  const rights = yield* demand(sql, schema, names)
  if (rights === undefined) return
  const { mayChange, mayKeep, owner, user } = rights
  const { name } = schema
  if (!mayChange) {
    yield* Effect.logInfo(
      `The database's user ${user} may write the rows of the schema ${name}, and not change it: have ${owner} run \`simplan migrate\` before a later version starts. Partitions are made and dropped with the rights of ${owner}`
    )
  }
  if (!mayKeep) {
    yield* Effect.logWarning(
      `The owner of the function keep_partitions may not change the tables of the schema ${name}: what is past its time stays, in tables that grow. It must own the tables, and have CREATE on the schema`
    )
  }
})
