/**
 * What a failure of the package `pg` is as a `SqlError`: by its SQLSTATE where the server sent it, and else a lost connection.
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

const field = (value: unknown, name: string): string | undefined => {
  if (typeof value !== "object" || value === null || !(name in value)) return undefined
  const found: unknown = Reflect.get(value, name)
  return typeof found === "string" ? found : undefined
}

const reasonOf = (cause: unknown) => {
  const props = { cause, message: field(cause, "message") ?? "The statement failed", operation: "query" }
  const code = field(cause, "code")
  // An error of the network has a code as well, such as EPIPE; the server's alone has a severity.
  if (code === undefined || field(cause, "severity") === undefined) return new ConnectionError(props)
  if (code.startsWith("08")) return new ConnectionError(props)
  if (code.startsWith("28")) return new AuthenticationError(props)
  if (code.startsWith("42")) return new SqlSyntaxError(props)
  if (code === "23505") return new UniqueViolation({ ...props, constraint: field(cause, "constraint") ?? "unknown" })
  if (code.startsWith("23")) return new ConstraintError(props)
  if (code === "40P01") return new DeadlockError(props)
  if (code === "40001") return new SerializationError(props)
  return new UnknownError(props)
}

export const of = (cause: unknown): SqlError => new SqlError({ reason: reasonOf(cause) })

/** The database has not answered for so many milliseconds. */
export const silence = (milliseconds: number): SqlError => {
  const message = `The database has not answered for ${milliseconds} ms`
  return new SqlError({ reason: new ConnectionError({ cause: new Error(message), message, operation: "query" }) })
}
