/**
 * The bodies of telcos' answers, within a limit of bytes (rule W13): whoever is at the other end decides how much is sent,
 * and a telco that is broken, or is none, may send without an end.
 */
import { Data, Effect, Stream } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"

/** The longest answer about one SIM that is read, in bytes. */
export const LONGEST = 1_048_576

/** An answer that is longer; the rest of it was not read. */
export class TooLong extends Data.TaggedError("TelcoCalls.TooLong")<{
  /** The limit, in bytes. */
  readonly longest: number
}> {}

type Response = HttpClientResponse.HttpClientResponse

/** The parts of a body; fails where they are longer together. */
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
  Effect.map(Stream.runCollect(parts(response, longest)), (all) => Buffer.concat(all).toString("utf8"))

/**
 * Reads a body that is of no use, so that the connection can be used again, within the limit and for a second at most. Else it
 * is closed: a body that is left alone keeps its connection until the next garbage collection.
 */
export const discard = (response: Response): Effect.Effect<void> =>
  parts(response, LONGEST).pipe(Stream.runDrain, Effect.timeoutOption("1 second"), Effect.ignore)
