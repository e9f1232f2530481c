/**
 * The API as a function from a web `Request` to a web `Response`, for hosts with a server of their
 * own.
 */
import { Context, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { Services } from "simplan"
import type { Storage } from "simplan/ports"
import * as Requests from "./middleware/Requests.ts"
import * as Endpoints from "./Endpoints.ts"
import * as Routes from "./Routes.ts"
import { Codes } from "../fields/index.ts"

/** What the host's server knows of a request. */
export type Arrival = Requests.Arrival

/** The API as a function of web requests, for a server of the host's own. */
export interface WebHandler {
  /**
   * Answers a request. Its path has the prefix, and its `signal` interrupts the use case. `arrival`
   * is what the host's server knows beside the web request; the prefix there stands in place of the
   * one of the options.
   */
  readonly handler: (request: Request, arrival?: Arrival) => Promise<Response>
  /**
   * Waits until no answer is under way. An answer that streams is, until it was read or its reader
   * has gone.
   */
  readonly idle: () => Promise<void>
  /** Breaks off what is under way, and releases the services. */
  readonly dispose: () => Promise<void>
}

/** Counts the answers under way. */
const counting = () => {
  let underWay = 0
  let waiting: Array<() => void> = []
  const enter = Effect.sync(() => {
    underWay += 1
  })
  const leave = Effect.sync(() => {
    underWay -= 1
    if (underWay > 0) return
    for (const wake of waiting) wake()
    waiting = []
  })
  return {
    /** Counts the request whose scope it is; that of a streamed answer ends with the stream. */
    request: Effect.acquireRelease(enter, () => leave),
    idle: () => (underWay === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve)))
  }
}

/** Makes the handler. Requests are not logged. */
export const make = <E>(
  options: Routes.Options,
  services: Layer.Layer<Services.Services | Storage.Storage, E>
): WebHandler => {
  const { idle, request: counted } = counting()
  const count = HttpRouter.middleware((answer) => Effect.andThen(counted, Requests.direct(answer)), {
    global: true
  })
  const observing = Layer.effectContext(Effect.map(Effect.context<Services.Services>(), Requests.observed))
  const { dispose, handler } = HttpRouter.toWebHandler(
    Layer.mergeAll(Routes.layer(options), count, observing).pipe(Layer.provide(services)),
    { disableLogger: true, routerConfig: Endpoints.routerConfig }
  )
  return {
    dispose,
    idle,
    handler: (request, arrival) =>
      handler(request, arrival === undefined ? undefined : Context.make(Requests.CurrentArrival, arrival))
  }
}

/** The answer if the service does not run: 503, with the seconds after which to try again. */
export const notReady = (request: Request, message: string, retryAfterSeconds: number): Response =>
  Response.json(
    { error: true, message, code: "not_ready" },
    {
      status: Codes.status("not_ready"),
      headers: {
        ...Requests.answerHeaders(Requests.idOf(request.headers.get(Requests.ID_HEADER) ?? undefined)),
        "retry-after": String(retryAfterSeconds)
      }
    }
  )
