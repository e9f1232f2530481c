/**
 * When a request is sent again, and after which wait. Only what is safe to repeat is: a read, a replacement, a report (which
 * has an id) and what has an `Idempotency-Key`. A 429 has done nothing, so everything is repeated after one.
 */
import { Duration, Effect, Option } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as ApiError from "./ApiError.ts"

type Request = HttpClientRequest.HttpClientRequest
type Failure = ApiError.ApiError | HttpClientError.HttpClientError

/** The longest wait, in seconds. A server that asks for more is not called again. */
const LONGEST = 30

/** The wait before the first repetition where the server names none, in ms; it doubles each time. */
const FIRST = 200

const isSafe = (request: Request): boolean =>
  request.method === "GET" ||
  request.method === "PUT" ||
  request.headers["idempotency-key"] !== undefined ||
  new URL(request.url).pathname.includes("/telco/v1/")

const isBusy = ({ code, status }: ApiError.ApiError): boolean => status === 503 || code === "request_in_progress"

/** The milliseconds to wait before the request is sent again; none where it is not. */
const waitAfter = (request: Request, failure: Failure, repetition: number): Option.Option<number> => {
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

// The body is read here, so that an answer that breaks off is asked for again. The response keeps it.
const answer = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.flatMap(response.text, (text) =>
    response.status < 400 ? Effect.succeed(response) : Effect.fail(ApiError.ofResponse(response, text))
  )

/** Sends a request up to `retries` times more. A status of at least 400 fails. */
export const around = (client: HttpClient.HttpClient, retries: number): HttpClient.HttpClient.With<Failure> =>
  HttpClient.transform(client, (sent, request) => {
    const attempt = (repetition: number): Effect.Effect<HttpClientResponse.HttpClientResponse, Failure> =>
      Effect.catch(Effect.flatMap(sent, answer), (failure: Failure) => {
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
