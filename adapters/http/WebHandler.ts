/**
 * The API as a function from a web `Request` to a web `Response`, for hosts with a server of their own.
 */
import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { Services } from "simplan"
import type { Storage } from "simplan/ports"
import * as UnmatchedRoutes from "./middleware/UnmatchedRoutes.ts"
import * as Routes from "./Routes.ts"

/** Makes the handler. `dispose` releases the services. Requests are not logged. */
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
