/**
 * Routes in a host's server: below a prefix of the path, such as `/esim`, and for clients whose address the host's server
 * knows. Behind this, a request has the path that it has without a prefix.
 *
 * A host with requests and responses of Node gets the body of an answer of a known length beside the web response, and a
 * client that goes away interrupts the request without an `AbortSignal`: a body and a signal are most of what web requests
 * and responses cost.
 */
import { Context, Effect, Option } from "effect"
import { HttpBody, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Requests from "./Requests.ts"

/** What a host's server does itself, in place of a web response and of the signal of a web request. */
export interface Direct {
  /** Gets the body of an answer of a known length; the web response has its headers, and no body. */
  readonly take: (body: Uint8Array | string) => void
  /** Gets what interrupts the request, when that begins. */
  readonly begin: (interrupt: () => void) => void
}

/** What the host's server knows of a request. */
export interface Arrival {
  /** What comes before the routes in the request's path, such as `/esim`; empty for nothing. */
  readonly prefix: string
  /** The network address of the client's connection; null where it is unknown. */
  readonly address: string | null
  /** The request as the host's framework has it. */
  readonly host: unknown
  /** Absent: the web response has the body, and the web request's signal interrupts. */
  readonly direct?: Direct
}

/** Where the request came in; null where that is not known. */
export const Current = Context.Reference<Arrival | null>("simplan/http/Mount", { defaultValue: () => null })

/** A path that no route has. */
const OUTSIDE = "/"

const below = (prefix: string, url: string): string => {
  if (prefix === "") return url
  return url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : OUTSIDE
}

type Request = HttpServerRequest.HttpServerRequest

const arrived = (request: Request, { address, prefix }: Arrival): Request =>
  request.modify({
    url: below(prefix, request.url),
    ...(address !== null && { remoteAddress: Option.some(address) })
  })

/** Hands requests to the routes as they are without a prefix. `prefix` is that of requests whose arrival is not known. */
export const around = <A, E, R>(handler: Effect.Effect<A, E, R>, prefix: string): Effect.Effect<A, E, R | Request> => {
  const everywhere: Arrival = { prefix, address: null, host: undefined }
  return Effect.contextWith((context: Context.Context<Request>) => {
    const given = Context.get(context, Current)
    if (given === null && prefix === "") return handler
    const arrival = given ?? everywhere
    const request = arrived(Context.get(context, HttpServerRequest.HttpServerRequest), arrival)
    return handler.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, request),
      Effect.provideService(Current, arrival)
    )
  })
}

type Response = HttpServerResponse.HttpServerResponse

/** Hands over the body. The headers stay, those of the body too. */
const handedOver = (response: Response, { take }: Direct): Response => {
  const { body, headers } = response
  if (body._tag !== "Uint8Array") return response
  take(body.text ?? body.body)
  return Requests.setHeaders(HttpServerResponse.setBody(response, HttpBody.empty), headers)
}

/** Hands over the answer's body, and the way to interrupt the request, where the host takes them. */
export const direct = <E, R>(answer: Effect.Effect<Response, E, R>): Effect.Effect<Response, E, R> =>
  Effect.withFiber((fiber) => {
    const direct = Context.get(fiber.context, Current)?.direct
    if (direct === undefined) return answer
    direct.begin(() => fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation))
    return Effect.map(answer, (response) => handedOver(response, direct))
  })
