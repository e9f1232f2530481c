/**
 * Says in one sentence why the first connection to a database failed: which argument names what is not there.
 */
import type { SqlError } from "effect/sql/SqlError"
import { Storage } from "simplan/ports"

/** Where a host's connections go, and the argument that says so. */
export interface Target {
  /** Such as `url`. */
  readonly argument: string
  /** Such as `127.0.0.1:5432`. */
  readonly address: string
}

const textOf = (value: unknown, name: string): string => {
  if (typeof value !== "object" || value === null || !(name in value)) return ""
  const found: unknown = Reflect.get(value, name)
  return typeof found === "string" ? found : ""
}

/** What a failure of the network says; of several addresses that were tried, the first. */
const networkMessage = (cause: unknown): string =>
  textOf(cause, "message") ||
  (cause instanceof AggregateError && textOf(cause.errors[0], "message")) ||
  textOf(cause, "code") ||
  "no reason is known"

/** What the client says where neither the URL nor the environment names a user. */
const NO_USER = "No username configured"

const sentence = ({ address, argument }: Target, { reason }: SqlError): string | undefined => {
  const { cause } = reason
  const code = textOf(cause, "code")
  const message = textOf(cause, "message")
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

/** The failure of the first connection. */
export const of = (target: Target, error: SqlError): Storage.StorageError | undefined => {
  const message = sentence(target, error)
  return message === undefined ? undefined : new Storage.StorageError({ message, cause: error })
}
