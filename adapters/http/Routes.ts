/**
 * The routes of the HTTP API: the endpoints with their guards, the OpenAPI document and the documentation page. One
 * listener serves all of them, or one those for callers and another one those for operators.
 */
import { Effect, Layer, type Redacted, type Result } from "effect"
import { HttpMiddleware, HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiScalar } from "effect/http-api"
import { Api } from "./api/Api.ts"
import * as Page from "./docs/Page.ts"
import * as Endpoints from "./Endpoints.ts"
import * as Audit from "./handlers/Audit.ts"
import * as Clock from "./handlers/Clock.ts"
import * as Coverage from "./handlers/Coverage.ts"
import * as Imports from "./handlers/Imports.ts"
import * as Operators from "./handlers/Operators.ts"
import * as Organizations from "./handlers/Organizations.ts"
import * as Plans from "./handlers/Plans.ts"
import * as Problems from "./handlers/Problems.ts"
import * as Reports from "./handlers/Reports.ts"
import * as Sims from "./handlers/Sims.ts"
import * as Subscriptions from "./handlers/Subscriptions.ts"
import * as System from "./handlers/System.ts"
import * as Wallet from "./handlers/Wallet.ts"
import * as Webhooks from "./handlers/Webhooks.ts"
import * as ApiKeyAuth from "./middleware/ApiKeyAuth.ts"
import * as BearerAuth from "./middleware/BearerAuth.ts"
import * as Concurrency from "./middleware/Concurrency.ts"
import * as FailedAuthentication from "./middleware/FailedAuthentication.ts"
import * as KeyLimits from "./middleware/KeyLimits.ts"
import type * as RateLimit from "./middleware/RateLimit.ts"
import * as RequestContexts from "./middleware/RequestContexts.ts"
import * as UnmatchedRoutes from "./middleware/UnmatchedRoutes.ts"
import * as Document from "./openapi/Document.ts"
import type * as RoutePaths from "./wire/RoutePaths.ts"

/**
 * The part of the routes that a listener serves. `operators`: the management API and the metrics. `callers`: everything
 * else. Both have health and readiness.
 */
export type Part = "all" | "callers" | "operators"

export interface Options {
  /** The bearer token of the management API; without one, `/admin` is 404. */
  readonly adminToken?: Redacted.Redacted | undefined
  /** The bearer token of the telco's reports; without one, `/telco` is 404. */
  readonly telcoToken?: Redacted.Redacted | undefined
  /** The rate limit of each API key. */
  readonly rateLimit: RateLimit.Rate
  /** How much each API key may have under way; 32 requests and 8 streams by default. */
  readonly bounds?: Partial<Concurrency.Bounds> | undefined
  /** How many wrong keys and tokens an address may send; 100 in 10 s by default (rule W10). */
  readonly failedAuthentication?: RateLimit.Rate | undefined
  /** How many proxies stand before the server and tell the client's address in `X-Forwarded-For`; none by default. */
  readonly trustedProxies?: number | undefined
  /** Whether webhooks may go to a URL. The failure says why not; it follows the word `url` in the message. */
  readonly checkUrl: (url: string) => Result.Result<unknown, string>
  /** Whether the process takes requests, for `/readyz`; always ready by default. */
  readonly ready?: Effect.Effect<boolean>
  /** All by default. */
  readonly part?: Part
}

const OPENAPI = "/openapi.json"
const DOCS = "/docs"
const REFERENCE = "/docs/reference"

const isForAll = (path: string): boolean => path === "/healthz" || path === "/readyz"

const isForOperators = (path: string): boolean => path === "/metrics" || path.startsWith("/admin/")

/** Whether there is a route of this path. */
const serving = ({ adminToken, part = "all", telcoToken }: Options): ((path: string) => boolean) => {
  const isInPart = (path: string): boolean => isForAll(path) || isForOperators(path) === (part === "operators")
  return (path) =>
    (adminToken !== undefined || !path.startsWith("/admin/")) &&
    (telcoToken !== undefined || !path.startsWith("/telco/")) &&
    (part === "all" || isInPart(path))
}

const endpoints = Effect.fnUntraced(function* (options: Options) {
  const bounds = { ...Concurrency.defaults, ...options.bounds }
  const failed = yield* FailedAuthentication.make(options.failedAuthentication ?? FailedAuthentication.preset)
  const apiKey = yield* ApiKeyAuth.make(yield* KeyLimits.make(options.rateLimit, bounds), failed)
  const adminToken = BearerAuth.make(options.adminToken, "admin", failed)
  const implementations = {
    subscriptions: yield* Subscriptions.make(apiKey),
    plans: yield* Plans.make(apiKey),
    coverage: yield* Coverage.make(apiKey),
    sims: yield* Sims.make(apiKey),
    operators: yield* Operators.make(apiKey),
    wallet: yield* Wallet.make(apiKey),
    organizations: yield* Organizations.make(adminToken),
    imports: yield* Imports.make(adminToken),
    webhooks: yield* Webhooks.make(adminToken, options.checkUrl),
    audit: yield* Audit.make(adminToken),
    problems: yield* Problems.make(adminToken),
    clock: yield* Clock.make(adminToken),
    reports: yield* Reports.make(BearerAuth.make(options.telcoToken, "telco", failed)),
    system: yield* System.make(options.ready ?? Effect.succeed(true))
  }
  return Endpoints.layer(implementations, serving(options))
})

const documents: ReadonlyArray<RoutePaths.Route> = [OPENAPI, DOCS, REFERENCE].map((path) => ({ method: "GET", path }))

/** The methods and paths of the routes. */
const served = (options: Options): ReadonlyArray<RoutePaths.Route> => {
  const routes = [...documents]
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path } }) => void routes.push({ method, path })
  })
  return routes.filter(({ path }) => serving(options)(path))
}

// The page brings its fonts and scripts; the policy lets a browser load nothing from elsewhere.
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "font-src data:",
  "worker-src blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const selfContained = HttpRouter.middleware((httpEffect) =>
  Effect.map(httpEffect, HttpServerResponse.setHeader("content-security-policy", policy))
)

const reference = HttpApiScalar.layer(Document.documented, {
  path: REFERENCE,
  scalar: { withDefaultFonts: false, proxyUrl: "" }
}).pipe(Layer.provide(selfContained.layer))

/** Turns off the platform's span per request, which shows URLs, and URLs hold keys. `Instrumentation` makes the spans. */
export const isUntraced = (): boolean => true

// Made when it is first asked for, so that a server starts sooner.
const openApi = HttpRouter.use((router) => {
  let document: HttpServerResponse.HttpServerResponse | undefined
  const respond = Effect.sync(() => (document ??= HttpServerResponse.jsonUnsafe(Document.document())))
  return router.add("GET", OPENAPI, respond)
})

const docs = HttpRouter.use((router) => {
  let page: HttpServerResponse.HttpServerResponse | undefined
  const respond = Effect.sync(
    () =>
      (page ??= HttpServerResponse.text(Page.html(Document.document()), {
        contentType: "text/html; charset=utf-8",
        headers: { "content-security-policy": Page.policy }
      }))
  )
  return router.add("GET", DOCS, respond)
})

/** Adds the routes to a router. */
export const layer = (options: Options) => {
  const unmatched = UnmatchedRoutes.around(served(options))
  return Layer.mergeAll(
    Layer.unwrap(endpoints(options)),
    options.part === "operators" ? Layer.empty : Layer.mergeAll(openApi, docs, reference),
    HttpRouter.middleware((router) => RequestContexts.around(unmatched(router), options.trustedProxies ?? 0), {
      global: true
    }),
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, isUntraced)
  )
}

/** The configuration of the router of these routes. */
export const routerConfig = Layer.succeed(HttpRouter.RouterConfig, UnmatchedRoutes.routerConfig)
