/**
 * One POST to the OCS: sends a request, and tells what came of it.
 *
 * The token is in the address, as the documents have it. So no message has the address or an error of the connection but
 * its code, the client's span (which has the address) is off, and a text of the OCS that repeats the token is cut out.
 */
import { Clock, Duration, Effect, Option, Redacted, Result, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { CallFailure, ConnectionError, RetryAfter } from "../../telco-calls/index.ts"
import type { Request } from "./Requests.ts"
import * as Shapes from "./Shapes.ts"
import * as StatusCodes from "./StatusCodes.ts"

/** What an answer with status 0 has beside the status. */
export type Answer = Readonly<Record<string, unknown>>

export interface Options {
  readonly token: Redacted.Redacted
  /** The time limit of a call, with the reading of its answer. */
  readonly timeout: Duration.Duration
}

/** The longest answer that is read, in bytes. A list of 50,000 subscribers fits. */
export const LARGEST = 128 * 1024 * 1024

type Failure = CallFailure.CallFailure

const failure = (
  outcome: CallFailure.Outcome,
  message: string,
  more: { readonly isAnswered?: boolean; readonly isOverloaded?: boolean; readonly retryAfterSeconds?: number } = {}
): Failure => new CallFailure.CallFailure({ outcome, message, isAnswered: false, ...more })

/** The connection failed. Only the error's code is told, because its text may have the address. */
const disconnected = (operation: string, error: unknown): Failure => {
  const code = ConnectionError.codeOf(error)
  const told = code === "" ? "" : ` (${code})`
  return ConnectionError.isUnsent(error)
    ? failure("NotDone", `The OCS cannot be reached for ${operation}${told}`)
    : failure("Unknown", `The connection to the OCS ended during ${operation}${told}`)
}

/** Statuses of a wrong address or token, which the OCS or what is in front of it answers before it does anything. */
const ofSettings = [401, 403, 404]

/** The failure of an HTTP status other than 200 that came without a status of the OCS. */
const httpFailure = (operation: string, status: number, retryAfter: string | undefined, now: number): Failure => {
  const told = `The OCS answers ${operation} with HTTP ${status}`
  if (status === 429) {
    const retryAfterSeconds = Math.max(1, RetryAfter.seconds(retryAfter, now) ?? StatusCodes.BACK_OFF_SECONDS)
    return failure("NotDone", told, { isAnswered: true, isOverloaded: true, retryAfterSeconds })
  }
  if (ofSettings.includes(status)) {
    return failure("NotDone", `${told}; check its address and the token`, { isAnswered: true })
  }
  return failure("Unknown", told, { isAnswered: status < 500 })
}

const decodeStatus = Schema.decodeUnknownOption(Shapes.Answer)

const isObject = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The object that a text is in JSON; null for other texts. */
const objectOf = (text: string): Answer | null => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The text of a body; fails if it is too long. */
const read = (operation: string, response: HttpClientResponse.HttpClientResponse): Effect.Effect<string, Failure> =>
  Stream.runFoldEffect(
    response.stream,
    () => ({ parts: [] as Uint8Array[], length: 0 }),
    (body, part) => {
      if (body.length + part.length > LARGEST) {
        return Effect.fail(failure("Unknown", `The answer of the OCS to ${operation} is longer than ${LARGEST} bytes`))
      }
      body.parts.push(part)
      body.length += part.length
      return Effect.succeed(body)
    }
  ).pipe(
    Effect.map(({ parts }) => Buffer.concat(parts).toString("utf8")),
    Effect.mapError((error) => (error instanceof CallFailure.CallFailure ? error : disconnected(operation, error)))
  )

const isDone = (httpStatus: number): boolean => httpStatus >= 200 && httpStatus < 300

/** Makes calls to one address of the OCS. */
export const make = (url: string, { timeout, token }: Options) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const address = HttpClientRequest.post(url).pipe(HttpClientRequest.setUrlParam("token", Redacted.value(token)))

    const withoutToken = (text: string): string =>
      [Redacted.value(token), encodeURIComponent(Redacted.value(token))].reduce(
        (cut, secret) => (secret === "" ? cut : cut.replaceAll(secret, "…")),
        text
      )

    /** What an answer says by its own status; null if it has none. */
    const answerOf = (operation: string, httpStatus: number, text: string): Result.Result<Answer, Failure> | null => {
      const body = objectOf(text)
      const answer = decodeStatus(body)
      if (body === null || Option.isNone(answer)) return null
      const { code, msg } = answer.value.status
      if (code !== StatusCodes.OK) return Result.fail(StatusCodes.failure(operation, code, withoutToken(msg ?? "")))
      return isDone(httpStatus) ? Result.succeed(body) : null
    }

    /** Sends a request. Succeeds if the OCS says that it is done. */
    return (operation: string, request: Request): Effect.Effect<Answer, Failure> =>
      Effect.gen(function* () {
        const body = JSON.stringify(request)
        const response = yield* client
          .execute(HttpClientRequest.bodyText(address, body, "application/json"))
          .pipe(
            Effect.mapError(({ reason }) =>
              reason._tag === "InvalidUrlError"
                ? failure("NotDone", "The address of the OCS is no URL")
                : disconnected(operation, reason.cause)
            )
          )
        const text = yield* read(operation, response)
        const { headers, status } = response
        const answer = answerOf(operation, status, text)
        if (answer !== null) return yield* Effect.fromResult(answer)
        if (isDone(status)) {
          return yield* failure("Unknown", `The OCS answers ${operation} with something that is no answer`)
        }
        return yield* httpFailure(operation, status, headers["retry-after"], yield* Clock.currentTimeMillis)
      }).pipe(
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () =>
            Effect.fail(failure("Unknown", `The OCS has not answered ${operation} within ${Duration.format(timeout)}`))
        }),
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
        // A redirect would send the request, and the token, to somebody else.
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
      )
  })
