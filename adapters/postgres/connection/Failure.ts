/**
 * What a failed statement means to the port: a `Conflict`, or a `StorageError`.
 */
import type { SqlError } from "effect/sql/SqlError"
import { Storage } from "simplan/ports"

/** The SQLSTATE that `simplan.ensure` raises. The message names the guard. */
const GUARD = "SP409"

type Conflict = Storage.Conflict

const conflicts: Readonly<Record<string, Conflict["on"]>> = {
  version: "version",
  lease: "lease",
  "idempotency key": "idempotency key",
  command: "command",
  // These unique constraints are named by the port. Any other means that another commit has just made the row.
  region_name: "region name",
  region_countries: "region countries",
  api_key_hash: "api key"
}

const field = (value: unknown, name: "code" | "message"): string | undefined => {
  if (typeof value !== "object" || value === null || !(name in value)) return undefined
  const found: unknown = Reflect.get(value, name)
  return typeof found === "string" ? found : undefined
}

/** The SQLSTATE of a failure that the server has told. */
export const stateOf = ({ reason }: SqlError): string | undefined => field(reason.cause, "code")

/** SQLSTATEs with which the server ends a connection: shutdown, crash, start-up, idle session. */
const ENDED = /^57P0[1235]$/

/**
 * Whether the statement failed with its connection, perhaps because of another statement on it. A failure without a
 * SQLSTATE comes from the client, which then closes the connection.
 */
export const isConnectionLost = ({ reason }: SqlError): boolean => {
  if (reason._tag === "ConnectionError") return true
  const code = field(reason.cause, "code")
  return reason._tag === "UnknownError" && (code === undefined || ENDED.test(code))
}

/** Whether the client refused a message of the server for its size: sent again, it would cost another connection. */
export const isTooLarge = ({ reason }: SqlError): boolean =>
  field(reason.cause, "message")?.includes("maxMessageSize") === true

/** Whether a pooler does not know what it was asked for, such as a setting at the start: so PgBouncer says it. */
export const isProtocolRefused = ({ reason }: SqlError): boolean => field(reason.cause, "code") === "08P01"

/** The failure of a statement without guards. */
export const storageError = (error: SqlError): Storage.StorageError =>
  new Storage.StorageError({ message: field(error.reason.cause, "message") ?? error.message, cause: error })

/**
 * The failure of a commit. A deadlock and a serialization failure are conflicts: the statement changed nothing, and the
 * use case can load and decide again.
 */
export const commitError = (error: SqlError): Conflict | Storage.StorageError => {
  const { reason } = error
  if (reason._tag === "DeadlockError" || reason._tag === "SerializationError") {
    return new Storage.Conflict({ on: "version" })
  }
  if (reason._tag === "UniqueViolation") {
    return new Storage.Conflict({ on: conflicts[reason.constraint] ?? "version" })
  }
  if (field(reason.cause, "code") === GUARD) {
    return new Storage.Conflict({ on: conflicts[field(reason.cause, "message") ?? ""] ?? "version" })
  }
  return storageError(error)
}
