/**
 * The client, with a method for each endpoint of the API: `client.subscriptions.create({ payload })`. Calls that are safe to
 * repeat are repeated (see `Retries`), and an answer of another shape than the definition's is a failure.
 */
import { Effect } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "simplan/http-api"
import type { ApiError } from "./ApiError.ts"
import * as Options from "./Options.ts"
import * as Promised from "./Promised.ts"
import * as Retries from "./Retries.ts"

export type { CallOptions, Promised } from "./Promised.ts"
export { IdempotencyKey, type Options } from "./Options.ts"
export { items, type Page, stream } from "./Pages.ts"

type Groups = (typeof Api)["groups"]

/** The client for Effect. Its methods fail with an `ApiError`, or where no server answers. */
export type Client = HttpApiClient.Client<Groups[keyof Groups], ApiError>

const RETRIES = 4

const credentialsFor = (options: Options.Options, path: string): Readonly<Record<string, string>> => {
  const bearer = (token: Options.Secret | undefined) =>
    token === undefined ? undefined : { authorization: `Bearer ${Options.reveal(token)}` }
  if (path.startsWith("/admin/")) return bearer(options.adminToken) ?? {}
  if (path.startsWith("/telco/")) return bearer(options.telcoToken) ?? {}
  return options.key === undefined || !path.startsWith("/v3/") ? {} : { "x-api-key": Options.reveal(options.key) }
}

/** The request with its credentials, its `Idempotency-Key` and the server's address. */
const addressed = (options: Options.Options) => (request: HttpClientRequest.HttpClientRequest) =>
  Effect.map(Options.IdempotencyKey, (given) => {
    const isKeyed = request.method === "POST" && request.url.startsWith("/v3/")
    return request.pipe(
      HttpClientRequest.setHeaders(credentialsFor(options, request.url)),
      HttpClientRequest.setHeaders(isKeyed ? { "idempotency-key": given ?? crypto.randomUUID() } : {}),
      HttpClientRequest.prependUrl(options.url.replace(/\/+$/, ""))
    )
  })

/** The client for Effect. It calls through the `HttpClient` that it is given. */
export const make = (options: Options.Options): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  Effect.flatMap(HttpClient.HttpClient, (http) =>
    HttpApiClient.makeWith(Api, {
      httpClient: HttpClient.mapRequestEffect(Retries.around(http, options.retries ?? RETRIES), addressed(options))
    })
  )

/** The client for Promises. It calls through `fetch`, the global one by default. */
export const connect = (
  options: Options.Options & { readonly fetch?: typeof globalThis.fetch | undefined }
): Promised.Promised => {
  const { fetch = globalThis.fetch } = options
  const client = make(options).pipe(Effect.provide(FetchHttpClient.layer))
  return Promised.promised(Effect.runSync(client), fetch)
}
