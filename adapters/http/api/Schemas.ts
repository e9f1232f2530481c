/**
 * What several resources of the definition share: how fields and operations are described,
 * envelopes, instants, numbers, pages, credentials, errors, and at the end the fields that more
 * than one resource has, each declared once. Wire schemas transform nothing but the ICCIDs and ids
 * of requests (rules I1 and I13): the decoded form of all else equals the JSON.
 */
import { Schema } from "effect"
import { HttpApiSchema, OpenApi } from "effect/http-api"
import { Codes, Fields } from "../../fields/index.ts"
import { TextLimit } from "simplan/ports"
import { Samples } from "simplan/views"

/** The fields of bodies. */
export const { Instant, Label, NonEmpty, integer, list, text, within } = Fields

/** An example, if none follows from the schema. */
type Example<S extends Schema.Top> = readonly [] | readonly [S["Type"]]

/** A field or a parameter with what it means, for the document. */
export const field = <S extends Schema.Top>(schema: S, description: string, ...examples: Example<S>): S["Rebuild"] =>
  schema.annotateKey({ description, ...(examples.length > 0 && { examples }) })

/** One that may be left out. */
export const optional = <S extends Schema.Top>(schema: S, description: string, ...examples: Example<S>) =>
  Schema.optionalKey(field(schema, description, ...examples))

/** A text with what it means. */
export const string = (description: string, ...examples: Example<Schema.String>) =>
  field(Schema.String, description, ...examples)

/** What decodes a text. */
type Decoding = typeof Fields.asId

/**
 * A field with a text that is decoded. What is sent is described for the document, and the field
 * for the command line.
 */
const given =
  (as: Decoding, text: Schema.Codec<string>) =>
  (description: string, ...examples: Example<Schema.String>) =>
    field(as(field(text, description, ...examples)), description, ...examples)

/** What an operation does, in a line, and beyond that. */
export const operation = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** What a group of operations is about. */
export const group = (title: string, description: string) => OpenApi.annotations({ title, description })

const secured = (...schemes: ReadonlyArray<string>) =>
  OpenApi.annotations({
    transform: (operation) => ({ ...operation, security: schemes.map((scheme) => ({ [scheme]: [] })) })
  })

/**
 * Annotates endpoints with the credentials that they accept, the one to prefer first. `Routes`
 * gives each group its guard, and `Roles` has what those of the management API need.
 */
export const byApiKey = secured("apiKeyInHeader", "apiKeyInQuery")
export const byTelcoToken = secured("telcoToken")

/** The security schemes of the document by their names. */
export const securitySchemes = {
  apiKeyInHeader: { type: "apiKey", in: "header", name: "x-api-key", description: "An API key of the organization" },
  apiKeyInQuery: {
    type: "apiKey",
    in: "query",
    name: "key",
    description: "An API key of the organization; a proxy may log the URL that it is part of"
  },
  adminToken: {
    type: "http",
    scheme: "bearer",
    description: "The token of an operator, or the one that the server was started with, which has the role `admin`"
  },
  telcoToken: { type: "http", scheme: "bearer", description: "The token of the telco" }
} as const

/** Whether a request has failed: the first field of every answer that has an envelope. */
export const hasFailed = <Failed extends boolean>(failed: Failed) =>
  field(Schema.Literal(failed), "Whether the request failed")

const error = {
  error: Schema.Literal(true),
  message: Schema.String,
  code: Schema.String,
  request_id: Schema.optionalKey(Schema.String)
}

/** The body of every error (rule W1). */
export const ErrorBody = Schema.Struct({
  error: hasFailed(true),
  message: field(error.message, "What is wrong, for people. A wrong field is named", "Plan not found"),
  code: field(error.code, "The name of the error, for programs; it never changes", "plan_not_found"),
  request_id: field(error.request_id, "The request's id, under which the log tells the cause", Samples.requestId)
}).annotate({ identifier: "Error" })

/** `{error: false, data}`. */
export const data = <S extends Schema.Top>(schema: S) =>
  Schema.Struct({ error: hasFailed(false), data: field(schema, "What was asked for") })

/** `{error: false, data, next_page}`: a page of a list, and the token of the next page. */
export const page = <S extends Schema.Top>(item: S, cursor: string = Samples.cursor) =>
  Schema.Struct({
    error: hasFailed(false),
    data: field(Schema.Array(item), "What was asked for"),
    next_page: field(Schema.NullOr(Schema.String), "Token of the next page; null on the last one", cursor)
  })

/** The content type of a list in one stream. */
export const JSON_LINES = "application/x-ndjson"

/** A list in one stream, a line of JSON for each item. */
export const jsonLines = Schema.String.pipe(HttpApiSchema.asText({ contentType: JSON_LINES }))

/** What happened, in answers that have no data. */
export const message = string("What happened, for people", "Plan archived successfully")

/** `{error: false, message}`. */
export const Done = Schema.Struct({ error: hasFailed(false), message }).annotate({ identifier: "Done" })

/** An instant in an answer: RFC 3339 with milliseconds and `Z`. */
export const Timestamp = Schema.String.annotate({ format: "date-time" })

/** A query parameter. */
export const Parameter = Schema.String.annotate({ message: "must be given once" })

/** An instant as a query parameter (rule W8). */
export const InstantParameter = Parameter.check(Fields.isInstant)

/** What somebody looks for, as a query parameter (rule L1). */
export const SearchParameter = Parameter.check(within(TextLimit.NAME))

/**
 * The query parameters of a page: the largest number of its items, and the token of the page
 * before.
 */
export const paging = (maximum: 25 | 100, preset: number, cursor: string = Samples.cursor) => ({
  page_size: optional(
    Parameter.check(
      Schema.isPattern(maximum === 100 ? /^(?:[1-9][0-9]?|100)$/u : /^(?:[1-9]|1[0-9]|2[0-5])$/u, {
        message: `must be an integer from 1 to ${maximum}`
      })
    ),
    `How many items a page has at most, 1 to ${maximum}; ${preset} where it is absent`,
    "10"
  ),
  page: optional(Parameter, "The `next_page` of the page before; absent for the first page", cursor)
})

/** The items on a page of the management API if the request does not say. */
export const MANAGEMENT_PAGE_SIZE = 100

/** The query parameters of a page of the management API. */
export const keyset = paging(100, MANAGEMENT_PAGE_SIZE)

/** A query parameter that is true or false. */
export const Flag = Schema.Literals(["true", "false"]).annotate({ message: "must be true or false" })

/** A query parameter that is a whole number between the bounds, which are included. */
export const integerParameter = (minimum: number, maximum: number) =>
  Parameter.check(
    Schema.makeFilter(
      (text) => /^(?:0|[1-9]\d{0,15})$/.test(text) && Number(text) >= minimum && Number(text) <= maximum,
      {
        message: `must be an integer from ${minimum} to ${maximum}`,
        toJsonSchema: () => ({ pattern: "^(?:0|[1-9][0-9]{0,15})$" })
      }
    )
  )

const IdParameter = Parameter.check(within(TextLimit.ID))

/** Ids and ICCIDs of requests (rules I1 and I13). */
export const idOfPath = given(Fields.asIdOfPath, Schema.String)
export const iccidOfPath = given(Fields.asIccidOfPath, Schema.String)
export const nameOfPath = given(Fields.asNameOfPath, Schema.String)
export const idOfQuery = given(Fields.asId, IdParameter)
export const iccidOfQuery = given(Fields.asIccid, IdParameter)
export const resourceOfQuery = given(Fields.asResource, IdParameter)
export const idOfBody = given(Fields.asId, text(TextLimit.ID))
export const iccidOfBody = given(Fields.asIccid, Fields.UndecodedIccid)

/** What errors mean, by their codes. */
export const described = (codes: ReadonlyArray<Codes.Code>): string =>
  codes.map((code) => `\`${code}\`: ${Codes.description(code)}`).join(". ")

/**
 * A code of an error. The document names those that an endpoint may answer; a client may get
 * others, from a newer server.
 */
export const errorCode = (codes: ReadonlyArray<Codes.Code>) =>
  Schema.String.check(Schema.makeFilter(() => true, { toJsonSchema: () => ({ enum: [...codes] }) }))

// The document has what the other fields mean in `Error`.
const errorOf = (status: number, codes: ReadonlyArray<Codes.Code>) =>
  Schema.Struct({ ...error, code: errorCode(codes) })
    .annotate({ description: described(codes) })
    .pipe(HttpApiSchema.status(status))

/** The errors that were made, by their codes: most endpoints have the same. */
const errors = new Map<string, ReturnType<typeof errorOf>>()

/**
 * The errors that an endpoint may answer: one body per status. If a resource may not be found,
 * its id may also be no path that the service has, such as one that is too long.
 */
export const problems = (...codes: ReadonlyArray<Codes.Code>) =>
  [...new Set(codes.map(Codes.status))].map((status) => {
    const named = codes.filter((code) => Codes.status(code) === status)
    const ofStatus = [...new Set(status === 404 ? [...named, "route_not_found" as const] : named)]
    const made = errors.get(ofStatus.join()) ?? errorOf(status, ofStatus)
    errors.set(ofStatus.join(), made)
    return made
  })

/**
 * The errors of every endpoint with an API key; then with an idempotency key, and a body as well.
 */
export const always = [
  "key_missing",
  "key_invalid",
  "rate_limited",
  "concurrency_limited",
  "internal_error",
  "storage_unavailable"
] as const
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
/** The errors of an endpoint that takes an idempotency key. */
export const once = ["invalid_idempotency_key", "request_in_progress", "idempotency_key_reused"] as const
/** The errors of an endpoint of operators or telcos that takes a JSON body. */
export const withBody = ["invalid_field", "malformed_json", "body_too_large", "unsupported_media_type"] as const
/** The errors of an endpoint that takes no credentials. */
export const unguarded = ["malformed_request", "headers_too_large"] as const
/**
 * The errors of every endpoint of the management API that any operator may use; it refuses query
 * parameters that it does not know.
 */
export const managing = [
  "token_missing",
  "token_invalid",
  "invalid_field",
  "rate_limited",
  "concurrency_limited",
  "internal_error",
  "storage_unavailable"
] as const
/** The errors of every other endpoint of the management API. */
export const restricted = [...managing, "forbidden"] as const

/** What fields mean that requests and answers check differently: a description and an example. */
export const means = {
  iccid: ["The SIM's ICCID (ITU-T E.118): 18 to 20 digits", Samples.iccid],
  label: ["The network supply tier of the SIM and of the plans that it can carry", "Green"],
  lpa: ["The activation code (LPA) of an eSIM; null for a physical SIM", Samples.lpa],
  planId: ["The plan's id", Samples.planId],
  planName: ["The name", "Sweden 5 GB"],
  coverageId: ["The coverage profile's id", Samples.coverageId],
  regionName: ["The region's name", "Sweden"],
  regionCode: ["The region's code: an ISO 3166-1 code for a country, a generated one for a custom region", "SE"],
  dataMegaBytes: ["The data allowance of a package, in MB of 1,048,576 bytes", 5_120],
  periodDays: ["The validity of a package, in days of 24 h", 30],
  metadata: ["Free text of the caller", "order 4711"],
  planMetadata: ["Free text of the organization for the plan", Samples.planMetadata],
  planPrice: ["What the organization sells the plan for, as a decimal", Samples.price],
  planCurrency: ["The code of ISO 4217 of the price", Samples.currency],
  operatorId: ["The operator's id", Samples.operatorId],
  countryOrOperator: ["The name of the country or of the operator", "Sweden"],
  organizationId: ["The organization's id", Samples.organizationId],
  organizationName: ["The organization's name", "Acme"],
  onlyLabel: ["Only those of this label", "Green"]
} as const

export const iccid = string(...means.iccid)
export const label = string(...means.label)
export const chosenLabel = field(Label, ...means.label)
export const lpa = field(Schema.NullOr(Schema.String), ...means.lpa)
/** The links that install an eSIM, in answers to requests that ask for them. */
export const install = optional(
  Schema.NullOr(
    Schema.Struct({
      apple: string("Opens the installation on an iPhone or iPad, from iOS 17.4 on", Samples.appleLink),
      android: string("Opens the installation on an Android phone", Samples.androidLink)
    })
  ),
  "Only where `install` is true: links that install the eSIM. Null where there is no activation code"
)

/** The query parameter of operations whose answers have install links (rule I10). */
export const installable = {
  install: optional(Flag, "True: the answer has links that install the eSIM, beside its activation code", "true")
}

export const simId = string("The SIM's id, of an eSIM or of a physical SIM", Samples.simId)
export const isEsim = field(Schema.Boolean, "True for an eSIM, false for a physical SIM", true)
export const planId = string(...means.planId)
export const coverageId = string(...means.coverageId)
export const regionCode = string(...means.regionCode)
export const throttling = field(Schema.Boolean, "Whether the speed is limited past thresholds", false)
export const recurring = field(Schema.Boolean, "Whether the plan recurs", false)
export const dataMegaBytes = field(Schema.Int, ...means.dataMegaBytes)
export const periodDays = field(Schema.Int, ...means.periodDays)
export const metadata = string(...means.metadata)
export const countryCode = string("ISO 3166-1 alpha-2 code", "SE")
export const countryCode3 = string("ISO 3166-1 alpha-3 code", "SWE")
export const radioTechnologies = field(Schema.Array(Schema.String), "The radio access technologies", ["4G", "5G"])
export const networkCodes = field(Schema.Array(Schema.String), "The MCC-MNC codes, in the form `<mcc>-<mnc>`", [
  "240-01"
])
export const labels = field(Schema.Array(Schema.String), "The labels whose profiles have the operator", [
  "Green",
  "Aqua"
])
export const organizationId = string(...means.organizationId)
export const organizationName = string(...means.organizationName)
export const version = field(Schema.Int, "Rises with each change: `ETag` has it, and the `If-Match` of an edit", 3)
export const createdAt = field(Timestamp, "When it was made", Samples.bought)

/** The query parameter of operations that can be previewed (rule S9). */
export const previewable = {
  dry_run: optional(
    Flag,
    "True: the request is checked, and its answer shows in `preview` what it would do. Nothing is done, and an " +
      "`Idempotency-Key` is ignored",
    "true"
  )
}

/** When an answer has a preview. */
export const DRY_RUN = "Only where `dry_run` is true: what the request would do"

/** Parameters of paths. */
export const ofSim = { iccid: iccidOfPath("The SIM's ICCID", Samples.iccid) }
export const ofOrganization = { id: idOfPath(...means.organizationId) }
