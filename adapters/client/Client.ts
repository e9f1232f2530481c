/**
 * The client, with a method for each endpoint of the API: `client.subscriptions.create({ payload })`. Calls that are safe to
 * repeat are repeated (see `Retries`), and an answer of another shape than the definition's is a failure.
 *
 * For Promises, each method of the derived client is a function that returns a Promise. It rejects with the error of the
 * Effect: an `ApiError` for a refusal, an `HttpClientError` where no server answers. The items of a list in pages are a Stream
 * of Effect, or an async iterable; the next page is asked for when the items of the one before were taken.
 */
import { Context, Effect, Option, Redacted, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, type HttpApiEndpoint } from "effect/http-api"
import { Api } from "simplan/http-api"
import type { ApiError } from "./ApiError.ts"
import * as Retries from "./Retries.ts"

/** A secret may be given as text, or redacted so that it cannot be logged by accident. */
type Secret = string | Redacted.Redacted

/** Whom the client talks to, and as whom. A call whose secret is absent is sent without one. */
export interface Options {
  /** The address of the server, such as `https://simplan.example.com`. */
  readonly url: string
  /** An API key of an organization, for `/v3`. */
  readonly key?: Secret | undefined
  /** The token of the management API. */
  readonly adminToken?: Secret | undefined
  /** The token of the telco's reports. */
  readonly telcoToken?: Secret | undefined
  /** How often a request is sent again; 4 times by default. */
  readonly retries?: number | undefined
}

/** The `Idempotency-Key` of the calls below; a new one for each call where none is given. */
export const IdempotencyKey = Context.Reference<string | undefined>("simplan/client/IdempotencyKey", {
  defaultValue: () => undefined
})

type Groups = (typeof Api)["groups"]

/** The client for Effect. Its methods fail with an `ApiError`, or where no server answers. */
export type Client = HttpApiClient.Client<Groups[keyof Groups], ApiError>

/** The text of a secret. */
const reveal = (secret: Secret): string => (typeof secret === "string" ? secret : Redacted.value(secret))

const RETRIES = 4

const credentialsFor = (options: Options, path: string): Readonly<Record<string, string>> => {
  const bearer = (token: Secret | undefined) =>
    token === undefined ? undefined : { authorization: `Bearer ${reveal(token)}` }
  if (path.startsWith("/admin/")) return bearer(options.adminToken) ?? {}
  if (path.startsWith("/telco/")) return bearer(options.telcoToken) ?? {}
  return options.key === undefined || !path.startsWith("/v3/") ? {} : { "x-api-key": reveal(options.key) }
}

/** The request with its credentials, its `Idempotency-Key` and the server's address. */
const addressed = (options: Options) => (request: HttpClientRequest.HttpClientRequest) =>
  Effect.map(IdempotencyKey, (given) => {
    const isKeyed = request.method === "POST" && request.url.startsWith("/v3/")
    return request.pipe(
      HttpClientRequest.setHeaders(credentialsFor(options, request.url)),
      HttpClientRequest.setHeaders(isKeyed ? { "idempotency-key": given ?? crypto.randomUUID() } : {}),
      HttpClientRequest.prependUrl(options.url.replace(/\/+$/, ""))
    )
  })

/** The client for Effect. It calls through the `HttpClient` that it is given. */
export const make = (options: Options): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  Effect.flatMap(HttpClient.HttpClient, (http) =>
    HttpApiClient.makeWith(Api, {
      httpClient: HttpClient.mapRequestEffect(Retries.around(http, options.retries ?? RETRIES), addressed(options))
    })
  )

/** Options of a single call. */
export interface CallOptions {
  /** Breaks the call off, and whatever retries are left. */
  readonly signal?: AbortSignal
  /** A key of one's own, for calls that other processes may repeat. */
  readonly idempotencyKey?: string
}

type Request<Endpoint> = Endpoint extends HttpApiEndpoint.ConstraintRequest
  ? HttpApiEndpoint.ClientRequest<
      Endpoint["~Params"],
      Endpoint["~Query"],
      Endpoint["~Payload"],
      Endpoint["~Headers"],
      "decoded-only"
    >
  : never

type Answer<Endpoint> = Endpoint extends HttpApiEndpoint.ConstraintRequest
  ? HttpApiClient.SuccessType<Endpoint["~Success"]>
  : never

type Method<Endpoint> = (request: Request<Endpoint>, options?: CallOptions) => Promise<Answer<Endpoint>>

/** A method for each endpoint of the API, by group. */
export type Promised = {
  readonly [Group in keyof Groups]: {
    readonly [Id in keyof Groups[Group]["endpoints"]]: Method<Groups[Group]["endpoints"][Id]>
  }
}

type Fetch = typeof globalThis.fetch

// The methods of a made client need no context.
const isEffect = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)

const method =
  (call: unknown, fetch: Fetch) =>
  (request: unknown, options: CallOptions = {}): Promise<unknown> => {
    const effect: unknown = typeof call === "function" ? call(request ?? {}) : undefined
    if (!isEffect(effect)) throw new TypeError("A method of the client makes no Effect")
    const keyed = Effect.provideService(effect, IdempotencyKey, options.idempotencyKey)
    return Effect.runPromise(Effect.provideService(keyed, FetchHttpClient.Fetch, fetch), options)
  }

/** The promised form of the client. */
function promised(client: object, fetch: Fetch): Promised
function promised(client: object, fetch: Fetch): object {
  return Object.fromEntries(
    Object.entries(client).map(([name, group]: [string, object]) => [
      name,
      Object.fromEntries(Object.entries(group).map(([id, call]: [string, unknown]) => [id, method(call, fetch)]))
    ])
  )
}

/** The client for Promises. It calls through `fetch`, the global one by default. */
export const connect = (options: Options & { readonly fetch?: typeof globalThis.fetch | undefined }): Promised => {
  const { fetch = globalThis.fetch } = options
  const client = make(options).pipe(Effect.provide(FetchHttpClient.layer))
  return promised(Effect.runSync(client), fetch)
}

/** A page, as every list in pages is answered. */
export interface Page<Item> {
  /** The items of this page, in the order of the list. */
  readonly data: ReadonlyArray<Item>
  /** What to send as `page` for the next one; null: this is the last. */
  readonly next_page: string | null
}

/** A request for a page. */
interface PageRequest {
  readonly query: { readonly page?: string }
}

/**
 * All items, as a Stream. `list` is called with the query parameter of each page:
 * `stream((page) => client.sims.list({ query: { ...page, label: "Green" } }))`.
 */
export const stream = <Item, E, R>(
  list: (page: PageRequest["query"]) => Effect.Effect<Page<Item>, E, R>
): Stream.Stream<Item, E, R> =>
  Stream.paginate<PageRequest["query"], Item, E, R>({}, (asked) =>
    Effect.map(list(asked), ({ data, next_page }) => [
      data,
      Option.map(Option.fromNullishOr(next_page), (page) => ({ page }))
    ])
  )

/**
 * All items from the requested page on, as an async iterable. A list that comes whole, which JavaScript can pass, is one
 * page.
 */
export async function* items<Request extends PageRequest, Item>(
  list: (request: Request) => Promise<Page<Item>>,
  request: Request
): AsyncGenerator<Item, void> {
  let asked = request
  for (;;) {
    const { data, next_page } = await list(asked)
    yield* data
    if (typeof next_page !== "string") return
    asked = { ...asked, query: { ...asked.query, page: next_page } }
  }
}
