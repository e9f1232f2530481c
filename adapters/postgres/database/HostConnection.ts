/**
 * Joins the transaction that a host has begun on a connection of its own, by whatever client (rule H1).
 *
 * The statements of the ports run on that connection. Each commit has a savepoint, so that one which fails leaves the
 * transaction as it was. What others have to learn goes by NOTIFY in the transaction: the database sends it after the
 * commit.
 */
import { Context, Effect, Exit, Semaphore, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type { HostTransaction } from "simplan/ports"
import * as Failure from "../connection/Failure.ts"
import * as HostFailure from "./HostFailure.ts"

/** The connection of the host that the running fiber's statements go over; null if it is one of simplan's own. */
export const Current = Context.Reference<Connection | null>("simplan/postgres/HostConnection", {
  defaultValue: () => null
})

// The statements have texts, numbers, truth values and null alone.
const parameter = (value: unknown): HostTransaction.ParameterValue =>
  value === null || value === undefined
    ? null
    : typeof value === "number" || typeof value === "boolean"
      ? value
      : String(value)

const connectionOf = (host: HostTransaction.HostConnection): Connection => {
  const found = async (text: string, values: ReadonlyArray<HostTransaction.ParameterValue>) => {
    if (host.texts !== undefined) {
      // The rows that are read have one column.
      const texts = await host.texts(text, values)
      return texts.map(([value]) => ({ value }))
    }
    const result = await host.query(text, values)
    return "rows" in result ? result.rows : result
  }
  const rows = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.tryPromise({ try: () => found(text, values.map(parameter)), catch: HostFailure.of })
  const values = (text: string, parameters: ReadonlyArray<unknown>) =>
    Effect.map(rows(text, parameters), (found) =>
      found.map((row) => (typeof row === "object" && row !== null ? Object.values(row) : []))
    )
  return {
    execute: rows,
    executeUnprepared: rows,
    executeRaw: rows,
    executeStream: (text, parameters) => Stream.fromIterableEffect(rows(text, parameters)),
    executeValues: values,
    executeValuesUnprepared: values
  }
}

// A transaction is always the same connection, so that what is done inside of it takes turns.
const known = new WeakMap<HostTransaction.HostConnection, Connection>()

const knownConnectionOf = (host: HostTransaction.HostConnection): Connection => {
  const connection = known.get(host) ?? connectionOf(host)
  known.set(host, connection)
  return connection
}

/**
 * The database that a client is connected to, as nothing else has it: its id in the server, and when the server started. Null
 * where the database does not say it.
 */
export const databaseOf = (sql: SqlClient.SqlClient): Effect.Effect<string | null, SqlError> =>
  Effect.map(
    sql<{ readonly value: string }>`
      select to_json(concat(
        (select oid from pg_database where datname = current_database()), ' ', extract(epoch from pg_postmaster_start_time())
      ))::text as value`,
    ([row]) => row?.value ?? null
  )

// The database of a connection is always the same.
const checked = new WeakSet<Connection>()

/**
 * Runs effects inside transactions of hosts, in place of transactions of this client. Fails where no transaction is open on
 * the connection, and where it is one of another database than `home`, which is that of this client.
 */
export const joining = (sql: SqlClient.SqlClient, home: string | null): HostTransaction.Join => {
  let known = home
  const isHome = Effect.fnUntraced(function* (database: string | null) {
    if (database === known) return true
    // The server was perhaps started anew.
    known = yield* databaseOf(sql)
    return database === known
  })
  return (host, effect) => {
    const connection = knownConnectionOf(host)
    const inside = <A, E, R>(use: Effect.Effect<A, E, R>) =>
      use.pipe(
        Effect.provideService(sql.transactionService, [connection, 0]),
        Effect.provideService(Current, connection)
      )
    // Outside of a transaction the database refuses to lock a table. This lock waits for nothing but a change of the table.
    const open = inside(sql`lock table simplan.clock in access share mode`)
    const check = Effect.gen(function* () {
      if (!checked.has(connection)) {
        const database = yield* Effect.mapError(inside(databaseOf(sql)), HostFailure.storageError)
        if (!(yield* Effect.mapError(isHome(database), Failure.storageError))) return yield* HostFailure.anotherDatabase
        checked.add(connection)
      }
      return yield* Effect.mapError(open, HostFailure.storageError)
    })
    return Effect.andThen(inTurn(connection, check), inside(effect))
  }
}

const turns = new WeakMap<Connection, Semaphore.Semaphore>()

/**
 * Reads and commits inside one transaction take turns. Where savepoints interleaved, a commit that fails would undo what
 * another has written, and a read could meet a failed transaction.
 */
export const inTurn = <A, E>(connection: Connection, effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const turn = turns.get(connection) ?? Semaphore.makeUnsafe(1)
  turns.set(connection, turn)
  return turn.withPermit(effect)
}

/** The effect within a savepoint: what it has written is undone if it fails, and the transaction can go on. */
export const savepoint = <A, E>(
  connection: Connection,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError> => {
  const run = (text: string) => connection.executeUnprepared(text, [], undefined)
  return Effect.uninterruptibleMask((restore) =>
    Effect.andThen(
      run("savepoint simplan"),
      Effect.onExit(restore(effect), (exit) => {
        const released = run("release savepoint simplan")
        return Exit.isSuccess(exit) ? released : Effect.andThen(run("rollback to savepoint simplan"), released)
      })
    )
  )
}
