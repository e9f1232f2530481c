/**
 * The short way of what most requests are, some reads and creations: past the router, the schemas and the middleware, by
 * hand, to the same answers, byte for byte. A read costs half as much here.
 *
 * Only what looks exactly like such a request is taken: its path and parameters as they are commonly written, one key,
 * and of a body the length and the common type. All else goes the ordinary way, and so does a request whose key is not
 * let in.
 */
import { Clock, Effect, Exit, Tracer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type * as Http from "node:http"
import { type ApiKey, Organizations } from "simplan"
import * as Answer from "./Answer.ts"
import * as Cursor from "./Cursor.ts"
import * as Errors from "./Errors.ts"
import * as Creations from "./handlers/Creations.ts"
import * as Reads from "./handlers/Reads.ts"
import * as JsonBody from "./JsonBody.ts"
import * as Metrics from "./Metrics.ts"
import * as Observed from "./Observed.ts"
import * as Query from "./Query.ts"
import type * as RateLimit from "./RateLimit.ts"
import * as Shapes from "./shapes/Subscriptions.ts"
import * as UnderWay from "./UnderWay.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Answers a request if it is one of these, and tells whether it is; `otherwise` answers it if it is not let in. */
export type Express = (request: Http.IncomingMessage, response: Http.ServerResponse, otherwise: () => void) => boolean

/** A request that was recognized. */
interface Recognized {
  readonly key: string
  readonly writes: boolean
  readonly record: Metrics.Record
  readonly run: (caller: ApiKey.ApiKey, request: Http.IncomingMessage) => Effect.Effect<Response, Errors.Failure>
}

const LINE = /^\/v3\/subscriptions\/(\d{18,20})(\/plan-attachments)?(?:\?key=([0-9A-Za-z_]+))?$/
const SIMS = /^\/v3\/sims(?:\?((?:(?:key|page|page_size)=[0-9A-Za-z_-]+(?:&|$))+))?$/
const CREATION = /^\/v3\/subscription(?:\?key=([0-9A-Za-z_]+))?$/
const KEY = /^[0-9A-Za-z_]+$/
const PAGE_SIZE = /^(?:[1-9][0-9]?|100)$/

/** The longest body that goes the short way. */
const COMMON_LENGTH = 65_536

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

const readRecognizer = (reads: Reads.Reads): ((url: string, header: Header) => Recognized | undefined) => {
  const line = "/v3/subscriptions/:iccid"
  const [ofSubscription, ofAttachments, ofSims] = [
    Metrics.recorder("GET", line),
    Metrics.recorder("GET", `${line}/plan-attachments`),
    Metrics.recorder("GET", "/v3/sims")
  ]

  const sims = (query: string | undefined, header: Header): Recognized | undefined => {
    const given = query === undefined ? none : parameters(query)
    const key = keyOf(given?.get("key"), header)
    const size = given?.get("page_size")
    if (given === undefined || key === undefined || (size !== undefined && !PAGE_SIZE.test(size))) return undefined
    const after = Cursor.toSerial(given.get("page"))
    if (after._tag === "Failure") return undefined
    const of = { isEsim: null, label: null, limit: Query.pageSize(size, Reads.SIMS), after: after.success }
    return { key, writes: false, record: ofSims, run: ({ organizationId }) => reads.sims({ organizationId, ...of }) }
  }

  const ofLine = (iccid: string, attachments: string | undefined, key: string | undefined) => {
    if (key === undefined) return undefined
    const [record, read] =
      attachments === undefined ? [ofSubscription, reads.subscription] : [ofAttachments, reads.attachments]
    return { key, writes: false, record, run: ({ organizationId }: ApiKey.ApiKey) => read({ organizationId, iccid }) }
  }

  return (url, header) => {
    const [, iccid, attachments, inQuery] = LINE.exec(url) ?? []
    if (iccid !== undefined) return ofLine(iccid, attachments, keyOf(inQuery, header))
    const page = SIMS.exec(url)
    return page === null ? undefined : sims(page[1], header)
  }
}

/** The body of a request that tells its length. Whoever breaks off is not waited for: its connection closes. */
const bodyOf = (request: Http.IncomingMessage): Effect.Effect<Uint8Array> =>
  Effect.callback((resume) => {
    const chunks: Array<Uint8Array> = []
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk))
    request.once("end", () => {
      const [first] = chunks
      resume(Effect.succeed(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)))
    })
  })

const creationRecognizer = (create: Creations.Creations) => {
  const record = Metrics.recorder("POST", "/v3/subscription")
  const run: Recognized["run"] = ({ organizationId }, request) =>
    bodyOf(request).pipe(
      Effect.flatMap((bytes) => Effect.fromResult(JsonBody.parse(bytes))),
      Effect.flatMap((body) => create(organizationId, body)),
      Effect.map((created) => Answer.created(Shapes.created(created)))
    )
  return (url: string, header: Header): Recognized | undefined => {
    const found = CREATION.exec(url)
    const key = found === null ? undefined : keyOf(found[1], header)
    return key === undefined ? undefined : { key, writes: true, record, run }
  }
}

const isBodiless = ({ headers }: Http.IncomingMessage): boolean =>
  headers["content-length"] === undefined && headers["transfer-encoding"] === undefined

const hasCommonBody = ({ headers }: Http.IncomingMessage): boolean =>
  headers["content-type"] === "application/json" &&
  Number(headers["content-length"]) <= COMMON_LENGTH &&
  headers["content-encoding"] === undefined &&
  headers["idempotency-key"] === undefined &&
  headers.expect === undefined

const send = (to: Http.ServerResponse, { body, headers, status, statusText }: Response): void => {
  if (to.writableEnded) return
  to.writeHead(status, statusText, headers)
  to.end(body._tag === "Uint8Array" ? (body.text ?? body.body) : undefined)
}

/** The short way, for as long as the scope is open; requests end with it. */
export const make = Effect.fnUntraced(function* (limit: RateLimit.RateLimit) {
  const organizations = yield* Organizations.Organizations
  const recognizedRead = readRecognizer(yield* Reads.make)
  const recognizedCreation = creationRecognizer(yield* Creations.make)
  const underWay = yield* UnderWay.make
  const context = yield* Effect.context<never>()
  const fork = Effect.runForkWith(context)
  // The ordinary way makes the spans.
  const isTraced = (yield* Tracer.Tracer) !== Tracer.nativeTracer

  const recognized = (request: Http.IncomingMessage): Recognized | undefined => {
    const { headers, method, url = "" } = request
    if (method === "GET" && isBodiless(request)) return recognizedRead(url, headers["x-api-key"])
    if (method === "POST" && hasCommonBody(request)) return recognizedCreation(url, headers["x-api-key"])
    return undefined
  }

  const answered = (one: Recognized, caller: ApiKey.ApiKey, request: Http.IncomingMessage): Effect.Effect<Response> => {
    const { method = "GET", url = "" } = request
    const telling = Effect.provideServiceEffect(
      HttpServerRequest.HttpServerRequest,
      Effect.sync(() => HttpServerRequest.fromWeb(new Request(`http://localhost${url}`, { method })))
    )
    return one.run(caller, request).pipe(
      Effect.catch((failure) => telling(Errors.respond(failure))),
      Effect.catchCause((cause) => telling(Observed.answerTo(cause)))
    )
  }

  // Null for one that is not let in.
  const answer = (one: Recognized, request: Http.IncomingMessage): Effect.Effect<Response | null> =>
    Effect.matchCauseEffect(organizations.authenticate(one.key), {
      onFailure: () => Effect.succeed(null),
      onSuccess: (caller) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          (one.writes && caller.scope === "read") || limit.take(caller.apiKeyId, now) > 0
            ? Effect.succeed(null)
            : answered(one, caller, request)
        )
    })

  const express: Express = (request, response, otherwise) => {
    const one = isTraced ? undefined : recognized(request)
    if (one === undefined) return false
    const start = performance.now()
    const fiber = fork(answer(one, request))
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
      one.record(answer?.status ?? Observed.GIVEN_UP, (performance.now() - start) / 1000, context)
      if (answer !== undefined) send(response, answer)
    })
    return true
  }
  return express
})
