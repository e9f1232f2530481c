/**
 * The client for Promises: each method of the derived client as a function that returns a Promise. It rejects with the
 * error of the Effect: an `ApiError` for a refusal, an `HttpClientError` where no server answers.
 */
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import type { HttpApiClient, HttpApiEndpoint } from "effect/http-api"
import type { Api } from "simplan/http-api"
import * as Options from "./Options.ts"

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

type Groups = (typeof Api)["groups"]

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
    const keyed = Effect.provideService(effect, Options.IdempotencyKey, options.idempotencyKey)
    return Effect.runPromise(Effect.provideService(keyed, FetchHttpClient.Fetch, fetch), options)
  }

/** The promised form of the client. */
export function promised(client: object, fetch: Fetch): Promised
export function promised(client: object, fetch: Fetch): object {
  return Object.fromEntries(
    Object.entries(client).map(([name, group]: [string, object]) => [
      name,
      Object.fromEntries(Object.entries(group).map(([id, call]: [string, unknown]) => [id, method(call, fetch)]))
    ])
  )
}
