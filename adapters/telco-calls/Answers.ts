/**
 * What adapters read of a telco's answers over HTTP: bodies, `Retry-After`, and the error of a
 * connection that gave none.
 *
 * Bodies are read within a limit of bytes (rule W13): whoever is at the other end decides how much
 * is sent, and a telco that is broken, or is none, may send without an end.
 */
import { Data, Effect, Stream } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import { RetryAfter } from "simplan/ports"
import { CallFailure } from "./CallFailure.ts"

/** The longest answer about one SIM that is read, in bytes. */
export const LONGEST = 1_048_576

/** An answer that is longer; the rest of it was not read. */
export class TooLong extends Data.TaggedError("TelcoCalls.TooLong")<{
  /** The limit, in bytes. */
  readonly longest: number
}> {}

type Response = HttpClientResponse.HttpClientResponse

/** The parts of a body; fails if they are longer together. */
export const parts = (
  response: Response,
  longest: number
): Stream.Stream<Uint8Array, HttpClientError.HttpClientError | TooLong> => {
  let length = 0
  return response.stream.pipe(
    Stream.catchIf(
      ({ reason }) => reason._tag === "EmptyBodyError",
      () => Stream.empty
    ),
    Stream.mapEffect((part) => {
      length += part.length
      return length > longest ? Effect.fail(new TooLong({ longest })) : Effect.succeed(part)
    })
  )
}

/** The text of a body. */
export const text = (
  response: Response,
  longest: number = LONGEST
): Effect.Effect<string, HttpClientError.HttpClientError | TooLong> =>
  Effect.map(Stream.runCollect(parts(response, longest)), (all) => {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    return all.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode()
  })

/**
 * Reads a body that is of no use, so that the connection can be used again, within the limit and
 * for a second at most. Else it is closed: a body that is left alone keeps its connection until the
 * next garbage collection.
 */
export const discard = (response: Response): Effect.Effect<void> =>
  // Failure: the connection is closed, and the next call opens another.
  parts(response, LONGEST).pipe(Stream.runDrain, Effect.timeoutOption("1 second"), Effect.ignore)

/** The longest wait, in seconds: the longest step of the retry schedule. */
const LONGEST_WAIT = 3_600

/**
 * The seconds to wait from `now` (milliseconds since the epoch), by the header `Retry-After`;
 * undefined if it says nothing.
 */
export const retryAfterSeconds = (header: string | undefined, now: number): number | undefined => {
  const asked = RetryAfter.seconds(header, now)
  return asked === undefined ? undefined : Math.min(asked, LONGEST_WAIT)
}

/** Errors before a connection is there, after which nothing can have been sent. */
const withoutConnection =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|\w+_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/

// In Jest the errors of Node's modules are of another realm, and no `Error` here.
const part = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined

/**
 * What an error comes of; undefined if nothing is known. A host has an error for each of its
 * addresses.
 */
const behind = (error: unknown): unknown => {
  const errors = part(error, "errors")
  return Array.isArray(errors) ? errors[0] : part(error, "cause")
}

/**
 * What was first: `fetch` wraps the error of the connection, which has one for each address of a
 * host.
 */
export const origin = (error: unknown): unknown => {
  const first = behind(error)
  return first === undefined ? error : origin(first)
}

/** What was first, in its own words. */
export const reasonOf = (error: unknown): string => {
  const message = part(origin(error), "message")
  return typeof message === "string" && message !== "" ? message : "the connection failed"
}

const field = (error: unknown, name: "code" | "syscall"): string => {
  const value = part(error, name)
  return typeof value === "string" && /^[A-Za-z_]\w*$/.test(value) ? value : ""
}

/** The code of what was first, such as `ECONNREFUSED`; empty if it has none. */
export const codeOf = (error: unknown): string => field(origin(error), "code")

/** An error and those that it comes of, the outermost first. */
const chain = (error: unknown): ReadonlyArray<unknown> => {
  const first = behind(error)
  return first === undefined ? [error] : [error, ...chain(first)]
}

/**
 * Whether nothing can have been sent: no connection was made. One of the errors that this one comes
 * of may say so.
 */
export const isUnsent = (error: unknown): boolean =>
  chain(error).some((one) => withoutConnection.test(field(one, "code")) || field(one, "syscall") === "connect")

/**
 * The failure of a call without an answer. Only the error's code is kept: its text may have the
 * address, and bodies.
 */
export const disconnected = (telco: string, operation: string, error: unknown): CallFailure => {
  const code = codeOf(error)
  const shown = code === "" ? "" : ` (${code})`
  return isUnsent(error)
    ? new CallFailure({
        outcome: "NotDone",
        isAnswered: false,
        message: `${telco} cannot be reached for ${operation}${shown}`
      })
    : new CallFailure({
        outcome: "Unknown",
        isAnswered: false,
        message: `The connection to ${telco} ended during ${operation}${shown}`
      })
}
