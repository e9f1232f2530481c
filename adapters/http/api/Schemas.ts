/**
 * Schemas that several groups of the definition share: envelopes, labels, instants, numbers, and errors. Wire schemas
 * transform nothing: their decoded form equals the JSON.
 */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Fields } from "../../fields/index.ts"
import * as Codes from "../wire/Codes.ts"

/** The body of every error (rule W1). */
export const ErrorBody = Schema.Struct({
  error: Schema.Literal(true),
  message: Schema.String,
  code: Schema.String,
  request_id: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Error" })

/** `{error: false, data}`. */
export const data = <S extends Schema.Top>(schema: S) => Schema.Struct({ error: Schema.Literal(false), data: schema })

/** `{error: false, data, next_page}`: a page of a list, and the token of the next page. */
export const page = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    error: Schema.Literal(false),
    data: Schema.Array(item),
    next_page: Schema.NullOr(Schema.String).annotate({ description: "Token of the next page; null on the last one" })
  })

/** `{error: false, message}`. */
export const Done = Schema.Struct({ error: Schema.Literal(false), message: Schema.String }).annotate({
  identifier: "Done"
})

/** An instant in an answer: RFC 3339 with milliseconds and `Z`. */
export const Timestamp = Schema.String.annotate({ format: "date-time" })

/** The fields of bodies. */
export const { Instant, Label, NonEmpty, integer, list, text, within } = Fields

/** A query parameter. */
export const Parameter = Schema.String.annotate({ message: "must be given once" })

/** An instant as a query parameter (rule W8). */
export const InstantParameter = Parameter.check(Fields.isInstant)

/** The query parameter for the largest number of items on a page. */
export const pageSize = (maximum: 25 | 100, preset: number) =>
  Parameter.check(
    Schema.isPattern(maximum === 100 ? /^(?:[1-9][0-9]?|100)$/u : /^(?:[1-9]|1[0-9]|2[0-5])$/u, {
      message: `must be an integer from 1 to ${maximum}`
    })
  ).annotate({ description: `How many items a page has at most, 1 to ${maximum}; ${preset} where it is absent` })

/** The items on a page of the management API where the request does not say. */
export const MANAGEMENT_PAGE_SIZE = 100

/** The query parameters of a page of the management API. */
export const keyset = {
  page_size: Schema.optionalKey(pageSize(100, MANAGEMENT_PAGE_SIZE)),
  page: Schema.optionalKey(Parameter)
}

/** A query parameter that is true or false. */
export const Flag = Schema.Literals(["true", "false"]).annotate({ message: "must be true or false" })

const described = (codes: ReadonlyArray<Codes.Code>): string =>
  codes.map((code) => `\`${code}\`: ${Codes.description(code)}`).join(". ")

/** A code of an error. The document names those that an endpoint may answer; a client may get others, from a newer server. */
export const errorCode = (codes: ReadonlyArray<Codes.Code>) =>
  Schema.String.check(Schema.makeFilter(() => true, { toJsonSchema: () => ({ enum: [...codes] }) }))

/**
 * The errors that an endpoint may answer: one body per status. Where a resource may not be found, its id may also be no
 * path that the service has, such as one that is too long.
 */
export const problems = (...codes: ReadonlyArray<Codes.Code>) =>
  [...new Set(codes.map(Codes.status))].map((status) => {
    const named = codes.filter((code) => Codes.status(code) === status)
    const ofStatus: ReadonlyArray<Codes.Code> = [
      ...new Set(status === 404 ? [...named, "route_not_found" as const] : named)
    ]
    return Schema.Struct({ ...ErrorBody.fields, code: errorCode(ofStatus) })
      .annotate({ description: described(ofStatus) })
      .pipe(HttpApiSchema.status(status))
  })

/** The errors of every endpoint with an API key; then with a query, an idempotency key, and a body as well. */
export const always = [
  "key_missing",
  "key_invalid",
  "rate_limited",
  "concurrency_limited",
  "internal_error",
  "storage_unavailable"
] as const
export const reading = [...always, "invalid_field"] as const
export const writing = [...always, "key_read_only", "invalid_idempotency_key"] as const
export const posting = [
  ...writing,
  "invalid_field",
  "malformed_json",
  "request_in_progress",
  "body_too_large",
  "unsupported_media_type",
  "idempotency_key_reused"
] as const
/** The errors of an endpoint of operators or telcos that takes a JSON body. */
export const withBody = ["invalid_field", "malformed_json", "body_too_large", "unsupported_media_type"] as const
/** The errors of an endpoint that takes no credentials. */
export const unguarded = ["malformed_request", "headers_too_large"] as const
/** The errors of every endpoint of the management API, which refuses query parameters that it does not know. */
export const managing = [
  "token_missing",
  "token_invalid",
  "invalid_field",
  "rate_limited",
  "internal_error",
  "storage_unavailable"
] as const
