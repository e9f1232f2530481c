/**
 * The limits of an API key (rule W10): how many requests it may make, what their answers cost, and how many requests and
 * streams it may have under way.
 *
 * A request costs 1, and 1 more for each 64 KiB of its answer, or of what it reads where that is more. A stream pays as it is read, and while less than half of
 * the quota is left it goes no faster than the quota comes back, so that the key's other requests are answered
 * meanwhile. An answer tells what is left by `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
 */
import { Effect, type Scope, Stream } from "effect"
import { HttpBody, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { ReadCost } from "simplan"
import { MonotonicTime } from "simplan/ports"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as Errors from "../wire/Errors.ts"
import * as ResponseHeaders from "../wire/ResponseHeaders.ts"
import type * as UnreadBytes from "../connections/UnreadBytes.ts"
import * as Concurrency from "./Concurrency.ts"
import type * as Guard from "./Guard.ts"
import * as RateLimit from "./RateLimit.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The bytes of an answer, or of what is read for it, that cost as much as a request. */
const UNIT = 65_536

/** The longest pause before a piece of a stream, in ms. */
const PAUSE = 1_000

export interface KeyLimits {
  /** Charges for a request, or refuses it (429). */
  readonly admit: (key: string) => Effect.Effect<void, Errors.Problem>
  /** Makes the answer to a request of a key within the bounds of the key and of its organization. */
  readonly limited: (reader: UnreadBytes.Reader, request: Request) => Guard.Limited
}

/** What a server knows of the clients that read its answers. */
export interface Readers {
  /**
   * Counts what is unread of the answer to a request for a reader, and calls back when the answer is gone. False where
   * nothing is known of it; then it never calls back.
   */
  readonly follow: (request: Request, reader: UnreadBytes.Reader, gone: () => void) => boolean
  /** Whether a reader may be given another answer. */
  readonly hasRoom: (reader: UnreadBytes.Reader) => boolean
}

/** Without a server, an answer is gone when it is made. */
const unknown: Readers = { follow: () => false, hasRoom: () => true }

const underWay = (message: string): Errors.ErrorContent => ({
  code: "concurrency_limited",
  message,
  headers: Errors.retryAfter(1)
})

const tooManyRequests = underWay("Too many requests with this API key are under way")
const tooManyStreams = underWay("Too many lists are being sent to this API key")

/** The limits of all keys. A request holds its place until its answer is gone. */
export const make = (
  rate: RateLimit.Rate,
  bounds: Concurrency.Bounds,
  readers: Readers = unknown
): Effect.Effect<KeyLimits, never, Scope.Scope> =>
  Effect.gen(function* () {
    const limit = yield* RateLimit.make("requests", rate)
    const concurrency = yield* Concurrency.make(bounds)
    const policy = limit === null ? "" : `"default";q=${limit.quota};w=${limit.windowSeconds}`

    const headers = (key: string, now: number): Readonly<Record<string, string>> => {
      if (limit === null) return {}
      const { reset, tokens } = limit.left(key, now)
      return { "ratelimit-policy": policy, ratelimit: `"default";r=${tokens};t=${reset}` }
    }

    /** Charges for a piece of a stream, and waits where its key has used up half of its quota. */
    const paced = (key: string, piece: Uint8Array): Effect.Effect<Uint8Array> => {
      if (limit === null) return Effect.succeed(piece)
      return Effect.flatMap(MonotonicTime.now, (now) => {
        const pause = limit.untilHalf(key, now)
        limit.charge(key, piece.byteLength / UNIT, now)
        return pause === 0 ? Effect.succeed(piece) : Effect.delay(Effect.succeed(piece), Math.min(PAUSE, pause))
      })
    }

    const streamed = (key: string, response: Response, stream: HttpBody.Stream) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => concurrency.tryOpenStream(key)),
          (isOpen) => Effect.sync(() => isOpen && concurrency.closeStream(key))
        ),
        (isOpen) => {
          if (!isOpen) return ErrorResponses.make(tooManyStreams)
          if (limit === null) return response
          const body = Stream.mapEffect(stream.stream, (piece) => paced(key, piece))
          return HttpServerResponse.setBody(response, HttpBody.stream(body, stream.contentType))
        }
      )

    const told = (key: string, response: Response, read = 0): Effect.Effect<Response> =>
      limit === null
        ? Effect.succeed(response)
        : Effect.map(MonotonicTime.now, (now) => {
            const { body } = response
            const answered = body._tag === "Uint8Array" ? body.contentLength : 0
            limit.charge(key, Math.floor(Math.max(answered, read) / UNIT), now)
            return ResponseHeaders.set(response, headers(key, now))
          })

    return {
      admit: (key) =>
        limit === null
          ? Effect.void
          : Effect.flatMap(MonotonicTime.now, (now) => {
              const seconds = limit.take(key, now)
              if (seconds === 0) return Effect.void
              return Effect.fail(
                new Errors.Problem({
                  code: "rate_limited",
                  message: "Too many requests with this API key",
                  headers: { ...Errors.retryAfter(seconds), ...headers(key, now) }
                })
              )
            }),
      limited:
        (reader, request) =>
        <R>(answer: Effect.Effect<Response, never, R>): Effect.Effect<Response, never, R | Scope.Scope> =>
          Effect.suspend(() => {
            const { key } = reader
            const hasRoom = (): boolean => readers.hasRoom(reader)
            let hasEntered = false
            const leave = (): void => {
              if (hasEntered) concurrency.leave(key)
              hasEntered = false
            }
            const meter: ReadCost.Meter = { bytes: 0 }
            const done = Effect.flatMap(Effect.provideService(answer, ReadCost.Current, meter), (response) =>
              response.body._tag === "Stream"
                ? Effect.flatMap(streamed(key, response, response.body), (open) => told(key, open))
                : told(key, response, meter.bytes)
            )
            const entered = Effect.suspend(() => {
              hasEntered = concurrency.tryEnter(key, hasRoom)
              if (hasEntered) return done
              return Effect.flatMap(
                concurrency.enter(key, () => (hasEntered = true), hasRoom),
                (isEntered) => (isEntered ? done : told(key, ErrorResponses.make(tooManyRequests)))
              )
            })
            return Effect.onExitPrimitive(entered, (exit) => {
              const isFollowed = exit._tag === "Success" && readers.follow(request, reader, leave)
              if (!isFollowed) leave()
              return undefined
            })
          })
    }
  })
