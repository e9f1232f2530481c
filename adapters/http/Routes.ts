/**
 * The routes of the whole HTTP API, with its description and its documentation page, over the services of `simplan`.
 */
import { Effect, Layer, type Redacted, type Result } from "effect"
import { HttpMiddleware, HttpRouter, HttpServer } from "effect/unstable/http"
import { HttpApiBuilder, HttpApiScalar } from "effect/unstable/httpapi"
import { Api } from "./api/Api.ts"
import * as Clock from "./handlers/Clock.ts"
import * as Coverage from "./handlers/Coverage.ts"
import * as Imports from "./handlers/Imports.ts"
import * as Operators from "./handlers/Operators.ts"
import * as Organizations from "./handlers/Organizations.ts"
import * as Plans from "./handlers/Plans.ts"
import * as Reports from "./handlers/Reports.ts"
import * as Sims from "./handlers/Sims.ts"
import * as Subscriptions from "./handlers/Subscriptions.ts"
import * as System from "./handlers/System.ts"
import * as Wallet from "./handlers/Wallet.ts"
import * as Webhooks from "./handlers/Webhooks.ts"
import * as Keys from "./Keys.ts"
import * as Observed from "./Observed.ts"
import type * as RateLimit from "./RateLimit.ts"
import * as Tokens from "./Tokens.ts"
import * as Unmatched from "./Unmatched.ts"

export interface Options {
  /** The bearer token of the management API; without one there is no `/admin`. */
  readonly adminToken?: Redacted.Redacted | undefined
  /** The bearer token of the telco's reports; without one there is no `/telco`. */
  readonly telcoToken?: Redacted.Redacted | undefined
  /** How often one API key may call. */
  readonly rateLimit: RateLimit.Rate
  /** Whether webhooks may go to a URL; the failure says why not, and follows the word `url`. */
  readonly checkUrl: (url: string) => Result.Result<unknown, string>
  /** Whether the process takes requests, for `/readyz`; always where it is absent. */
  readonly ready?: Effect.Effect<boolean>
}

const OPENAPI = "/openapi.json"
const DOCS = "/docs"

const handlers = ({ checkUrl, ready = Effect.succeed(true) }: Options) =>
  Layer.mergeAll(
    Subscriptions.layer,
    Plans.layer,
    Coverage.layer,
    Sims.layer,
    Operators.layer,
    Wallet.layer,
    Organizations.layer,
    Imports.layer,
    Webhooks.layer(checkUrl),
    Clock.layer,
    Reports.layer,
    System.layer(ready)
  )

const hidden = ({ adminToken, telcoToken }: Options): ReadonlyArray<string> => [
  ...(adminToken === undefined ? ["/admin"] : []),
  ...(telcoToken === undefined ? ["/telco"] : [])
]

// Fonts and scripts come with the page: nothing is loaded from elsewhere.
const docs = HttpApiScalar.layer(Api, {
  path: DOCS,
  scalar: { withDefaultFonts: false, proxyUrl: "" }
})

// The spans of requests are made in `Observed`: those of the platform would show URLs, and URLs hold keys.
const untraced = Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)

/** Adds the routes to a router. */
export const layer = (options: Options) => {
  const api = HttpApiBuilder.layer(Api, { openapiPath: OPENAPI }).pipe(
    Layer.provide(handlers(options)),
    Layer.provide([
      Observed.layer,
      Keys.layer(options.rateLimit),
      Tokens.admin(options.adminToken),
      Tokens.telco(options.telcoToken)
    ]),
    Layer.provide(HttpServer.layerServices)
  )
  const unmatched = Unmatched.layer({ paths: [OPENAPI, DOCS], hidden: hidden(options) })
  return Layer.mergeAll(api, docs, unmatched, untraced)
}

/** How the router of these routes is set up. */
export const routerConfig = Layer.succeed(HttpRouter.RouterConfig, Unmatched.routerConfig)
