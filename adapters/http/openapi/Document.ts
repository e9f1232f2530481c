/**
 * The OpenAPI document of the API, as `/openapi.json` serves it: what is generated from the definition, completed with
 * descriptions and examples of every operation, parameter, field and error, and with the webhooks.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { setImmediate as nextTurn } from "node:timers/promises"
import { Api } from "../api/Api.ts"
import * as Security from "../api/Security.ts"
import * as Errors from "./Errors.ts"
import * as Examples from "./Examples.ts"
import * as Fields from "./Fields.ts"
import * as Json from "./Json.ts"
import * as Operations from "./Operations.ts"
import * as Parameters from "./Parameters.ts"
import * as Reports from "./Reports.ts"
import * as Samples from "./Samples.ts"
import * as Webhooks from "./Webhooks.ts"
import * as Codes from "../wire/Codes.ts"

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
  }
} as const

const header = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })

/** The refusals that are kept under an idempotency key (rule W2), by status. */
const KEPT = new Set([400, 404, 409, 422])

/** The headers of an operation's answer with a status. */
const headersOf = (path: string, status: number, isRepeatable: boolean) => ({
  "X-Request-Id": header("RequestId"),
  ...(path.startsWith("/v3/") && status !== 401
    ? { RateLimit: header("RateLimit"), "RateLimit-Policy": header("RateLimitPolicy") }
    : {}),
  ...(status === 429 || status === 503 ? { "Retry-After": header("RetryAfter") } : {}),
  ...(isRepeatable && (status < 400 || KEPT.has(status)) ? { "Idempotent-Replayed": header("IdempotentReplayed") } : {})
})

/** Explains the fields of a schema and of all schemas in it. `within` is the name of the schema that they are part of. */
const explained = (schema: unknown, within: string): unknown => {
  if (Array.isArray(schema)) return schema.map((part) => explained(part, within))
  if (!Json.isRecord(schema)) return schema
  return Json.mapValues(schema, (part, name) => {
    if (name === "properties") return Json.mapValues(part, (property, field) => explainedField(property, within, field))
    return name === "examples" || name === "enum" ? part : explained(part, within)
  })
}

const explainedField = (schema: unknown, within: string, field: string): Json.Record => {
  const [description, example] = Fields.find(within, field) ?? []
  const property = Json.record(explained(schema, within))
  return {
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] }),
    ...property
  }
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
      examples: [Examples.of(schemas, property)]
    }))
  })
}

const contentOf = (schemas: Json.Record, content: unknown, within: string): Json.Record =>
  Json.mapValues(content, (media, type) => {
    const { schema } = Json.record(media)
    const whole = exemplified(schemas, explained(schema, within))
    const isText = !type.startsWith("application/json")
    const example =
      type === "text/csv"
        ? "iccid,label,is_esim,lpa,msisdn\n8944500000000000018,Green,true,LPA:1$rsp.example.com$A1B2-C3D4-E5F6,46700000018\n"
        : isText
          ? "# TYPE simplan_up gauge\nsimplan_up 1\n"
          : Examples.of(schemas, whole)
    return { schema: whole, example }
  })

const responsesOf = (schemas: Json.Record, path: string, operation: Json.Record, isHosts: boolean): Json.Record => {
  const isRepeatable = Json.isRecord(Json.record(operation["responses"])["422"])
  return Json.mapValues(operation["responses"], (response, status) => {
    const { content, ...rest } = Json.record(response)
    const isError = Number(status) >= 400
    const responseHeaders = headersOf(path, Number(status), isRepeatable)
    if (isHosts && status === "401") {
      const described = { description: Codes.description("unauthenticated"), headers: responseHeaders }
      return { ...described, content: Json.mapValues(content, () => Errors.contentOf(["unauthenticated"])) }
    }
    return {
      ...rest,
      headers: responseHeaders,
      content: isError
        ? Json.mapValues(content, (media) => Errors.content(schemas, media))
        : contentOf(schemas, content, String(operation["operationId"]))
    }
  })
}

const parameterOf = (operation: string, given: unknown): Json.Record => {
  const { schema, ...parameter } = Json.record(given)
  const { description: own, ...plain } = Json.record(schema)
  const name = String(parameter["name"])
  const [description, example] = Parameters.find(operation, name) ?? []
  return { ...parameter, description: own ?? description, schema: plain, example }
}

const operationOf = (schemas: Json.Record, path: string, given: unknown, isHosts: boolean): Json.Record => {
  const operation = Json.record(given)
  const id = String(operation["operationId"])
  const isRepeatable = Json.isRecord(Json.record(operation["responses"])["422"])
  const body = Json.record(operation["requestBody"])
  const parameters = Json.list(operation["parameters"]).map((one) => parameterOf(id, one))
  return {
    security: [],
    ...operation,
    ...(isHosts ? { security: [] } : {}),
    description: operation["description"] ?? Operations.description(id) ?? operation["summary"],
    parameters: isRepeatable ? [...parameters, Parameters.idempotencyKey] : parameters,
    ...(body["content"] === undefined
      ? {}
      : {
          requestBody: {
            ...body,
            description: body["description"] ?? "What is asked for",
            content: contentOf(schemas, body["content"], id)
          }
        }),
    responses: responsesOf(schemas, path, operation, isHosts)
  }
}

/** The schemas of the components, whole. */
const schemasOf = (given: unknown): Json.Record => {
  const named = { ...Json.record(given), TelcoEvent: Reports.TelcoEvent }
  const all = Json.mapValues(named, (schema, name) => explained(schema, name))
  const events = Json.record(Json.record(all["ReportEvents"])["properties"])["events"]
  const whole: Json.Record = {
    ...all,
    Error: Errors.base((field) => Fields.find("Error", field)),
    ReportEvents: {
      ...Json.record(all["ReportEvents"]),
      properties: { events: { ...Json.record(events), items: { $ref: "#/components/schemas/TelcoEvent" } } }
    }
  }
  return Json.mapValues(whole, (schema, name) => {
    const described = Json.record(exemplified(whole, schema))
    return { ...described, examples: [Fields.whole(name) ?? Examples.of(whole, described)] }
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
  const paths = Json.mapValues(Object.fromEntries(served), (methods, path) =>
    Json.mapValues(methods, (operation, method) =>
      METHODS.has(method) ? operationOf(schemas, path, operation, isHosts(path)) : operation
    )
  )
  const tags = namesIn(paths, (operation) => Json.list(operation["tags"]).map(String))
  const schemes = namesIn(paths, ({ security }) => Json.list(security).flatMap((one) => Object.keys(Json.record(one))))
  return {
    ...document,
    info: { ...Json.record(document["info"]), ...info },
    servers: serversOf(about),
    tags: Json.list(document["tags"]).flatMap((tag) => {
      const name = String(Json.record(tag)["name"])
      return tags.has(name) ? [{ name, description: Operations.ofGroup(name) }] : []
    }),
    paths,
    webhooks: Webhooks.section,
    components: {
      schemas,
      headers,
      securitySchemes: Object.fromEntries(Object.entries(Security.schemes).filter(([name]) => schemes.has(name)))
    }
  }
}

const groups = Object.values(Api.groups)

/** What the generator says of one group of operations. */
const described = (group: (typeof groups)[number]): Json.Record => ({
  ...OpenApi.fromApi(HttpApi.make(Api.identifier).annotateMerge(Api.annotations).add(group))
})

const merged = (records: ReadonlyArray<unknown>): Json.Record =>
  Object.fromEntries(records.flatMap((one) => Object.entries(Json.record(one))))

/** What the generator says of all groups, which have no name of a schema in common for different schemas. */
const joined = (pieces: ReadonlyArray<Json.Record>): Json.Record => ({
  ...pieces[0],
  tags: pieces.flatMap((piece) => Json.list(piece["tags"])),
  paths: merged(pieces.map((piece) => piece["paths"])),
  components: { schemas: merged(pieces.map((piece) => Json.record(piece["components"])["schemas"])) }
})

/** The document. */
export const document = (about: About = {}): Json.Record => complete(joined(groups.map(described)), about)

/** The document, made in turns of the event loop: one group of operations in each. */
export const inTurns = async (about: About): Promise<Json.Record> => {
  const pieces: Array<Json.Record> = []
  for (const group of groups) {
    pieces.push(described(group))
    await nextTurn()
  }
  return complete(joined(pieces), about)
}
