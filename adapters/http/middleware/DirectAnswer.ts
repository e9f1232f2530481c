/**
 * A shorter way for a host with requests and responses of Node: the body of an answer of a known length is handed over
 * beside the web response, and a client that goes away interrupts the request without an `AbortSignal`. A body and a signal
 * are most of what web requests and responses cost.
 */
import { Context, Effect } from "effect"
import { HttpBody, HttpServerError, HttpServerResponse } from "effect/http"
import * as ResponseHeaders from "../wire/ResponseHeaders.ts"
import * as Mount from "./Mount.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Hands over the body. The headers stay, those of the body too. */
const handedOver = (response: Response, { take }: Mount.Direct): Response => {
  const { body, headers } = response
  if (body._tag !== "Uint8Array") return response
  take(body.text ?? body.body)
  return ResponseHeaders.set(HttpServerResponse.setBody(response, HttpBody.empty), headers)
}

/** Hands over the answer's body, and the way to interrupt the request, where the host takes them. */
export const around = <E, R>(answer: Effect.Effect<Response, E, R>): Effect.Effect<Response, E, R> =>
  Effect.withFiber((fiber) => {
    const direct = Context.get(fiber.context, Mount.Current)?.direct
    if (direct === undefined) return answer
    direct.begin(() => fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation))
    return Effect.map(answer, (response) => handedOver(response, direct))
  })
