/**
 * A refusal by the server (rule W1).
 */
import { Data, Option, Schema } from "effect"

/** `code` is empty where what answered is not simplan, such as a proxy. */
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

const secondsOf = (header: string | undefined): number | null =>
  header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : null

/** The error of a response with a status of at least 400. */
export const ofResponse = ({ headers, status }: Response, text: string): ApiError => {
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
    retryAfterSeconds: secondsOf(headers["retry-after"]),
    body: body ?? text
  })
}
