/**
 * The same API as a function from a web `Request` to a web `Response`, for hosts that bring their own server.
 */
import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { Services, Storage } from "simplan"
import * as UnmatchedRoutes from "./middleware/UnmatchedRoutes.ts"
import * as Routes from "./Routes.ts"

/** A handler over a layer of services; `dispose` releases what the layer holds. Nothing is logged per request. */
export const make = <E>(
  options: Routes.Options,
  services: Layer.Layer<Services.Services | Storage.Storage, E>
): {
  readonly handler: (request: Request) => Promise<Response>
  readonly dispose: () => Promise<void>
} => {
  const { dispose, handler } = HttpRouter.toWebHandler(Routes.layer(options).pipe(Layer.provide(services)), {
    disableLogger: true,
    routerConfig: UnmatchedRoutes.routerConfig
  })
  return { dispose, handler: (request) => handler(request) }
}
