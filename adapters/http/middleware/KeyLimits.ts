/**
 * The limits of an API key (rule W10): how many requests it may make, what their answers cost, and
 * how many requests and streams it may have under way. All keys of an organization together have a
 * share of a few keys (rule W13). An operator who reads what organizations have is limited as a key
 * is, and all operators together as an organization.
 *
 * A request costs 1, and 1 more for each 64 KiB of its answer, or of what it reads, its body
 * included, if that is more; and 1 for each 5 ms that its heavy reads take the storage, whether
 * they come to an end or not. A stream pays as it is read, and while less than half of the quota is
 * left it goes no faster than the quota comes back, so that the key's other requests are answered
 * meanwhile. An answer shows what is left by `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers).
 */
import { Clock, Effect, type Scope, Stream } from "effect"
import { HttpBody, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { RequestContext } from "simplan"
import { AuditEntry, Clocks } from "simplan/ports"
import * as Errors from "../wire/Errors.ts"
import * as Concurrency from "./Concurrency.ts"
import * as RateLimit from "./RateLimit.ts"
import * as Requests from "./Requests.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The bytes of an answer, or of what is read for it, that cost as much as a request. */
const UNIT = 65_536

/** The time of heavy reads that costs as much as a request, in ms. */
const MILLIS = 5

/** What a streamed answer loads before it begins: two pages, in bytes. */
const STREAMED = 262_144

/** The longest pause before a piece of a stream, in ms. */
const PAUSE = 1_000

type Answer<R> = Effect.Effect<Response, never, R>

/**
 * Makes the answer to an admitted request within the limits of its caller. `read` is the path of a
 * route that only reads.
 */
export type Limited = <R>(answer: Answer<R>, read: string | null) => Answer<R | Scope.Scope>

/** Who reads an answer. */
export interface Reader {
  /** The API key, or what stands for it. */
  readonly key: string
  readonly organizationId: string
  /** What the limits of all keys of the organization go by. */
  readonly all: string
  /** What limits and refusals call it. */
  readonly called: Called
}

/** The names of a reader's limits, and what a refusal calls it and all of its kind. */
interface Called {
  readonly policy: string
  readonly policyOfAll: string
  readonly requests: string
  readonly streams: string
  readonly requestsOfAll: string
  readonly streamsOfAll: string
  readonly reads: string
}

const asKey: Called = {
  policy: "default",
  policyOfAll: "organization",
  requests: "with this API key",
  streams: "to this API key",
  requestsOfAll: "of this organization",
  streamsOfAll: "to this organization",
  reads: "for this organization"
}

const asOperator: Called = {
  policy: "operator",
  policyOfAll: "operators",
  requests: "of this operator",
  streams: "to this operator",
  requestsOfAll: "of operators",
  streamsOfAll: "to operators",
  reads: "for operators"
}

/** The reader that a key, or what stands for it, and an organization make. */
export const reader = (key: string, organizationId: string): Reader => ({
  key,
  organizationId,
  all: `all of ${organizationId}`,
  called: asKey
})

/** The reader that an operator is, whichever organizations it reads. */
export const operator = (name: string): Reader => ({
  key: `operator ${name}`,
  organizationId: AuditEntry.SERVICE,
  all: "all operators",
  called: asOperator
})

export interface KeyLimits {
  /** Charges for a request, or refuses it (429). */
  readonly admit: (reader: Reader) => Effect.Effect<void, Errors.Problem>
  /**
   * Makes the answer to a request of a key within the bounds of the key and of its organization.
   */
  readonly limited: (reader: Reader, request: HttpServerRequest.HttpServerRequest) => Limited
}

/** What a server knows of the clients that read its answers. */
export interface Readers {
  /**
   * Counts what is unread of the answer to a request for a reader, and calls back when the answer
   * is gone. False if nothing is known of it; then it never calls back.
   */
  readonly follow: (request: HttpServerRequest.HttpServerRequest, reader: Reader, gone: () => void) => boolean
  /** Whether a reader may be given another answer. */
  readonly hasRoom: (reader: Reader) => boolean
}

/** Without a server, an answer is gone when it is made. */
const unknown: Readers = { follow: () => false, hasRoom: () => true }

const underWay = (message: string): Errors.ErrorContent => ({
  code: "concurrency_limited",
  message,
  headers: Errors.retryAfter(1)
})

const tooManyRequests = ({ called }: Reader) => underWay(`Too many requests ${called.requests} are under way`)
const tooManyStreams = ({ called }: Reader) => underWay(`Too many lists are being sent ${called.streams}`)
const tooManyRequestsOfAll = ({ called }: Reader) => underWay(`Too many requests ${called.requestsOfAll} are under way`)
const tooManyStreamsOfAll = ({ called }: Reader) => underWay(`Too many lists are being sent ${called.streamsOfAll}`)
const tooMuchIsRead = ({ called }: Reader) => underWay(`Too much is being read ${called.reads}`)

const tooSlow: Errors.ErrorContent = {
  code: "storage_unavailable",
  message: "Reads take too long to begin another one",
  headers: Errors.retryAfter(1)
}

/** How many API keys' limits all keys of an organization have together, unless set. */
export const SHARE = 4

/** A rate limit, and whose it is. */
interface LimitOfCaller {
  /** What headers name it. */
  readonly name: string
  /** What a refusal calls the requests that it counts. */
  readonly of: string
  readonly limit: RateLimit.RateLimit
  readonly caller: string
}

/** The limits of all keys. A request holds its place until its answer is gone. */
export const make = (
  rate: RateLimit.Rate,
  bounds: Concurrency.Bounds,
  readers: Readers = unknown,
  share: number = SHARE
): Effect.Effect<KeyLimits, never, Scope.Scope> =>
  Effect.gen(function* () {
    const ofOrganization: RateLimit.Rate = rate === "off" ? "off" : { ...rate, requests: share * rate.requests }
    const limit = yield* RateLimit.make("requests", rate)
    const limitOfAll = yield* RateLimit.make("requests of organizations", ofOrganization)
    const concurrency = yield* Concurrency.make(bounds)
    const concurrencyOfAll = yield* Concurrency.make({
      requests: share * bounds.requests,
      streams: share * bounds.streams
    })
    const room = yield* Concurrency.makeReadRoom
    const clock = yield* Clock.Clock

    const limitsOf = ({ all, called, key }: Reader): ReadonlyArray<LimitOfCaller> => [
      ...(limit === null ? [] : [{ name: called.policy, of: called.requests, limit, caller: key }]),
      ...(limitOfAll === null
        ? []
        : [{ name: called.policyOfAll, of: called.requestsOfAll, limit: limitOfAll, caller: all }])
    ]

    /**
     * Charges for the heavy reads of a request that were made since it was last charged for them.
     */
    const chargeReads = (reader: Reader, meter: RequestContext.Meter | undefined, now: number): void => {
      if (meter === undefined || meter.millis < MILLIS) return
      for (const { caller, limit: of } of limitsOf(reader)) of.charge(caller, Math.floor(meter.millis / MILLIS), now)
      meter.millis %= MILLIS
    }

    /** The limit of which less is left. */
    const headers = (reader: Reader, now: number): Readonly<Record<string, string>> => {
      const [first, second] = limitsOf(reader).map(({ caller, limit: of, name }) => {
        const { reset, tokens } = of.left(caller, now)
        const policy = `"${name}";q=${of.quota};w=${of.windowSeconds}`
        return { tokens, headers: { "ratelimit-policy": policy, ratelimit: `"${name}";r=${tokens};t=${reset}` } }
      })
      if (first === undefined) return {}
      return second !== undefined && second.tokens < first.tokens ? second.headers : first.headers
    }

    /**
     * Charges for a piece of a stream, and waits if its key or organization has used up half of
     * its quota.
     */
    const paced = (reader: Reader, piece: Uint8Array, meter: RequestContext.Meter | undefined) =>
      Effect.flatMap(Clocks.monotonicNow, (now) => {
        let pause = 0
        chargeReads(reader, meter, now)
        for (const { caller, limit: of } of limitsOf(reader)) {
          pause = Math.max(pause, of.untilHalf(caller, now))
          of.charge(caller, piece.byteLength / UNIT, now)
        }
        return pause === 0 ? Effect.succeed(piece) : Effect.delay(Effect.succeed(piece), Math.min(PAUSE, pause))
      })

    /** Takes the places of a stream; else the refusal. */
    const openStream = (reader: Reader): Errors.ErrorContent | null => {
      if (!concurrency.tryOpenStream(reader.key)) return tooManyStreams(reader)
      if (concurrencyOfAll.tryOpenStream(reader.all)) return null
      concurrency.closeStream(reader.key)
      return tooManyStreamsOfAll(reader)
    }

    const closeStream = (reader: Reader): void => {
      concurrency.closeStream(reader.key)
      concurrencyOfAll.closeStream(reader.all)
    }

    const streamed = (
      reader: Reader,
      response: Response,
      stream: HttpBody.Stream,
      request: RequestContext.RequestContext
    ) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => openStream(reader)),
          (refusal) => Effect.sync(() => refusal === null && closeStream(reader))
        ),
        (refusal) => {
          if (refusal !== null) return Errors.response(refusal)
          if (limit === null) return response
          const { meter } = request
          // Whoever sends the answer goes by another request, or by none.
          const body = Stream.mapEffect(stream.stream, (piece) => paced(reader, piece, meter)).pipe(
            Stream.ensuring(Effect.map(Clocks.monotonicNow, (now) => chargeReads(reader, meter, now))),
            Stream.provideService(RequestContext.Current, request)
          )
          return HttpServerResponse.setBody(response, HttpBody.stream(body, stream.contentType))
        }
      )

    const charged = (
      reader: Reader,
      response: Response,
      meter: RequestContext.Meter | undefined,
      read = 0
    ): Effect.Effect<Response> =>
      limit === null
        ? Effect.succeed(response)
        : Effect.map(Clocks.monotonicNow, (now) => {
            const { body } = response
            const answered = body._tag === "Uint8Array" ? body.contentLength : 0
            const cost = Math.floor(Math.max(answered, read) / UNIT)
            for (const { caller, limit: of } of limitsOf(reader)) of.charge(caller, cost, now)
            chargeReads(reader, meter, now)
            return Requests.setHeaders(response, headers(reader, now))
          })

    return {
      admit: (reader) =>
        limit === null
          ? Effect.void
          : Effect.flatMap(Clocks.monotonicNow, (now) => {
              const limits = limitsOf(reader)
              for (const { caller, limit: rate, of } of limits) {
                const seconds = rate.wait(caller, now)
                if (seconds === 0) continue
                return Effect.fail(
                  new Errors.Problem({
                    code: "rate_limited",
                    message: `Too many requests ${of}`,
                    headers: { ...Errors.retryAfter(seconds), ...headers(reader, now) }
                  })
                )
              }
              for (const { caller, limit: of } of limits) of.take(caller, now)
              return Effect.void
            }),
      limited:
        (reader, request) =>
        <R>(answer: Answer<R>, read: string | null): Answer<R | Scope.Scope> =>
          Effect.withFiber((fiber) => {
            const { all, key, organizationId } = reader
            const current = fiber.getRef(RequestContext.Current)
            const { meter } = current
            const hasRoom = (): boolean => readers.hasRoom(reader)
            let [hasEntered, hasEnteredAll] = [false, false]
            const leave = (): void => {
              if (hasEntered) concurrency.leave(key)
              if (hasEnteredAll) concurrencyOfAll.leave(all)
              hasEntered = false
              hasEnteredAll = false
            }
            let slots = 0
            const leaveRoom = (): void => {
              if (slots > 0) room.give(organizationId, slots)
              slots = 0
            }
            const enterRoom = (taken: number): void => {
              slots = taken
              if (meter !== undefined) meter.leaveRoom = leaveRoom
            }
            const done = Effect.flatMap(answer, (response) => {
              const { body } = response
              const metered = meter?.bytes ?? 0
              if (read !== null) {
                const answered = body._tag === "Uint8Array" ? body.contentLength : body._tag === "Stream" ? STREAMED : 0
                room.learn(organizationId, read, Math.max(answered, metered))
              }
              return body._tag === "Stream"
                ? Effect.flatMap(streamed(reader, response, body, current), (open) => charged(reader, open, meter))
                : charged(reader, response, meter, metered)
            })
            const refused = (content: Errors.ErrorContent) =>
              Effect.suspend(() => {
                leave()
                return charged(reader, Errors.response(content), meter)
              })
            const inRoom = () => {
              if (read === null) return done
              const needed = room.expected(organizationId, read)
              if (room.tryTake(organizationId, needed)) {
                enterRoom(needed)
                return done
              }
              return Effect.flatMap(
                room.take(organizationId, needed, () => enterRoom(needed)),
                (hasRoom) => {
                  if (hasRoom) return done
                  return refused(room.held(organizationId) > 0 ? tooMuchIsRead(reader) : tooSlow)
                }
              )
            }
            const enteredAll = () => {
              hasEnteredAll = concurrencyOfAll.tryEnter(all)
              if (hasEnteredAll) return inRoom()
              return Effect.flatMap(
                concurrencyOfAll.enter(all, () => (hasEnteredAll = true)),
                (isEntered) => (isEntered ? inRoom() : refused(tooManyRequestsOfAll(reader)))
              )
            }
            const entered = Effect.suspend(() => {
              hasEntered = concurrency.tryEnter(key, hasRoom)
              if (hasEntered) return enteredAll()
              return Effect.flatMap(
                concurrency.enter(key, () => (hasEntered = true), hasRoom),
                (isEntered) => (isEntered ? enteredAll() : refused(tooManyRequests(reader)))
              )
            })
            return Effect.onExitPrimitive(entered, (exit) => {
              leaveRoom()
              // Of a request that nobody waits for any more too.
              chargeReads(reader, meter, Clocks.monotonicNowUnsafe(clock))
              const isFollowed = exit._tag === "Success" && readers.follow(request, reader, leave)
              if (!isFollowed) leave()
              return undefined
            })
          })
    }
  })
