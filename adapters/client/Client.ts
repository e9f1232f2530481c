/**
 * The client, with a method for each endpoint of the API:
 * `client.subscriptions.create({ payload })`. An answer of another shape than the definition's is a
 * failure.
 *
 * What is safe to repeat is sent again after a failure: a read, a replacement, a report (which has
 * an id) and what has an `Idempotency-Key`. A 429 has done nothing, so everything is repeated after
 * one.
 *
 * For Promises, each method of the derived client is a function that returns a Promise. It rejects
 * with the error of the Effect: an `ApiError` for a refusal, an `HttpClientError` if no server
 * answers. The items of a list in pages are a Stream of Effect, or an async iterable; the next page
 * is asked for when the items of the one before were taken.
 */
import { Context, Data, Duration, Effect, Option, Redacted, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiClient, type HttpApiEndpoint } from "effect/http-api"
import { Api } from "simplan/http-api"
import { RetryAfter } from "simplan/ports"

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

/** The `Idempotency-Key` of the calls below; a new one for each call if none is given. */
export const IdempotencyKey = Context.Reference<string | undefined>("simplan/client/IdempotencyKey", {
  defaultValue: () => undefined
})

/**
 * Why the calls of the management API below change something, for the audit log; nothing is said
 * if it is not given.
 */
export const AuditReason = Context.Reference<string | undefined>("simplan/client/AuditReason", {
  defaultValue: () => undefined
})

/**
 * The version that the edits below are of (rule W16), as answers have it: of another one they are
 * refused; of any if it is not given.
 */
export const IfVersion = Context.Reference<number | undefined>("simplan/client/IfVersion", {
  defaultValue: () => undefined
})

/**
 * A refusal by the server (rule W1). `code` is empty if what answered is not simplan, such as a
 * proxy.
 */
export class ApiError extends Data.TaggedError("ApiError")<{
  /** The status of HTTP. */
  readonly status: number
  /** The name of the error, for programs. */
  readonly code: string
  /** What is wrong, for people. */
  readonly message: string
  /** The request's id, under which the server's log tells more. */
  readonly requestId: string | null
  /** After how many seconds the server asks to try again. */
  readonly retryAfterSeconds: number | null
  /** The whole body, with the fields that some errors add, such as `missing_iso2`. */
  readonly body: unknown
}> {}

const Body = Schema.Struct({ message: Schema.String, code: Schema.String })
const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const decodeBody = Schema.decodeUnknownOption(Body)

interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The error of a response with another status than 200 to 299, such as a redirect. */
const ofResponse = ({ headers, status }: Response, text: string): ApiError => {
  const body = Option.getOrUndefined(decodeJson(text))
  const { code, message } = Option.getOrElse(decodeBody(body), () => ({
    code: "",
    message: `The server says ${status}`
  }))
  return new ApiError({
    status,
    code,
    message,
    requestId: headers["x-request-id"] ?? null,
    retryAfterSeconds: RetryAfter.seconds(headers["retry-after"], Date.now()) ?? null,
    body: body ?? text
  })
}

type Groups = (typeof Api)["groups"]

type Request<
  Endpoint extends HttpApiEndpoint.ConstraintRequest,
  Mode extends HttpApiEndpoint.ClientResponseMode
> = HttpApiEndpoint.ClientRequest<
  Endpoint["~Params"],
  Endpoint["~Query"],
  Endpoint["~Payload"],
  Endpoint["~Headers"],
  Mode
>

/** A request whose query may be left out if it may be empty. */
type Lenient<Request> = Request extends { readonly query: infer Query }
  ? {} extends Query
    ? Omit<Request, "query"> & { readonly query?: Query }
    : Request
  : Request

/** The arguments of a method. A request of which all may be left out may be left out as well. */
type Arguments<Request> = {} extends Request ? [request?: Request] : [request: Request]

type EffectMethod<Endpoint> = Endpoint extends HttpApiEndpoint.ConstraintRequest
  ? <Mode extends HttpApiEndpoint.ClientResponseMode = "decoded-only">(
      ...request: Arguments<Lenient<Request<Endpoint, Mode>>>
    ) => HttpApiClient.Client.MethodReturn<Endpoint, ApiError, never, Mode, never>
  : never

/** The client for Effect. Its methods fail with an `ApiError`, or if no server answers. */
export type Client = {
  readonly [Group in keyof Groups]: {
    readonly [Id in keyof Groups[Group]["endpoints"]]: EffectMethod<Groups[Group]["endpoints"][Id]>
  }
}

/** The object with what `change` makes of each method, by group. */
const mapMethods = (client: object, change: (call: unknown) => unknown): object =>
  Object.fromEntries(
    Object.entries(client).map(([name, group]: [string, object]) => [
      name,
      Object.fromEntries(Object.entries(group).map(([id, call]: [string, unknown]) => [id, change(call)]))
    ])
  )

/** A method that sends an empty query if none is given. A method without a query ignores it. */
const lenient =
  (call: unknown) =>
  (request: unknown): unknown =>
    typeof call === "function" ? call(Object.assign({ query: {} }, request)) : undefined

function leniently(client: object): Client
function leniently(client: object): object {
  return mapMethods(client, lenient)
}

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

const reasonFor = (path: string, reason: string | undefined): Readonly<Record<string, string>> =>
  reason === undefined || !path.startsWith("/admin/") ? {} : { "x-audit-log-reason": encodeURIComponent(reason) }

/**
 * The longest body, in bytes, that gets a key if none is given: of a file of rows not all can be
 * kept under one.
 */
const MOST_KEYED = 512 * 1024

const lengthOf = (body: HttpClientRequest.HttpClientRequest["body"]): number =>
  body._tag === "Empty" ? 0 : (body.contentLength ?? 0)

/** The request with its credentials, its `Idempotency-Key`, its reason and the server's address. */
const addressed = (options: Options) => (request: HttpClientRequest.HttpClientRequest) =>
  Effect.map(Effect.all([IdempotencyKey, AuditReason, IfVersion]), ([given, reason, version]) => {
    const isPost = request.method === "POST" && request.url.startsWith("/v3/")
    const isKeyed = isPost && (given !== undefined || lengthOf(request.body) <= MOST_KEYED)
    return request.pipe(
      HttpClientRequest.setHeaders(credentialsFor(options, request.url)),
      HttpClientRequest.setHeaders(reasonFor(request.url, reason)),
      HttpClientRequest.setHeaders(version === undefined ? {} : { "if-match": `"${version}"` }),
      HttpClientRequest.setHeaders(isKeyed ? { "idempotency-key": given ?? crypto.randomUUID() } : {}),
      HttpClientRequest.prependUrl(options.url.replace(/\/+$/, ""))
    )
  })

type Sent = HttpClientRequest.HttpClientRequest
type Failure = ApiError | HttpClientError.HttpClientError

/**
 * The longest wait before a repetition, in seconds. A server that asks for more is not called
 * again.
 */
const LONGEST = 30

/**
 * The wait before the first repetition if the server names none, in ms; it doubles each time.
 */
const FIRST = 200

const isSafe = (request: Sent): boolean =>
  request.method === "GET" ||
  request.method === "PUT" ||
  request.headers["idempotency-key"] !== undefined ||
  new URL(request.url).pathname.includes("/telco/v1/")

const isBusy = ({ code, status }: ApiError): boolean => status === 503 || code === "request_in_progress"

/** The milliseconds to wait before the request is sent again; none if it is not. */
const waitAfter = (request: Sent, failure: Failure, repetition: number): Option.Option<number> => {
  const backoff = FIRST * 2 ** repetition
  if (HttpClientError.isHttpClientError(failure)) {
    const isBroken = failure.reason._tag === "TransportError" || failure.reason._tag === "DecodeError"
    return isBroken && isSafe(request) ? Option.some(backoff) : Option.none()
  }
  if (failure.status !== 429 && !(isBusy(failure) && isSafe(request))) return Option.none()
  const seconds = failure.retryAfterSeconds
  if (seconds === null) return Option.some(backoff)
  return seconds <= LONGEST ? Option.some(seconds * 1000) : Option.none()
}

// The body is read here, so that an answer that breaks off is asked for again. The response keeps
// it.
const answerOf = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.flatMap(response.text, (text) =>
    response.status < 300 ? Effect.succeed(response) : Effect.fail(ofResponse(response, text))
  )

/** Sends a request up to `retries` times more. A status of at least 300 fails. */
const repeating = (client: HttpClient.HttpClient, retries: number): HttpClient.HttpClient.With<Failure> =>
  HttpClient.transform(client, (sent, request) => {
    const attempt = (repetition: number): Effect.Effect<HttpClientResponse.HttpClientResponse, Failure> =>
      Effect.catch(Effect.flatMap(sent, answerOf), (failure: Failure) => {
        const wait = repetition < retries ? waitAfter(request, failure, repetition) : Option.none<number>()
        return Option.isNone(wait)
          ? Effect.fail(failure)
          : Effect.delay(
              Effect.suspend(() => attempt(repetition + 1)),
              Duration.millis(wait.value)
            )
      })
    return attempt(0)
  })

/** The client for Effect. It calls through the `HttpClient` that it is given. */
export const make = (options: Options): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  Effect.flatMap(HttpClient.HttpClient, (http) =>
    Effect.map(
      HttpApiClient.makeWith(Api, {
        httpClient: HttpClient.mapRequestEffect(repeating(http, options.retries ?? RETRIES), addressed(options))
      }),
      leniently
    )
  )

/** Options of a single call. */
export interface CallOptions {
  /** Breaks the call off, and whatever retries are left. */
  readonly signal?: AbortSignal
  /** A key of one's own, for calls that other processes may repeat. */
  readonly idempotencyKey?: string
  /** Why, for the audit log: with a call of the management API, at most 500 characters. */
  readonly auditReason?: string
  /**
   * The `version` that an edit is of, as answers have it: of another one it is refused with
   * `changed_meanwhile`.
   */
  readonly ifVersion?: number
}

type Answer<Endpoint> = Endpoint extends HttpApiEndpoint.ConstraintRequest
  ? HttpApiClient.SuccessType<Endpoint["~Success"]>
  : never

type Method<Endpoint> = Endpoint extends HttpApiEndpoint.ConstraintRequest
  ? {} extends Lenient<Request<Endpoint, "decoded-only">>
    ? (request?: Lenient<Request<Endpoint, "decoded-only">>, options?: CallOptions) => Promise<Answer<Endpoint>>
    : (request: Lenient<Request<Endpoint, "decoded-only">>, options?: CallOptions) => Promise<Answer<Endpoint>>
  : never

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
    const effect: unknown = typeof call === "function" ? call(request) : undefined
    if (!isEffect(effect)) throw new TypeError("A method of the client makes no Effect")
    const called = effect.pipe(
      Effect.provideService(IdempotencyKey, options.idempotencyKey),
      Effect.provideService(AuditReason, options.auditReason),
      Effect.provideService(IfVersion, options.ifVersion),
      Effect.provideService(FetchHttpClient.Fetch, fetch)
    )
    return Effect.runPromise(called, options)
  }

/** The promised form of the client. */
function promised(client: object, fetch: Fetch): Promised
function promised(client: object, fetch: Fetch): object {
  return mapMethods(client, (call) => method(call, fetch))
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
  readonly query?: { readonly page?: string }
}

/**
 * All items, as a Stream. `list` is called with the query parameter of each page:
 * `stream((page) => client.sims.list({ query: { ...page, label: "Green" } }))`.
 */
export const stream = <Item, E, R>(
  list: (page: NonNullable<PageRequest["query"]>) => Effect.Effect<Page<Item>, E, R>
): Stream.Stream<Item, E, R> =>
  Stream.paginate<NonNullable<PageRequest["query"]>, Item, E, R>({}, (asked) =>
    Effect.map(list(asked), ({ data, next_page }) => [
      data,
      Option.map(Option.fromNullishOr(next_page), (page) => ({ page }))
    ])
  )

/**
 * All items from the requested page on, as an async iterable. A list that comes whole, which
 * JavaScript can pass, is one page.
 */
export async function* items<Request extends PageRequest | undefined, Item>(
  list: (request: Request) => Promise<Page<Item>>,
  request: NonNullable<Request>
): AsyncGenerator<Item, void> {
  let asked = request
  for (;;) {
    const { data, next_page } = await list(asked)
    yield* data
    if (typeof next_page !== "string") return
    asked = { ...asked, query: { ...asked.query, page: next_page } }
  }
}
