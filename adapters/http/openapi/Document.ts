/**
 * The OpenAPI document of the API, as `/openapi.json` serves it: what is generated from the
 * definition, with its descriptions, completed with examples of every parameter, body, field and
 * error, with the codes that an operation may answer with each status, and with the webhooks.
 */
import { Schema } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { setImmediate as nextTurn } from "node:timers/promises"
import { TextLimit } from "simplan/ports"
import { Api } from "../api/Api.ts"
import * as ReportsApi from "../api/ReportsApi.ts"
import { Samples } from "simplan/views"
import * as Schemas from "../api/Schemas.ts"
import { Codes } from "../../fields/index.ts"
import * as Reasons from "../middleware/Reasons.ts"
import * as Versions from "../wire/Versions.ts"
import * as RouteGroups from "../RouteGroups.ts"
import * as Json from "./JsonSchema.ts"
import * as Webhooks from "./Webhooks.ts"

const info = {
  contact: { name: "The operator of this server" },
  license: { name: "MIT", identifier: "MIT" }
} as const

/** What of the API a document is about. */
export interface About {
  /** What comes before the paths, such as `/esim`; nothing by default. */
  readonly prefix?: string
  /** The operations that it has, by their path; all by default. */
  readonly has?: (path: string) => boolean
  /** The operations that the host authenticates in its own way, by their path; none by default. */
  readonly isHosts?: (path: string) => boolean
}

const serversOf = ({ prefix = "" }: About) => [{ url: prefix === "" ? "/" : prefix, description: "This server" }]

const METHODS = new Set(["get", "post", "put", "patch", "delete"])

const headers = {
  RequestId: {
    description: "The request's id: the caller's, or a new one",
    schema: { type: "string" },
    example: Samples.requestId
  },
  RateLimit: {
    description: "What is left of the key's quota, and in how many seconds it is whole again (IETF draft)",
    schema: { type: "string" },
    example: '"default";r=97;t=1'
  },
  RateLimitPolicy: {
    description: "The quota of a key, and its window in seconds (IETF draft)",
    schema: { type: "string" },
    example: '"default";q=100;w=1'
  },
  RetryAfter: {
    description: "In how many seconds to try again",
    schema: { type: "integer", minimum: 1 },
    example: 1
  },
  IdempotentReplayed: {
    description: "`true` where the answer is that of an earlier request with the same `Idempotency-Key`",
    schema: { type: "string", enum: ["true"] },
    example: "true"
  },
  ETag: {
    description: "The version of what the answer is about, for `If-Match`; with 412 the one that is there now",
    schema: { type: "string" },
    example: '"3"'
  }
} as const

const header = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })

/** The refusals that are kept under an idempotency key (rule W2), by status. */
const KEPT = new Set([400, 404, 409, 422])

const CHANGED = Codes.status("changed_meanwhile")

/** Whether an operation edits a version, which may be another one meanwhile. */
const edits = (operation: unknown): boolean =>
  Json.isRecord(Json.record(Json.record(operation)["responses"])[String(CHANGED)])

/**
 * The headers of an operation's answer with a status. `isLimited`: whoever sends it has a quota.
 */
const headersOf = (status: number, isLimited: boolean, isRepeatable: boolean, isVersioned: boolean) => ({
  "X-Request-Id": header("RequestId"),
  ...(isVersioned && (status < 400 || status === CHANGED) ? { ETag: header("ETag") } : {}),
  ...(isLimited && status !== 401
    ? { RateLimit: header("RateLimit"), "RateLimit-Policy": header("RateLimitPolicy") }
    : {}),
  ...(status === 429 || status === 503 ? { "Retry-After": header("RetryAfter") } : {}),
  ...(isRepeatable && (status < 400 || KEPT.has(status)) ? { "Idempotent-Replayed": header("IdempotentReplayed") } : {})
})

const isAbout = (part: unknown): part is Json.Record =>
  Json.isRecord(part) && Object.keys(part).every((name) => name === "description" || name === "examples")

/**
 * The schema with what the definition says of its key, which the generator puts beside the schema
 * as one more to hold.
 */
const described = (schema: Json.Record): Json.Record => {
  const { allOf, ...rest } = schema
  const parts = Json.list(allOf)
  const about = parts.at(-1)
  if (!isAbout(about)) return schema
  const [first, ...others] = parts.slice(0, -1)
  if (first === undefined) return { ...about, ...rest }
  const isReference = others.length === 0 && Object.keys(rest).length === 0
  return isReference && Json.isRecord(first) ? { ...about, ...first } : { ...about, ...rest, allOf: parts.slice(0, -1) }
}

/** The schema and all schemas in it, with what explains them. */
const explained = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(explained)
  if (!Json.isRecord(schema)) return schema
  return Json.mapValues(schema, (part, name) => {
    if (name === "properties") return Json.mapValues(part, (property) => described(Json.record(explained(property))))
    return name === "examples" || name === "enum" ? part : explained(part)
  })
}

/** Gives an example to each field that has none of its own. */
const exemplified = (schemas: Json.Record, schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map((part) => exemplified(schemas, part))
  if (!Json.isRecord(schema)) return schema
  return Json.mapValues(schema, (part, name) => {
    if (name === "examples" || name === "enum") return part
    if (name !== "properties") return exemplified(schemas, part)
    return Json.mapValues(part, (property) => ({
      ...Json.record(exemplified(schemas, property)),
      examples: [Json.exampleOf(schemas, property)]
    }))
  })
}

const contentOf = (schemas: Json.Record, content: unknown): Json.Record =>
  Json.mapValues(content, (media, type) => {
    const { schema } = Json.record(media)
    const whole = exemplified(schemas, explained(schema))
    const isText = !type.startsWith("application/json")
    const example =
      type === "text/csv"
        ? "iccid,label,is_esim,lpa,msisdn\n8944500000000000018,Green,true,LPA:1$rsp.example.com$A1B2-C3D4-E5F6,46700000018\n"
        : isText
          ? "# TYPE simplan_up gauge\nsimplan_up 1\n"
          : Json.exampleOf(schemas, whole)
    return { schema: whole, example }
  })

const isCode = (name: unknown): name is Codes.Code => typeof name === "string" && Object.hasOwn(Codes.table, name)

/** The codes of an error's schema; none if the schema is of something else. */
const codesOf = (schema: unknown): ReadonlyArray<Codes.Code> => {
  const { code } = Json.record(Json.record(schema)["properties"])
  const [part] = Json.list(Json.record(code)["allOf"])
  return Json.list(Json.record(part)["enum"]).filter(isCode)
}

/** An error with one of the codes, and perhaps with fields of its own. */
const narrowed = (codes: ReadonlyArray<Codes.Code>): Json.Record => ({
  allOf: [
    { $ref: "#/components/schemas/Error" },
    {
      type: "object",
      properties: {
        code: { type: "string", enum: codes, description: "The name of the error", examples: codes.slice(0, 1) }
      }
    }
  ]
})

const exampleOfCode = (code: Codes.Code, more: Json.Record) => ({
  summary: code,
  value: {
    ...more,
    error: true,
    message: Codes.description(code),
    code,
    ...(code === "internal_error" ? { request_id: Samples.requestId } : {})
  }
})

/** The content of a response with errors: the schemas narrowed, and an example of each code. */
const errors = (schemas: Json.Record, given: unknown): Json.Record => {
  const { schema } = Json.record(given)
  const alternatives = Json.list(Json.record(schema)["anyOf"] ?? [schema]).map((one) => {
    const named = Json.resolve(schemas, one)
    const codes = codesOf(named)
    const more = named === one ? {} : Json.record(Json.exampleOf(schemas, named))
    return {
      schema: named === one ? narrowed(codes) : one,
      examples: codes.map((code) => [code, exampleOfCode(code, more)] as const)
    }
  })
  const [first] = alternatives
  return {
    schema: alternatives.length === 1 ? first?.schema : { anyOf: alternatives.map((one) => one.schema) },
    examples: Object.fromEntries(alternatives.flatMap((one) => one.examples))
  }
}

/** The content of a response with an error that has one of the codes. */
const errorsOf = (codes: ReadonlyArray<Codes.Code>): Json.Record => ({
  schema: narrowed(codes),
  examples: Object.fromEntries(codes.map((code) => [code, exampleOfCode(code, {})]))
})

/** Whether an operation may answer with an error of the code. */
const mayAnswer = (schemas: Json.Record, operation: Json.Record, code: Codes.Code): boolean => {
  const { content } = Json.record(Json.record(operation["responses"])[String(Codes.status(code))])
  return Object.values(Json.record(content)).some((media) => {
    const { schema } = Json.record(media)
    const alternatives = Json.list(Json.record(schema)["anyOf"] ?? [schema])
    return alternatives.some((one) => codesOf(Json.resolve(schemas, one)).includes(code))
  })
}

/** Whether an operation takes from the quota of a key or of an operator. */
const isLimited = (schemas: Json.Record, operation: Json.Record): boolean =>
  mayAnswer(schemas, operation, "concurrency_limited")

/** Whether an operation takes an idempotency key (rule W2). */
const isRepeated = (schemas: Json.Record, operation: Json.Record): boolean =>
  mayAnswer(schemas, operation, "idempotency_key_reused")

/** What the document says of an operation that the definition does not have. */
interface AboutOperation {
  /** Whether a host authenticates who sends it. */
  readonly isHosts: boolean
  /** Whether it changes something for an operator. */
  readonly isOperators: boolean
  /** Whether its answers are about a version of something. */
  readonly isVersioned: boolean
}

const responsesOf = (
  schemas: Json.Record,
  operation: Json.Record,
  { isHosts, isVersioned }: AboutOperation
): Json.Record => {
  const hasQuota = isLimited(schemas, operation)
  const isRepeatable = isRepeated(schemas, operation)
  return Json.mapValues(operation["responses"], (response, status) => {
    const { content, ...rest } = Json.record(response)
    const isError = Number(status) >= 400
    const responseHeaders = headersOf(Number(status), hasQuota, isRepeatable, isVersioned)
    if (isHosts && status === "401") {
      const described = { description: Codes.description("unauthenticated"), headers: responseHeaders }
      return { ...described, content: Json.mapValues(content, () => errorsOf(["unauthenticated"])) }
    }
    return {
      ...rest,
      headers: responseHeaders,
      content: isError ? Json.mapValues(content, (media) => errors(schemas, media)) : contentOf(schemas, content)
    }
  })
}

const TRUTH = JSON.stringify({ type: "string", enum: ["true", "false"] })

/** A parameter. In a query true and false are texts, so the definition has them as such. */
const parameterOf = (given: unknown): Json.Record => {
  const { schema, ...parameter } = Json.record(given)
  const { description, examples, ...plain } = described(Json.record(schema))
  const [example] = Json.list(examples)
  return JSON.stringify(plain) === TRUTH
    ? { ...parameter, description, schema: { type: "boolean" }, example: example === "true" }
    : { ...parameter, description, schema: plain, example }
}

/** The `Idempotency-Key` header, of the operations that take one (rule W2). */
const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A text of the caller's choice that makes the request safe to repeat: for 24 h, a request with the same key and " +
    "body gets the first one's answer, with the header `Idempotent-Replayed: true`. Bodies are compared as JSON values: " +
    "the order of fields, white space and escapes do not count",
  schema: { type: "string", pattern: "^[\\x20-\\x7e]{1,255}$" },
  example: "order-4711-plan"
} as const

/** The header of the operations that change something for an operator (rule W11). */
const auditReason = {
  name: Reasons.NAME,
  in: "header",
  required: false,
  description: `Why, for the audit log: at most ${TextLimit.REASON} characters of UTF-8, percent-encoded`,
  schema: { type: "string", pattern: "^[\\x20-\\x7e]*$" },
  example: encodeURIComponent(Samples.reason)
} as const

/** The `If-Match` header, of the operations that edit a version (rule W16). */
const ifMatch = {
  name: Versions.NAME,
  in: "header",
  required: false,
  description:
    "The `ETag` of what the edit is of, or several of them: where another version is there it is refused with 412",
  schema: { type: "string" },
  example: '"3"'
} as const

/** What an operation is sent beside what its definition has. */
const headersTo = (isRepeatable: boolean, isOperators: boolean, isEdit: boolean): ReadonlyArray<Json.Record> => [
  ...(isEdit ? [ifMatch] : []),
  ...(isRepeatable ? [idempotencyKey] : []),
  ...(isOperators ? [auditReason] : [])
]

const operationOf = (schemas: Json.Record, given: unknown, about: AboutOperation): Json.Record => {
  const { isHosts, isOperators } = about
  const operation = Json.record(given)
  const isRepeatable = isRepeated(schemas, operation)
  const body = Json.record(operation["requestBody"])
  const parameters = Json.list(operation["parameters"]).map(parameterOf)
  return {
    security: [],
    ...operation,
    ...(isHosts ? { security: [] } : {}),
    parameters: [...parameters, ...headersTo(isRepeatable, isOperators, edits(operation))],
    ...(body["content"] === undefined
      ? {}
      : {
          requestBody: {
            ...body,
            description: body["description"] ?? "What is asked for",
            content: contentOf(schemas, body["content"])
          }
        }),
    responses: responsesOf(schemas, operation, about)
  }
}

/** The schemas of the components, whole. */
const schemasOf = (given: unknown): Json.Record => {
  const named = Json.mapValues(given, explained)
  const reports = Json.record(named["ReportEvents"])
  const { events } = Json.record(reports["properties"])
  const items = { $ref: "#/components/schemas/TelcoEvent" }
  const error = Json.record(Schema.toJsonSchemaDocument(Schema.Struct(Schemas.ErrorBody.fields)).schema)
  const whole: Json.Record = {
    ...named,
    ReportEvents: { ...reports, properties: { events: { ...Json.record(events), items } } },
    TelcoEvent: ReportsApi.TelcoEvent,
    Error: { ...Json.record(explained(error)), description: "An error (rule W1)" }
  }
  return Json.mapValues(whole, (schema) => {
    const described = Json.record(exemplified(whole, schema))
    return { ...described, examples: [Json.exampleOf(whole, described)] }
  })
}

/** The names that one of the operations has in a list of its own. */
const namesIn = (paths: Json.Record, names: (operation: Json.Record) => ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    Object.values(paths).flatMap((methods) =>
      Object.values(Json.record(methods)).flatMap((one) => names(Json.record(one)))
    )
  )

const complete = (document: Json.Record, about: About): Json.Record => {
  const { has = () => true, isHosts = () => false } = about
  const schemas = schemasOf(Json.record(document["components"])["schemas"])
  const served = Object.entries(Json.record(document["paths"])).filter(([path]) => has(path))
  const paths = Json.mapValues(Object.fromEntries(served), (methods, path) => {
    const isEdited = Object.values(Json.record(methods)).some(edits)
    return Json.mapValues(methods, (operation, method) =>
      METHODS.has(method)
        ? operationOf(schemas, operation, {
            isHosts: isHosts(path),
            isOperators: method !== "get" && RouteGroups.ofPath(path) === "admin",
            isVersioned: isEdited && (method === "get" || edits(operation))
          })
        : operation
    )
  })
  const tags = namesIn(paths, (operation) => Json.list(operation["tags"]).map(String))
  const schemes = namesIn(paths, ({ security }) => Json.list(security).flatMap((one) => Object.keys(Json.record(one))))
  return {
    ...document,
    info: { ...Json.record(document["info"]), ...info },
    servers: serversOf(about),
    tags: Json.list(document["tags"]).filter((tag) => tags.has(String(Json.record(tag)["name"]))),
    paths,
    webhooks: Webhooks.section,
    components: {
      schemas,
      headers,
      securitySchemes: Object.fromEntries(Object.entries(Schemas.securitySchemes).filter(([name]) => schemes.has(name)))
    }
  }
}

const groups = Object.values(Api.groups)

/** What the generator says of one group of operations. */
const generated = (group: (typeof groups)[number]): Json.Record => ({
  ...OpenApi.fromApi(HttpApi.make(Api.identifier).annotateMerge(Api.annotations).add(group))
})

const merged = (records: ReadonlyArray<unknown>): Json.Record =>
  Object.fromEntries(records.flatMap((one) => Object.entries(Json.record(one))))

/** The operations of all groups by their paths. A path may be of more than one group. */
const mergedPaths = (pieces: ReadonlyArray<Json.Record>): Json.Record => {
  const paths = pieces.map((piece) => Json.record(piece["paths"]))
  return Json.mapValues(merged(paths), (_, path) => merged(paths.map((one) => one[path])))
}

/**
 * What the generator says of all groups, which have no name of a schema in common for different
 * schemas.
 */
const joined = (pieces: ReadonlyArray<Json.Record>): Json.Record => ({
  ...pieces[0],
  tags: pieces.flatMap((piece) => Json.list(piece["tags"])),
  paths: mergedPaths(pieces),
  components: { schemas: merged(pieces.map((piece) => Json.record(piece["components"])["schemas"])) }
})

/** The document. */
export const document = (about: About = {}): Json.Record => complete(joined(groups.map(generated)), about)

/** The document, made in turns of the event loop: one group of operations in each. */
export const inTurns = async (about: About): Promise<Json.Record> => {
  const pieces: Array<Json.Record> = []
  for (const group of groups) {
    pieces.push(generated(group))
    await nextTurn()
  }
  return complete(joined(pieces), about)
}
