/**
 * Joins the transaction that a host has begun on a connection of its own, by whatever client
 * (rule H1).
 *
 * The statements of the ports run on that connection. Each commit has a savepoint, so that one
 * which fails leaves the transaction as it was. What others have to learn goes by NOTIFY in the
 * transaction: the database sends it after the commit. A statement that fails says whether the host
 * has used a transaction that nothing can be done in, whether it has to begin its transaction anew,
 * or that the database failed.
 */
import { Cause, Context, Effect, Exit, Option, Semaphore, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import * as SqlError from "effect/sql/SqlError"
import { type HostTransaction, Storage } from "simplan/ports"
import * as Failure from "../connection/Failure.ts"
import * as PgPool from "../connection/PgPool.ts"

/** A connection of a host. */
interface Kept {
  readonly connection: Connection
  /** Whether it is known to be one of this database, which never changes. */
  isChecked: boolean
  /** Whether statements within a savepoint are prepared. */
  prepares: boolean
  /** Whether a savepoint is open. */
  isInside: boolean
}

/** A call inside the transaction of a host. */
export interface Joined {
  readonly kept: Kept
  /** Fails if no transaction is open on the connection. */
  readonly check: Effect.Effect<void, SqlError.SqlError>
  /** Whether one is known to be open. */
  isOpen: boolean
}

/**
 * The call of the running fiber, whose statements go over a connection of the host; null if it is
 * one of simplan's own.
 */
export const Current = Context.Reference<Joined | null>("simplan/postgres/HostConnection", {
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

/**
 * The name of the constraint that an error is about; Prisma has it one level deeper. Empty if it
 * is not given.
 */
const constraintOf = (error: object): string => {
  const named = field(error, "constraint") ?? field(error, "constraint_name")
  const name = typeof named === "object" && named !== null ? field(named, "index") : named
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

/**
 * An error of the host's client, with the database's code if the database has said something.
 */
class ClientError extends Error {
  readonly code: string | undefined
  constructor(message: string, code: string | undefined, cause: unknown) {
    super(message, { cause })
    this.code = code
  }
}

// Of Node's sockets, `pg`, postgres.js and Prisma.
const LOST =
  /^(?:ECONN|EPIPE$|ETIMEDOUT$|ENOTFOUND$|EAI_|EHOSTUNREACH$|ENETUNREACH$|CONNECT|P1001$|P1017$)|^Connection terminated|connection error/

const isLost = (error: unknown): boolean =>
  [field(Object(error), "code"), field(Object(error), "message")].some((text) => LOST.test(String(text)))

const reasonOf = (error: unknown): SqlError.SqlErrorReason => {
  const found = databaseError(error)
  const raw = found?.message ?? (error instanceof Error ? error.message : String(error))
  const message = (found?.code === "SP409" ? GUARD.exec(raw)?.[1] : undefined) ?? raw
  const properties = { cause: new ClientError(message, found?.code, error), message, operation: "query" }
  switch (found?.code) {
    case undefined:
      return isLost(error) ? new SqlError.ConnectionError(properties) : new SqlError.UnknownError(properties)
    case "23505":
      return new SqlError.UniqueViolation({ ...properties, constraint: found?.constraint ?? "" })
    case "40P01":
      return new SqlError.DeadlockError(properties)
    case "40001":
      return new SqlError.SerializationError(properties)
    default:
      return new SqlError.UnknownError(properties)
  }
}

/** The error of a host's client. */
const hostError = (error: unknown): SqlError.SqlError => new SqlError.SqlError({ reason: reasonOf(error) })

const unusable = (why: string, sqlState: string | null, cause: unknown): Storage.StorageError =>
  new Storage.StorageError({
    message: `The transaction cannot be used: ${why}`,
    transaction: { is: "unusable", sqlState },
    cause
  })

/** The transaction is one of another database than that of the service. */
const anotherDatabase: Storage.StorageError = unusable("it is one of another database than simplan's", null, undefined)

/** The connection would take nulls for texts. */
const withoutNulls: Storage.StorageError = unusable(
  "its connection has array_nulls = off, but must have on",
  null,
  undefined
)

/** Why a transaction cannot be used, by the SQLSTATE of a statement in it. */
const whyByState: Readonly<Record<string, string>> = {
  "25P01":
    "none is open on this connection. It must be the client on which the transaction was begun, not its pool, and only until it ends",
  "25P02": "a statement in it has failed, so it has to be rolled back",
  "25006": "it is read-only"
}

/** Why one cannot be used on a connection of the host's. */
const whyByStateOfHost: Readonly<Record<string, string>> = {
  "3F000": "the database has no tables of simplan",
  "42P01": "the database has no tables of simplan",
  "42501": "its user may not use the tables of simplan"
}

/**
 * What is read and locked stays as it is until the transaction ends, so a second try in it fails
 * like the first.
 */
const NEEDS_NEW_TRANSACTION: ReadonlySet<string> = new Set(["DeadlockError", "SerializationError"])

/** That of a lock which `lock_timeout` lets nobody wait for any longer. */
const LOCK_NOT_AVAILABLE = "55P03"

/** What has taken longer than a setting of the host's lets it, by SQLSTATE. */
const whatTimedOut: Readonly<Record<string, string>> = {
  "57014": "a statement in it was cancelled, as statement_timeout does",
  "25P03": "it was idle for longer than idle_in_transaction_session_timeout",
  "25P04": "it took longer than transaction_timeout"
}

/** The failure of a statement inside a transaction of the host. */
export const storageError = (error: SqlError.SqlError): Storage.StorageError => {
  const { reason } = error
  const plain = Failure.storageError(error)
  const state = Failure.stateOf(error)
  const isHosts = reason.cause instanceof ClientError
  const timedOut = state === undefined ? undefined : whatTimedOut[state]
  if (state !== undefined && timedOut !== undefined) {
    return new Storage.StorageError({
      message: `The transaction cannot be used: ${timedOut} (${state}: ${plain.message}): roll it back, and begin it anew`,
      transaction: { is: "timed out", sqlState: state },
      cause: error
    })
  }
  if (NEEDS_NEW_TRANSACTION.has(reason._tag) || state === LOCK_NOT_AVAILABLE) {
    return new Storage.StorageError({
      message: `${plain.message} (${state ?? reason._tag}): roll the transaction back, and begin it anew`,
      transaction: { is: "in conflict", sqlState: state ?? "40001" },
      cause: error
    })
  }
  if (state === undefined) {
    const isRefused = isHosts && reason._tag !== "ConnectionError"
    return isRefused ? unusable(`its client refuses a statement: ${plain.message}`, null, error) : plain
  }
  const why = whyByState[state] ?? (isHosts ? whyByStateOfHost[state] : undefined)
  return why === undefined ? plain : unusable(`${why} (${state}: ${plain.message})`, state, error)
}

/**
 * The failure of a commit inside a transaction of the host. After a conflict of transactions none
 * is tried again.
 */
export const commitError = (error: SqlError.SqlError): Storage.Conflict | Storage.StorageError => {
  const found = storageError(error)
  return found.transaction === undefined ? Failure.commitError(error) : found
}

// The statements have texts, numbers, truth values and null alone.
const parameter = (value: unknown): HostTransaction.ParameterValue =>
  value === null || value === undefined
    ? null
    : typeof value === "number" || typeof value === "boolean"
      ? value
      : String(value)

const keep = (host: HostTransaction.HostConnection): Kept => {
  const { prepared, texts } = host
  // The rows that are read have one column.
  const toRows = (found: ReadonlyArray<ReadonlyArray<string | null>>) => found.map(([value]) => ({ value }))
  const found = async (text: string, values: ReadonlyArray<HostTransaction.ParameterValue>) => {
    const isPrepared = prepared !== undefined && kept.prepares && kept.isInside && values.length > 0
    const name = isPrepared ? PgPool.nameOf(text) : undefined
    if (isPrepared && name !== undefined) return toRows(await prepared.texts(name, text, values))
    if (texts !== undefined) return toRows(await texts(text, values))
    const result = await host.query(text, values)
    return "rows" in result ? result.rows : result
  }
  const rows = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.tryPromise({ try: () => found(text, values.map(parameter)), catch: hostError })
  const values = (text: string, parameters: ReadonlyArray<unknown>) =>
    Effect.map(rows(text, parameters), (found) =>
      found.map((row) => (typeof row === "object" && row !== null ? Object.values(row) : []))
    )
  const connection: Connection = {
    execute: rows,
    executeUnprepared: rows,
    executeRaw: rows,
    executeStream: (text, parameters) => Stream.fromIterableEffect(rows(text, parameters)),
    executeValues: values,
    executeValuesUnprepared: values
  }
  const kept: Kept = { connection, isChecked: false, prepares: false, isInside: false }
  return kept
}

// A transaction is always the same connection, so that what is done inside of it takes turns.
const known = new WeakMap<HostTransaction.HostConnection, Kept>()

const knownConnectionOf = (host: HostTransaction.HostConnection): Kept => {
  const kept = known.get(host) ?? keep(host)
  known.set(host, kept)
  return kept
}

/**
 * The database that a client is connected to, as nothing else has it: its id in the server, and
 * when the server started. Null if the database does not say it.
 */
export const databaseOf = (sql: SqlClient.SqlClient): Effect.Effect<string | null, SqlError.SqlError> =>
  Effect.map(sql.unsafe<{ readonly value: string }>(DATABASE), ([row]) => row?.value ?? null)

const NAME = `concat(
    (select oid from pg_database where datname = current_database()), ' ', extract(epoch from pg_postmaster_start_time())
  )`

/** What `databaseOf` asks. */
export const DATABASE = `select to_json(${NAME})::text as value`

/**
 * What a connection is to: what `databaseOf` gives, and the number of the process that serves it.
 */
interface Session {
  readonly database: string
  readonly backend: string
  readonly arrayNulls: string
}

const SESSION = `
  select json_build_object('database', to_json(${NAME})::text, 'backend', pg_backend_pid()::text,
    'arrayNulls', current_setting('array_nulls'))::text as value`

/**
 * Runs effects inside transactions of hosts, in place of transactions of this client. Fails if
 * no transaction is open on the connection, and if it is one of another database than `home`,
 * which is that of this client.
 *
 * Whether one is open is checked before something is written, by the savepoint of the first commit,
 * and at the end if nothing was written.
 */
export const joining = (sql: SqlClient.SqlClient, home: string | null): HostTransaction.Join => {
  let known = home
  const isHome = Effect.fnUntraced(function* (database: string | null) {
    if (database === known) return true
    // The server was perhaps started anew.
    known = yield* databaseOf(sql)
    return database === known
  })
  return <A, E, R>(host: HostTransaction.HostConnection, effect: Effect.Effect<A, E, R>) => {
    const kept = knownConnectionOf(host)
    const { connection } = kept
    const connected = Effect.provideService(sql.transactionService, [connection, 0])
    const checkDatabase = Effect.gen(function* () {
      const [row] = yield* Effect.mapError(connected(sql.unsafe<{ readonly value: string }>(SESSION)), storageError)
      const session: Session | null = row === undefined ? null : JSON.parse(row.value)
      const isAtHome = yield* Effect.mapError(isHome(session?.database ?? null), Failure.storageError)
      if (!isAtHome) return yield* anotherDatabase
      if (session?.arrayNulls === "off") return yield* withoutNulls
      kept.prepares = session?.backend === String(host.prepared?.backend())
      kept.isChecked = true
    })
    const joined: Joined = {
      kept,
      // Outside of a transaction the database refuses to lock a table. This lock waits for nothing
      // but a change of the table.
      check: Effect.asVoid(connected(sql`lock table simplan.clock in access share mode`)),
      isOpen: false
    }
    const checkAfter = (exit: Exit.Exit<A, E>): Effect.Effect<A, E | Storage.StorageError> =>
      joined.isOpen || isOfStorage(exit)
        ? exit
        : Effect.andThen(inTurn(connection, Effect.mapError(joined.check, storageError)), exit)
    return Effect.andThen(
      Effect.suspend(() => (kept.isChecked ? Effect.void : inTurn(connection, checkDatabase))),
      Effect.flatMap(Effect.exit(Effect.provideService(connected(effect), Current, joined)), checkAfter)
    )
  }
}

/** Whether it ended otherwise than by its value or a refusal. */
const isOfStorage = (exit: Exit.Exit<unknown, unknown>): boolean => {
  if (Exit.isSuccess(exit)) return false
  const error = Cause.findErrorOption(exit.cause)
  return Option.isNone(error) || error.value instanceof Storage.StorageError
}

/** The write, if a transaction is open on the connection. */
export const opened = <A>(
  joined: Joined,
  write: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, SqlError.SqlError> =>
  joined.isOpen
    ? write
    : Effect.flatMap(joined.check, () => {
        joined.isOpen = true
        return write
      })

const turns = new WeakMap<Connection, Semaphore.Semaphore>()

/**
 * Reads and commits inside one transaction take turns. If savepoints interleaved, a commit that
 * fails would undo what another has written, and a read could meet a failed transaction.
 */
export const inTurn = <A, E>(connection: Connection, effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const turn = turns.get(connection) ?? Semaphore.makeUnsafe(1)
  turns.set(connection, turn)
  return turn.withPermit(effect)
}

/**
 * The effect within a savepoint: what it has written is undone if it fails, and the transaction can
 * go on. Outside of a transaction the database refuses a savepoint.
 */
export const savepoint = <A, E>(
  joined: Joined,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError.SqlError> => {
  const { kept } = joined
  const run = (text: string) => kept.connection.executeUnprepared(text, [], undefined)
  const undo = Effect.suspend(() => run("rollback to savepoint simplan"))
  // The host may have its connection forget what was prepared on it, by `discard all`.
  const tried = Effect.catchIf(effect, isForgotten, (error) => {
    if (!kept.prepares) return Effect.fail(error)
    kept.prepares = false
    return Effect.andThen(undo, effect)
  })
  return Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(run("savepoint simplan"), () => {
      joined.isOpen = true
      kept.isInside = true
      return Effect.onExit(restore(tried), (exit) => {
        kept.isInside = false
        const released = run("release savepoint simplan")
        return Exit.isSuccess(exit) ? released : Effect.andThen(undo, released)
      })
    })
  )
}

/** That of a prepared statement which the connection does not have. */
const INVALID_STATEMENT_NAME = "26000"

const isForgotten = (error: unknown): boolean =>
  SqlError.isSqlError(error) && Failure.stateOf(error) === INVALID_STATEMENT_NAME
