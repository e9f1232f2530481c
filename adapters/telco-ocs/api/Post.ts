/**
 * One POST to the OCS: sends a request, and says what came of it, also by the table of the system's
 * status codes.
 *
 * The token is in the address, as the documents have it. So no message has the address or an error
 * of the connection but its code, the client's span (which has the address) is off, and a text of
 * the OCS that repeats the token is cut out.
 */
import { JsonElements } from "../../fields/index.ts"
import { Answers, CallFailure } from "../../telco-calls/index.ts"
import { Clock, Duration, Effect, Option, Redacted, Result, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as Shapes from "./Shapes.ts"

/** The code of an answer to a call that is done. */
const OK = 0

const TRAFFIC_CONTROL_LIMIT_EXCEEDED = 100

/** How long to leave the OCS alone after its traffic control has refused a call, in seconds. */
const BACK_OFF_SECONDS = 5

/**
 * The table of the documents. Errors inside the OCS and in what it stands on (its database, the
 * HLR, the steering) may come after it has changed something, so they leave the outcome unknown.
 * Errors of the account and of the address that the calls come from end when an operator has
 * corrected the settings, so they are no refusal.
 */
const codes: Readonly<Record<number, readonly [name: string, outcome: CallFailure.Outcome]>> = {
  1: ["UNKNOWN_REQUEST", "Refused"],
  2: ["INVALID_REQUEST", "Refused"],
  3: ["UNEXPECTED_ERROR", "Unknown"],
  4: ["DB_DUPLICATE_ENTRY", "Refused"],
  5: ["DB_DATA_INCONSISTENCY", "Unknown"],
  6: ["DB_NOT_FOUND", "NotFound"],
  7: ["DB_ERROR", "Unknown"],
  8: ["NO_API_ACCOUNT_FOR_RESELLER", "NotDone"],
  9: ["SRC_IP_NOT_AUTHORISED", "NotDone"],
  10: ["INVALID_RESELLER", "NotDone"],
  11: ["RESOURCE_NOT_VISIBLE", "Refused"],
  12: ["RESOURCE_READ_ONLY", "Refused"],
  13: ["SMS_API_ERROR", "Refused"],
  14: ["OPERATION_IMPOSSIBLE", "Refused"],
  15: ["HLR_API_ERROR", "Unknown"],
  16: ["STEERING_API_ERROR", "Unknown"],
  17: ["SUBS_END_OF_LIFE", "Refused"],
  18: ["TIMEOUT", "Unknown"],
  [TRAFFIC_CONTROL_LIMIT_EXCEEDED]: ["TRAFFIC_CONTROL_LIMIT_EXCEEDED", "NotDone"]
}

/**
 * The codes that an operator has to do something about: the account's settings at the OCS, or those
 * of simplan.
 */
const codesOfSettings: ReadonlyArray<number> = [8, 9, 10]

/** The documents do not say whether a subscriber that is not the reseller's is 6 or this one. */
const RESOURCE_NOT_VISIBLE = 11

/**
 * Whether an operation reads one subscriber. Else 11 stays a refusal: what is hidden from a
 * deletion may still go on, and a reseller from whom all is hidden has wrong settings.
 */
const readsSubscriber = (operation: string): boolean => /^(?:get|listSubscriberPrepaidPackages$)/.test(operation)

/** The longest text of the OCS that a message repeats, in characters. */
const LONGEST = 300

/** The failure of an operation that the OCS answers with a code other than 0. */
const refusal = (operation: string, code: number, text: string): CallFailure.CallFailure => {
  const [name, usual] = codes[code] ?? ["a code that its documents do not have", "Refused" as const]
  const outcome = code === RESOURCE_NOT_VISIBLE && readsSubscriber(operation) ? "NotFound" : usual
  const reason = text === "" ? "" : `: ${text.slice(0, LONGEST)}`
  const advice = codesOfSettings.includes(code) ? "; check the token, the reseller's id and the allowed addresses" : ""
  return new CallFailure.CallFailure({
    outcome,
    isAnswered: true,
    message: `The OCS answers ${operation} with ${code} (${name})${reason}${advice}`,
    ...(code === TRAFFIC_CONTROL_LIMIT_EXCEEDED ? { isOverloaded: true, retryAfterSeconds: BACK_OFF_SECONDS } : {})
  })
}

/** The object of a request, whose only key is the operation. */
export type Request = Readonly<Record<string, unknown>>

/** What an answer with status 0 has beside the status. */
export type Answer = Readonly<Record<string, unknown>>

export interface Options {
  readonly token: Redacted.Redacted
  /** The time limit of a call, with the reading of its answer. */
  readonly timeout: Duration.Duration
}

/** The longest list whose rows are taken one by one, in bytes: 50,000 subscribers fit. */
const LARGEST = 128 * 1024 * 1024

/** The longest of its rows, and the longest text beside them, in characters. */
const LONGEST_ROW = 1_048_576

/** How many rows a list has at most: empty ones are a byte or two. */
const MOST_ROWS = 100_000

/** How many rows are taken in a turn of the event loop. One takes about 20 µs. */
const ROWS_OF_TURN = 256

/** A list in the part of an answer that has the operation's name. */
export interface Rows {
  /** Its field. The answer has an empty list there. */
  readonly field: string
  /** Gets each row, while the answer arrives. */
  readonly take: (row: unknown) => void
}

/** How long an answer may be: in bytes, or any number of rows within `LARGEST`. */
export type Size = number | Rows

type Failure = CallFailure.CallFailure

const failure = (
  outcome: CallFailure.Outcome,
  message: string,
  more: { readonly isAnswered?: boolean; readonly isOverloaded?: boolean; readonly retryAfterSeconds?: number } = {}
): Failure => new CallFailure.CallFailure({ outcome, message, isAnswered: false, ...more })

/** The connection failed. Only the error's code is kept, because its text may have the address. */
const disconnected = (operation: string, error: unknown): Failure => {
  const code = Answers.codeOf(error)
  const shown = code === "" ? "" : ` (${code})`
  return Answers.isUnsent(error)
    ? failure("NotDone", `The OCS cannot be reached for ${operation}${shown}`)
    : failure("Unknown", `The connection to the OCS ended during ${operation}${shown}`)
}

/**
 * Statuses of a wrong address or token, which the OCS or what is in front of it answers before it
 * does anything.
 */
const statusesOfSettings = [401, 403, 404]

/** The failure of an HTTP status other than 200 that came without a status of the OCS. */
const httpFailure = (operation: string, status: number, retryAfter: string | undefined, now: number): Failure => {
  const message = `The OCS answers ${operation} with HTTP ${status}`
  if (status === 429) {
    const retryAfterSeconds = Math.max(1, Answers.retryAfterSeconds(retryAfter, now) ?? BACK_OFF_SECONDS)
    return failure("NotDone", message, { isAnswered: true, isOverloaded: true, retryAfterSeconds })
  }
  if (statusesOfSettings.includes(status)) {
    return failure("NotDone", `${message}; check its address and the token`, { isAnswered: true })
  }
  return failure("Unknown", message, { isAnswered: status < 500 })
}

const decodeStatus = Schema.decodeUnknownOption(Shapes.Answer)

const isObject = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The object that a text is in JSON; null for other texts. */
const objectOf = (parse: () => unknown): Answer | null => {
  try {
    const value: unknown = parse()
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

type Response = HttpClientResponse.HttpClientResponse

const nextTurn: Effect.Effect<void> = Effect.callback((resume) => {
  const due = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(due))
})

/** Takes the rows of an answer by turns of the event loop; gives the rest of it. */
const withRows = ({ field, take }: Rows, response: Response) =>
  Effect.gen(function* () {
    const decoder = new TextDecoder()
    const elements = JsonElements.make({ field, depth: 2, longest: LONGEST_ROW })
    let count = 0
    let isList = true
    const found = (text: string): ReadonlyArray<JsonElements.Element> => {
      try {
        const rows = isList ? elements.take(text) : []
        count += rows.length
        isList = isList && count <= MOST_ROWS
        return isList ? rows : []
      } catch {
        isList = false
        return []
      }
    }
    yield* Stream.runForEach(Answers.parts(response, LARGEST), (part) =>
      Effect.gen(function* () {
        const rows = found(decoder.decode(part, { stream: true }))
        for (let from = 0; from < rows.length; from += ROWS_OF_TURN) {
          for (const { value } of rows.slice(from, from + ROWS_OF_TURN)) take(value)
          yield* nextTurn
        }
      })
    )
    return isList ? objectOf(elements.rest) : null
  })

/** The object that a body is; null for other bodies. Fails if it is too long. */
const read = (operation: string, response: Response, size: Size): Effect.Effect<Answer | null, Failure> =>
  (typeof size === "number"
    ? Effect.map(Answers.text(response, size), (text) => objectOf(() => JSON.parse(text)))
    : withRows(size, response)
  ).pipe(
    Effect.mapError((error) =>
      error._tag === "TelcoCalls.TooLong"
        ? failure("Unknown", `The answer of the OCS to ${operation} is longer than ${error.longest} bytes`)
        : disconnected(operation, error)
    )
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
    const answerOf = (
      operation: string,
      httpStatus: number,
      body: Answer | null
    ): Result.Result<Answer, Failure> | null => {
      const answer = decodeStatus(body)
      if (body === null || Option.isNone(answer)) return null
      const { code, msg } = answer.value.status
      if (code !== OK) return Result.fail(refusal(operation, code, withoutToken(msg ?? "")))
      return isDone(httpStatus) ? Result.succeed(body) : null
    }

    /** Sends a request. Succeeds if the OCS says that it is done. */
    return (operation: string, request: Request, size: Size = Answers.LONGEST): Effect.Effect<Answer, Failure> =>
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
        const { headers, status } = response
        const answer = answerOf(operation, status, yield* read(operation, response, size))
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
