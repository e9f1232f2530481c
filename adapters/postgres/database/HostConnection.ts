/**
 * Joins the transaction that a host has begun on a connection of its own, by whatever client (rule H1).
 *
 * The statements of the ports run on that connection. Each commit has a savepoint, so that one which fails leaves the
 * transaction as it was. What others have to hear goes by NOTIFY in the transaction: the database sends it after the
 * commit.
 */
import { Context, Effect, Exit, Semaphore, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import * as SqlError from "effect/sql/SqlError"
import type { HostTransaction } from "simplan/ports"

/** The connection of the host that the running fiber's statements go over; null if it is one of simplan's own. */
export const Current = Context.Reference<Connection | null>("simplan/postgres/HostConnection", {
  defaultValue: () => null
})

/** How deep an error of a client may lie in the errors of what wraps that client. */
const DEPTH = 5

const field = (value: object, name: string): unknown => Reflect.get(value, name)

const wrapped = ["cause", "meta", "driverAdapterError", "originalError", "parent"]

// Prisma has codes of its own that look like an SQLSTATE.
const isSqlState = (code: unknown): code is string =>
  typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !/^P[1-9]/.test(code)

interface DatabaseError {
  readonly code: string
  readonly constraint: string
  readonly message: string
}

/** The name of the constraint that an error is about; Prisma has it one level deeper. Empty where it is not told. */
const constraintOf = (error: object): string => {
  const told = field(error, "constraint") ?? field(error, "constraint_name")
  const name = typeof told === "object" && told !== null ? field(told, "index") : told
  return typeof name === "string" ? name : ""
}

/** The database's own error in that of a client, or of what wraps the client. */
const databaseError = (error: unknown, depth = 0): DatabaseError | null => {
  if (typeof error !== "object" || error === null || depth > DEPTH) return null
  for (const name of wrapped) {
    const found = databaseError(field(error, name), depth + 1)
    if (found !== null) return found
  }
  const code = [field(error, "code"), field(error, "originalCode")].find(isSqlState)
  if (code === undefined) return null
  const message = field(error, "message") ?? field(error, "originalMessage")
  return { code, constraint: constraintOf(error), message: String(message ?? "") }
}

// Some clients put the statement before the database's message; that of a guard is one of these.
const GUARD = /(version|lease|idempotency key|command)[`"'.)\s]*$/

const reasonOf = (error: unknown): SqlError.SqlErrorReason => {
  const found = databaseError(error)
  const told = found?.message ?? (error instanceof Error ? error.message : String(error))
  const message = (found?.code === "SP409" ? GUARD.exec(told)?.[1] : undefined) ?? told
  const properties = { cause: found === null ? error : { ...found, message }, message, operation: "query" }
  switch (found?.code) {
    case "23505":
      return new SqlError.UniqueViolation({ ...properties, constraint: found.constraint })
    case "40P01":
      return new SqlError.DeadlockError(properties)
    case "40001":
      return new SqlError.SerializationError(properties)
    default:
      return new SqlError.UnknownError(properties)
  }
}

// The statements have texts, numbers, truth values and null alone.
const parameter = (value: unknown): HostTransaction.ParameterValue =>
  value === null || value === undefined
    ? null
    : typeof value === "number" || typeof value === "boolean"
      ? value
      : String(value)

const connectionOf = (host: HostTransaction.HostConnection): Connection => {
  const rows = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.map(
      Effect.tryPromise({
        try: async () => host.query(text, values.map(parameter)),
        catch: (error) => new SqlError.SqlError({ reason: reasonOf(error) })
      }),
      (result) => ("rows" in result ? result.rows : result)
    )
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

/** Runs effects inside transactions of hosts, in place of transactions of this client. */
export const joining =
  ({ transactionService }: SqlClient.SqlClient): HostTransaction.Join =>
  (host, effect) => {
    const connection = knownConnectionOf(host)
    return effect.pipe(
      Effect.provideService(transactionService, [connection, 0]),
      Effect.provideService(Current, connection)
    )
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
): Effect.Effect<A, E | SqlError.SqlError> => {
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
