/**
 * The short way of the reads that most requests are: past the router, the schemas and the middleware, by hand, to the
 * same answers, byte for byte. They cost half as much here.
 *
 * Only what looks exactly like such a request is taken: its path and parameters as they are commonly written, one key,
 * no body. All else goes the ordinary way, and so does a request whose key is not let in.
 */
import { Clock, Effect, Exit, Tracer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/unstable/http"
import type * as Http from "node:http"
import { type ApiKey, Organizations, type Refusal, type Storage } from "simplan"
import * as Cursor from "./Cursor.ts"
import * as Errors from "./Errors.ts"
import * as Reads from "./handlers/Reads.ts"
import * as Metrics from "./Metrics.ts"
import * as Observed from "./Observed.ts"
import * as Query from "./Query.ts"
import type * as RateLimit from "./RateLimit.ts"
import * as UnderWay from "./UnderWay.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Answers a request if it is one of these reads, and tells whether it is; `otherwise` answers it if it is not let in. */
export type Express = (request: Http.IncomingMessage, response: Http.ServerResponse, otherwise: () => void) => boolean

/** A read that was recognized. */
interface Read {
  readonly key: string
  readonly record: Metrics.Record
  readonly run: (caller: ApiKey.ApiKey) => Effect.Effect<Response, Refusal.NotFound | Storage.StorageError>
}

const LINE = /^\/v3\/subscriptions\/(\d{18,20})(\/plan-attachments)?(?:\?key=([0-9A-Za-z_]+))?$/
const SIMS = /^\/v3\/sims(?:\?((?:(?:key|page|page_size)=[0-9A-Za-z_-]+(?:&|$))+))?$/
const KEY = /^[0-9A-Za-z_]+$/
const PAGE_SIZE = /^(?:[1-9][0-9]?|100)$/

const none: ReadonlyMap<string, string> = new Map()

/** The parameters of a query without escapes; undefined where one stands twice. */
const parameters = (query: string): ReadonlyMap<string, string> | undefined => {
  const found = new Map<string, string>()
  for (const part of query.split("&")) {
    const equals = part.indexOf("=")
    const name = part.slice(0, equals)
    if (found.has(name)) return undefined
    found.set(name, part.slice(equals + 1))
  }
  return found
}

type Header = string | ReadonlyArray<string> | undefined

/** The key where it stands in one place, the query or the header; undefined where it does not. */
const keyOf = (query: string | undefined, header: Header): string | undefined => {
  if (header === undefined) return query
  return query === undefined && typeof header === "string" && KEY.test(header) ? header : undefined
}

const recognizer = (reads: Reads.Reads): ((url: string, header: Header) => Read | undefined) => {
  const line = "/v3/subscriptions/:iccid"
  const [ofSubscription, ofAttachments, ofSims] = [
    Metrics.recorder("GET", line),
    Metrics.recorder("GET", `${line}/plan-attachments`),
    Metrics.recorder("GET", "/v3/sims")
  ]

  const sims = (query: string | undefined, header: Header): Read | undefined => {
    const given = query === undefined ? none : parameters(query)
    const key = keyOf(given?.get("key"), header)
    const size = given?.get("page_size")
    if (given === undefined || key === undefined || (size !== undefined && !PAGE_SIZE.test(size))) return undefined
    const after = Cursor.toSerial(given.get("page"))
    if (after._tag === "Failure") return undefined
    const of = { isEsim: null, label: null, limit: Query.pageSize(size, Reads.SIMS), after: after.success }
    return { key, record: ofSims, run: ({ organizationId }) => reads.sims({ organizationId, ...of }) }
  }

  const ofLine = (iccid: string, attachments: string | undefined, key: string | undefined): Read | undefined => {
    if (key === undefined) return undefined
    return attachments === undefined
      ? { key, record: ofSubscription, run: ({ organizationId }) => reads.subscription({ organizationId, iccid }) }
      : { key, record: ofAttachments, run: ({ organizationId }) => reads.attachments({ organizationId, iccid }) }
  }

  return (url, header) => {
    const [, iccid, attachments, inQuery] = LINE.exec(url) ?? []
    if (iccid !== undefined) return ofLine(iccid, attachments, keyOf(inQuery, header))
    const page = SIMS.exec(url)
    return page === null ? undefined : sims(page[1], header)
  }
}

const isPlain = ({ headers, method }: Http.IncomingMessage): boolean =>
  method === "GET" && headers["content-length"] === undefined && headers["transfer-encoding"] === undefined

const send = (to: Http.ServerResponse, { body, headers, status, statusText }: Response): void => {
  if (to.writableEnded) return
  to.writeHead(status, statusText, headers)
  to.end(body._tag === "Uint8Array" ? (body.text ?? body.body) : undefined)
}

/** The short way, for as long as the scope is open; requests end with it. */
export const make = Effect.fnUntraced(function* (limit: RateLimit.RateLimit) {
  const organizations = yield* Organizations.Organizations
  const recognized = recognizer(yield* Reads.make)
  const underWay = yield* UnderWay.make
  const context = yield* Effect.context<never>()
  const fork = Effect.runForkWith(context)
  // The ordinary way makes the spans.
  const isTraced = (yield* Tracer.Tracer) !== Tracer.nativeTracer

  const answered = (read: Read, caller: ApiKey.ApiKey, url: string): Effect.Effect<Response> => {
    const request = Effect.provideServiceEffect(
      HttpServerRequest.HttpServerRequest,
      Effect.sync(() => HttpServerRequest.fromWeb(new Request(`http://localhost${url}`)))
    )
    return read.run(caller).pipe(
      Effect.catch((failure) => request(Errors.respond(failure))),
      Effect.catchCause((cause) => request(Observed.answerTo(cause)))
    )
  }

  // Null for one that is not let in.
  const answer = (read: Read, url: string): Effect.Effect<Response | null> =>
    Effect.matchCauseEffect(organizations.authenticate(read.key), {
      onFailure: () => Effect.succeed(null),
      onSuccess: (caller) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          limit.take(caller.apiKeyId, now) > 0 ? Effect.succeed(null) : answered(read, caller, url)
        )
    })

  const express: Express = (request, response, otherwise) => {
    const { url } = request
    const read =
      isTraced || url === undefined || !isPlain(request) ? undefined : recognized(url, request.headers["x-api-key"])
    if (url === undefined || read === undefined) return false
    const start = performance.now()
    const fiber = fork(answer(read, url))
    underWay.add(fiber)
    const onClose = (): void => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    }
    response.on("close", onClose)
    fiber.addObserver((exit) => {
      const answer = Exit.isSuccess(exit) ? exit.value : undefined
      if (answer === null) {
        response.off("close", onClose)
        otherwise()
        return
      }
      read.record(answer?.status ?? Observed.GIVEN_UP, (performance.now() - start) / 1000, context)
      if (answer !== undefined) send(response, answer)
    })
    return true
  }
  return express
})
