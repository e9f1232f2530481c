/**
 * The error of a connection to a telco: what was first, and whether anything can have been sent before it.
 */

/** Errors before a connection is there, after which nothing can have been sent. */
const withoutConnection =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|\w+_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/

/** What was first: `fetch` wraps the error of the connection, which has one for each address of a host. */
export const origin = (error: unknown): unknown => {
  if (error instanceof AggregateError) return error.errors[0]
  return error instanceof Error && error.cause !== undefined ? origin(error.cause) : error
}

const field = (error: unknown, name: "code" | "syscall"): string => {
  const value = typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined
  return typeof value === "string" && /^[A-Za-z_]\w*$/.test(value) ? value : ""
}

/** The code of what was first, such as `ECONNREFUSED`; empty where it has none. */
export const codeOf = (error: unknown): string => field(origin(error), "code")

/** An error and those that it comes of, the outermost first. */
const chain = (error: unknown): ReadonlyArray<unknown> => {
  const first = error instanceof AggregateError ? error.errors[0] : error instanceof Error ? error.cause : undefined
  return first === undefined ? [error] : [error, ...chain(first)]
}

/** Whether nothing can have been sent: no connection was made. One of the errors that this one comes of may say so. */
export const isUnsent = (error: unknown): boolean =>
  chain(error).some((one) => withoutConnection.test(field(one, "code")) || field(one, "syscall") === "connect")
