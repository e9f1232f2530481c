/**
 * The routes that describe the API: the OpenAPI document, the page at `/docs`, and the form at
 * `/docs/reference`. Each is made and compressed when it is first asked for, so that a server
 * starts sooner, and once for each place that a host has mounted routes at: its prefix, and the
 * groups that are there.
 */
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApi, HttpApiScalar, OpenApi } from "effect/http-api"
import type * as RateLimit from "../middleware/RateLimit.ts"
import * as Requests from "../middleware/Requests.ts"
import * as RouteGroups from "../RouteGroups.ts"
import * as Document from "../openapi/Document.ts"
import * as Json from "../openapi/JsonSchema.ts"
import * as Fixed from "./Fixed.ts"
import * as Page from "./Page.ts"

const OPENAPI = "/openapi.json"
const DOCS = "/docs"
const REFERENCE = "/docs/reference"

/** The paths of the routes. */
export const paths = [OPENAPI, DOCS, REFERENCE] as const

// The page brings its fonts and scripts; the policy lets a browser load nothing from elsewhere.
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "font-src data:",
  "worker-src blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/**
 * A browser keeps the answers, and asks after five minutes whether they still hold. A host may show
 * them to some only.
 */
const CACHING = "private, max-age=300"

const html = "text/html; charset=utf-8"

const made = (text: string, contentType: string, headers?: Readonly<Record<string, string>>): Promise<Fixed.Fixed> =>
  Fixed.make({ bytes: Buffer.from(text), contentType, caching: CACHING, headers })

/** Where the routes are that the documents are about. */
type Place = Pick<Requests.Arrival, "prefix" | "groups">

/**
 * How many places are kept. A host whose router has parameters in the prefix has as many as it has
 * requests.
 */
const MOST = 4

/** What is made once, and kept for the last places. */
const lastOf = <A>(make: (place: Place) => Promise<A>): ((place: Place) => Promise<A>) => {
  const kept = new Map<string, Promise<A>>()
  return (place) => {
    const key = JSON.stringify([place.prefix, place.groups])
    const made = kept.get(key) ?? make(place)
    kept.delete(key)
    kept.set(key, made)
    for (const oldest of kept.keys()) if (kept.size > MOST) kept.delete(oldest)
    // Failure: its caller is answered by 500, and the next request makes it anew.
    made.catch(() => kept.delete(key))
    return made
  }
}

/** Answers with what is made once for a place. */
const answering = (make: (place: Place) => Promise<Fixed.Fixed>) => {
  const current = lastOf(make)
  return Effect.gen(function* () {
    const arrival = yield* Requests.CurrentArrival
    return yield* Fixed.answer(yield* Effect.promise(() => current(arrival ?? { prefix: "" })))
  })
}

// The form is a viewer of another project. It shows nothing of that project's own: its client,
// tools and addresses. It fits the window of a phone.
const viewer = (securityScheme: string | undefined) => ({
  withDefaultFonts: false,
  proxyUrl: "",
  hideClientButton: true,
  showDeveloperTools: "never",
  customCss: 'a[href*="//www.scalar.com"]{display:none}.references-rendered{overflow-x:clip}',
  ...(securityScheme !== undefined && { authentication: { preferredSecurityScheme: securityScheme } })
})

// The viewer asks the generator for the document: of a definition without operations, which is
// described by what is made here.
const form = async (document: Json.Record): Promise<string> => {
  const { securitySchemes } = Json.record(document["components"])
  const [scheme] = Object.keys(Json.record(securitySchemes))
  const described = HttpApi.make("described").annotateMerge(OpenApi.annotations({ transform: () => ({ ...document }) }))
  const routes = HttpApiScalar.layer(described, { path: REFERENCE, scalar: viewer(scheme) })
  const { dispose, handler } = HttpRouter.toWebHandler(routes, { disableLogger: true })
  try {
    const response = await handler(new Request(`http://localhost${REFERENCE}`))
    return (await response.text()).replace("<html>", '<html lang="en">')
  } finally {
    await dispose()
  }
}

/**
 * Adds the routes, about the operations that a document has, within the limit of the client's
 * address.
 */
export const layer = (about: Document.About, limited: RateLimit.AddressLimit) => {
  const documents = lastOf(({ groups, prefix }) => {
    const has = (path: string) =>
      about.has?.(path) !== false && (groups === undefined || RouteGroups.have(groups, path))
    return Document.inTurns({ ...about, ...((about.has !== undefined || groups !== undefined) && { has }), prefix })
  })
  const document = answering(async (place) => made(JSON.stringify(await documents(place)), "application/json"))
  const page = answering(async (place) =>
    made(Page.html(await documents(place)), html, { "content-security-policy": Page.policy })
  )
  const reference = answering(async (place) =>
    made(await form(await documents(place)), html, { "content-security-policy": policy })
  )
  return HttpRouter.use((router) =>
    Effect.andThen(
      Effect.andThen(router.add("GET", OPENAPI, limited(document)), router.add("GET", DOCS, limited(page))),
      router.add("GET", REFERENCE, limited(reference))
    )
  )
}
