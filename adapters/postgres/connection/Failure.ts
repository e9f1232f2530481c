/**
 * What a failed statement means: a failure of the package `pg` as a `SqlError`, by its SQLSTATE
 * if the server sent it, and else a lost connection; a `SqlError` as what the port knows, a
 * `Conflict` or a `StorageError`; and what a host is told if it cannot connect.
 */
import {
  AuthenticationError,
  ConnectionError,
  ConstraintError,
  DeadlockError,
  SerializationError,
  SqlError,
  SqlSyntaxError,
  UniqueViolation,
  UnknownError
} from "effect/sql/SqlError"
import { Storage } from "simplan/ports"

const text = (value: unknown, name: string): string | undefined => {
  if (typeof value !== "object" || value === null || !(name in value)) return undefined
  const found: unknown = Reflect.get(value, name)
  return typeof found === "string" ? found : undefined
}

const reasonOf = (cause: unknown) => {
  const props = { cause, message: text(cause, "message") ?? "The statement failed", operation: "query" }
  const code = text(cause, "code")
  // An error of the network has a code as well, such as EPIPE; the server's alone has a severity.
  if (code === undefined || text(cause, "severity") === undefined) return new ConnectionError(props)
  if (code.startsWith("08")) return new ConnectionError(props)
  if (code.startsWith("28")) return new AuthenticationError(props)
  if (code.startsWith("42")) return new SqlSyntaxError(props)
  if (code === "23505") return new UniqueViolation({ ...props, constraint: text(cause, "constraint") ?? "" })
  if (code.startsWith("23")) return new ConstraintError(props)
  if (code === "40P01") return new DeadlockError(props)
  if (code === "40001") return new SerializationError(props)
  return new UnknownError(props)
}

export const ofPg = (cause: unknown): SqlError => new SqlError({ reason: reasonOf(cause) })

/** The database has not answered for so many milliseconds. */
export const silence = (milliseconds: number): SqlError => {
  const message = `The database has not answered for ${milliseconds} ms`
  return new SqlError({ reason: new ConnectionError({ cause: new Error(message), message, operation: "query" }) })
}

/** The SQLSTATE that `simplan.ensure` raises. The message names the guard. */
const GUARD = "SP409"

type Conflict = Storage.Conflict

const conflicts: Readonly<Record<string, Conflict["on"]>> = {
  version: "version",
  lease: "lease",
  "idempotency key": "idempotency key",
  command: "command",
  // These unique constraints are named by the port. Any other means that another commit has just
  // made the row.
  region_name: "region name",
  region_countries: "region countries",
  api_key_hash: "api key",
  operator_hash: "operator token",
  operator_name: "operator name"
}

/** What a client says if the server has named no constraint. */
const UNNAMED = new Set(["", "unknown"])

/**
 * The unique constraint that was violated. An engine that is distributed names the one of a shard,
 * which has a number at its end, and may name it in the message alone.
 */
const violated = ({ cause, constraint, message }: UniqueViolation): string => {
  const said = text(cause, "message") ?? message
  const named = UNNAMED.has(constraint) ? /unique constraint "([^"]+)"/.exec(said)?.[1] : constraint
  return (named ?? "").replace(/_\d+$/, "")
}

/** The SQLSTATE of a failure that the server has reported. */
export const stateOf = ({ reason }: SqlError): string | undefined => text(reason.cause, "code")

/** SQLSTATEs with which the server ends a connection: shutdown, crash, start-up, idle session. */
const ENDED = /^57P0[1235]$/

/** How the server ends a statement, and not the connection. */
const ERROR = "ERROR"

/**
 * Whether the server could not reach another one that has the rows: its own connection goes on.
 */
export const isServerUnreached = ({ reason: { cause } }: SqlError): boolean =>
  text(cause, "code")?.startsWith("08") === true && text(cause, "severity") === ERROR

/**
 * Whether the statement failed with its connection, perhaps because of another statement on it. A
 * failure without a SQLSTATE comes from the client, which then closes the connection.
 */
export const isConnectionLost = (error: SqlError): boolean => {
  const { reason } = error
  if (isServerUnreached(error)) return false
  if (reason._tag === "ConnectionError") return true
  const code = text(reason.cause, "code")
  return reason._tag === "UnknownError" && (code === undefined || ENDED.test(code))
}

/**
 * Whether the client refused a message of the server for its size: sent again, it would cost
 * another connection.
 */
export const isTooLarge = ({ reason }: SqlError): boolean =>
  text(reason.cause, "message")?.includes("maxMessageSize") === true

/** Whether the server stopped the statement, as after its `statement_timeout`. */
export const isStopped = ({ reason }: SqlError): boolean => text(reason.cause, "code") === "57014"

/**
 * Whether a pooler does not know what it was asked for, such as a setting at the start: so
 * PgBouncer says it.
 */
export const isProtocolRefused = ({ reason }: SqlError): boolean => text(reason.cause, "code") === "08P01"

/** Whether the statement is none for a transaction that is read-only, as all of a standby are. */
export const isReadOnly = (error: SqlError): boolean => stateOf(error) === "25006"

/** Whether the user of the database has no right to what the statement does. */
export const isNotAllowed = (error: SqlError): boolean => stateOf(error) === "42501"

/** The failure of a statement without guards. */
export const storageError = (error: SqlError): Storage.StorageError =>
  new Storage.StorageError({ message: text(error.reason.cause, "message") ?? error.message, cause: error })

/**
 * The failure of a commit. A deadlock and a serialization failure are conflicts: the statement
 * changed nothing, and the use case can load and decide again.
 */
export const commitError = (error: SqlError): Conflict | Storage.StorageError => {
  const { reason } = error
  if (reason._tag === "DeadlockError" || reason._tag === "SerializationError") {
    return new Storage.Conflict({ on: "version" })
  }
  if (reason._tag === "UniqueViolation") {
    return new Storage.Conflict({ on: conflicts[violated(reason)] ?? "version" })
  }
  if (text(reason.cause, "code") === GUARD) {
    return new Storage.Conflict({ on: conflicts[text(reason.cause, "message") ?? ""] ?? "version" })
  }
  return storageError(error)
}

/** Where a host's connections go, and the argument that says so. */
export interface Target {
  /** Such as `url`. */
  readonly argument: string
  /** Such as `127.0.0.1:5432`. */
  readonly address: string
}

/** Of several addresses that were tried, the first one's error. */
const firstOf = (cause: unknown): unknown => {
  const errors: unknown = typeof cause === "object" && cause !== null ? Reflect.get(cause, "errors") : undefined
  return Array.isArray(errors) ? errors[0] : undefined
}

/** What a failure of the network says; of several addresses that were tried, the first. */
const networkMessage = (cause: unknown): string =>
  text(cause, "message") || text(firstOf(cause), "message") || text(cause, "code") || "no reason is known"

/** What the client says if neither the URL nor the environment names a user. */
const NO_USER = "No username configured"

const sentence = ({ address, argument }: Target, { reason }: SqlError): string | undefined => {
  const { cause } = reason
  const code = text(cause, "code") ?? ""
  const message = text(cause, "message")
  if (code === "3D000")
    return `${argument} names a database that is not at ${address}, and must name one that is: ${message}`
  if (/^28/.test(code)) {
    return `${argument} names a user whom the database at ${address} does not let in, or a wrong password: ${message}`
  }
  if (reason._tag !== "ConnectionError") return undefined
  if (message === NO_USER) {
    return `${argument} names no user, and neither does the environment (USER): must be such as postgres://user@${address}/database`
  }
  return `${argument} names ${address}, where no PostgreSQL can be reached, and must name one that can: ${networkMessage(cause)}`
}

/**
 * Says in one sentence why the first connection to a database failed: which argument names what is
 * not there.
 */
export const ofFirstConnection = (target: Target, error: SqlError): Storage.StorageError | undefined => {
  const message = sentence(target, error)
  return message === undefined ? undefined : new Storage.StorageError({ message, cause: error })
}
