/**
 * The routes that tell of the API: the OpenAPI document, the page at `/docs`, and the form at `/docs/reference`. Each is made
 * when it is first asked for, so that a server starts sooner, and again where the next request comes below another prefix.
 */
import { Effect, Layer, type Scope } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import * as Mount from "../middleware/Mount.ts"
import * as Document from "../openapi/Document.ts"
import * as Page from "./Page.ts"

type Response = HttpServerResponse.HttpServerResponse
type Answer = Effect.Effect<Response, unknown, HttpServerRequest.HttpServerRequest | Scope.Scope>

const OPENAPI = "/openapi.json"
const DOCS = "/docs"
const REFERENCE = "/docs/reference"

/** The paths of the routes. */
export const paths = [OPENAPI, DOCS, REFERENCE] as const

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

/** Keeps what was made for the last prefix. */
const madeOnce = <Made>(make: (prefix: string) => Made): Effect.Effect<Made> => {
  let last: { readonly prefix: string; readonly made: Made } | undefined
  return Effect.map(Mount.Current, (arrival) => {
    const prefix = arrival?.prefix ?? ""
    if (last?.prefix !== prefix) last = { prefix, made: make(prefix) }
    return last.made
  })
}

// The layers of this request's own router are in the context.
const onRouterOfItsOwn = (routes: Layer.Layer<never, never, HttpRouter.HttpRouter>) =>
  Effect.suspend(() =>
    Effect.provideService(HttpRouter.toHttpEffect(routes), Layer.CurrentMemoMap, Layer.makeMemoMapUnsafe())
  )

/** Adds the routes, about the operations that a document has. */
export const layer = (about: Document.About) => {
  const documentBelow = (prefix: string) => Document.document({ ...about, prefix })

  const document = madeOnce((prefix) => HttpServerResponse.jsonUnsafe(documentBelow(prefix)))

  const page = madeOnce((prefix) =>
    HttpServerResponse.text(Page.html(documentBelow(prefix)), {
      contentType: "text/html; charset=utf-8",
      headers: { "content-security-policy": Page.policy }
    })
  )

  const form = madeOnce((prefix) =>
    HttpApiScalar.layer(Document.documented({ ...about, prefix }), {
      path: REFERENCE,
      scalar: { withDefaultFonts: false, proxyUrl: "" }
    })
  )
  const reference: Answer = Effect.flatMap(form, (routes) => Effect.flatten(onRouterOfItsOwn(routes)))
  const policed = Effect.map(reference, HttpServerResponse.setHeader("content-security-policy", policy))

  return HttpRouter.use((router) =>
    Effect.andThen(
      Effect.andThen(router.add("GET", OPENAPI, document), router.add("GET", DOCS, page)),
      router.add("GET", REFERENCE, Effect.orDie(policed))
    )
  )
}
