/**
 * Requests built from the document: near-valid ones, mutated ones and broken ones.
 */
import fc from "fast-check"
import type { Document, Operation, Schema } from "./Document.ts"
import * as Pool from "./Pool.ts"

export interface Request {
  readonly operation: Operation
  /** With query; places are not filled yet. */
  readonly path: string
  readonly body: string | null
  readonly headers: Readonly<Record<string, string>>
}

const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("\0", "\ud800", "\udfff", "a", "é", "😀", '"', "\\") }),
  fc.constantFrom("Green", "FR", "0", "", "x".repeat(5_000), "9999-12-31T23:59:59.999Z", "0000-01-01T00:00:00Z")
)

const anyLeaf = fc.oneof(
  nasty,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom<unknown>(null, 0, -1, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1e308, [], {})
)

const anyJson = fc.letrec<{ value: unknown; record: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, anyLeaf, fc.array(tie("value"), { maxLength: 4 }), tie("record")),
  record: fc.dictionary(fc.oneof(fc.constantFrom("__proto__", "constructor", "iccid"), nasty), tie("value"), {
    maxKeys: 4
  })
})).value

const instants = fc.oneof(
  fc
    .date({ min: new Date("2025-12-01"), max: new Date("2026-03-01"), noInvalidDate: true })
    .map((at) => at.toISOString()),
  fc.constantFrom("2026-01-10T12:00:00Z", "2026-01-10T24:00:00.000+00:00", "2026-02-29T00:00:00Z")
)

const countries = fc.uniqueArray(fc.constantFrom("FR", "IT", "DE", "ES", "SE", "AQ", "xx"), { maxLength: 4 })

/** Fields whose schema says less than the service asks for. */
const BY_NAME: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  start: instants,
  end: instants,
  expires_at: instants,
  nb_occurrence: fc.integer({ min: 1, max: 5 }),
  recurring_periodicity_type: fc.constantFrom("0", "1", "2"),
  recurring_periodicity_frequency: fc.integer({ min: 1, max: 3 }),
  throttling_threshold1_perc: fc.integer({ min: 1, max: 40 }),
  throttling_threshold2_perc: fc.integer({ min: 41, max: 70 }),
  throttling_threshold3_perc: fc.integer({ min: 71, max: 100 }),
  throttling_threshold1_limit: fc.constantFrom("128", "1024"),
  throttling_threshold2_limit: fc.constantFrom("128", "1024"),
  throttling_threshold3_limit: fc.constantFrom("128", "1024"),
  label: fc.constantFrom("Green", "Green", "Green", "Aqua", "Grey"),
  iso2_list: countries,
  country: fc.constantFrom("FR", "IT", "fr", "XX"),
  country_iso_2: countries.map((all) => all.join(",")),
  url: fc.constantFrom("https://example.com/hook", "http://example.com", "https://user@example.com:99999/"),
  from: fc.constantFrom("Simplan", "+4670123456", "€uro"),
  message: fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("é".repeat(1_530), "ç".repeat(671))),
  region_code: fc.constantFrom("FR", "EUROPE", "none")
}

const report = fc
  .record({
    id: fc.oneof(fc.uuid(), fc.constantFrom("1", "2", "3")),
    iccid: fc.nat(200).map((index) => Pool.place("iccid", index)),
    occurred_at: fc.constantFrom("2026-01-10T11:00:00Z", "2026-01-10T12:00:00Z", "2025-01-01T00:00:00Z"),
    more: fc.oneof(
      fc.record({ type: fc.constant("usage"), delta_bytes: fc.nat() }),
      fc.record({
        type: fc.constant("usage"),
        total_bytes: fc.nat(),
        package_id: fc.nat(200).map((index) => Pool.place("package", index))
      }),
      fc.record({ type: fc.constant("first_use") }),
      fc.record({
        type: fc.constant("package_end"),
        reason: fc.constantFrom("depleted", "expired", "revoked", "lapsed"),
        package_id: fc.nat(200).map((index) => Pool.place("package", index))
      }),
      fc.record({
        type: fc.constant("location"),
        country_alpha_2: fc.constantFrom("FR", "IT"),
        operator: fc.string({ minLength: 1 }),
        rat: fc.constantFrom("4G", "5G"),
        imei: fc.constant("1")
      }),
      fc.record({ type: fc.constant("smdp_state"), state: fc.constantFrom("Released", "Download", "Installed") })
    )
  })
  .map(({ more, ...report }) => ({ ...report, ...more }))

const objectOf = (schema: Schema): Readonly<Record<string, Schema>> => {
  const properties = schema["properties"]
  return typeof properties === "object" && properties !== null ? Object.fromEntries(Object.entries(properties)) : {}
}

const listOf = (value: unknown): ReadonlyArray<Schema> => (Array.isArray(value) ? value : [])
const number = (value: unknown, preset: number): number => (typeof value === "number" ? value : preset)

/** Values that a schema takes, with places where names are to be filled in. */
export const valid = (document: Document, path: string, name: string, given: Schema): fc.Arbitrary<unknown> => {
  const schema = document.resolve(given)
  if (name === "events" && path.startsWith("/telco")) return fc.array(report, { maxLength: 5 })
  const known = BY_NAME[name]
  if (known !== undefined) return known
  const kind = Pool.kindOf(name, path)
  if (kind !== undefined) return fc.nat(1_000).map((index) => Pool.place(kind, index))
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...schema["enum"])
  const choices = listOf(schema["anyOf"] ?? schema["oneOf"])
  if (choices.length > 0) return fc.oneof(...choices.map((one) => valid(document, path, name, one)))
  switch (schema["type"]) {
    case "string": {
      const { pattern } = schema
      if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern, "u"))
      return fc.string({ maxLength: Math.min(number(schema["maxLength"], 20), 20) })
    }
    case "integer":
    case "number": {
      const [min, max] = [number(schema["minimum"], 0), number(schema["maximum"], 1_000)]
      return fc.oneof(fc.integer({ min, max: Math.min(max, min + 60) }), fc.constantFrom(min, max))
    }
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "array":
      return fc.array(valid(document, path, "", document.resolve(listOf([schema["items"] ?? {}])[0] ?? {})), {
        maxLength: 4
      })
    case "object": {
      const properties = objectOf(schema)
      const required = Array.isArray(schema["required"]) ? schema["required"] : []
      const names = Object.keys(properties)
      const fields = Object.fromEntries(
        names.map((field) => [field, valid(document, path, field, properties[field] ?? {})])
      )
      return fc.record(fields, { requiredKeys: names.filter((field) => required.includes(field)) })
    }
    default:
      return anyJson
  }
}

/** The value with one place in it changed: a field left out, put in, or given another value. */
const mutated = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(value, fc.nat(), fc.nat(2), fc.oneof(nasty, fc.constant("extra")), anyJson)
    .map(([from, at, how, field, by]) => {
      if (typeof from !== "object" || from === null) return by
      const entries: Array<[string, unknown]> = Object.entries(from)
      const index = at % Math.max(entries.length, 1)
      if (how === 0) entries.splice(index, 1)
      else if (how === 1) entries.push([field, by])
      else entries.splice(index, 1, [entries[index]?.[0] ?? field, by])
      return Array.isArray(from) ? entries.map(([, one]) => one) : Object.fromEntries(entries)
    })

const asText = (value: unknown): string => {
  return JSON.stringify(value) ?? "null"
}

/** A value as it is put into a path or query. */
export const encoded = (value: unknown): string => {
  const text = typeof value === "string" ? value : asText(value)
  // The places are filled, and encoded, when the request is sent.
  return text.startsWith("@@") ? text : encodeURIComponent(text.replace(/\p{Surrogate}|^\.*$/gu, "?"))
}

const rarely = <A>(usual: fc.Arbitrary<A>, unusual: fc.Arbitrary<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: unusual })

/** Requests to an operation. */
const of = (document: Document, operation: Operation): fc.Arbitrary<Request> => {
  const { body, parameters, path } = operation
  const values = Object.fromEntries(
    parameters.map(({ name, schema }) => [name, rarely(valid(document, path, name, schema), nasty)])
  )
  const inQuery = parameters.filter((one) => one.in === "query").map(({ name }) => name)
  const bodies =
    body === null
      ? rarely(fc.constant<string | null>(null), anyJson.map(asText))
      : fc.oneof(
          { weight: 12, arbitrary: valid(document, path, "", body).map(asText) },
          { weight: 6, arbitrary: mutated(valid(document, path, "", body)).map(asText) },
          { weight: 1, arbitrary: anyJson.map(asText) },
          { weight: 1, arbitrary: fc.oneof(nasty, fc.constantFrom("[".repeat(20_000), '{"a":1,"a":2}', "\ufeff{}")) }
        )
  const types = rarely(
    fc.constant("application/json"),
    fc.constantFrom("text/csv", "text/plain", "application/json; charset=latin1", "nonsense")
  )
  const keys = fc.oneof(
    { weight: 5, arbitrary: fc.constant({}) },
    { weight: 4, arbitrary: fc.nat(500).map((key) => ({ "idempotency-key": `key ${key}` })) },
    { weight: 1, arbitrary: fc.constant({ "idempotency-key": "\u00e9" }) }
  )
  return fc
    .record({
      values: fc.record(values, {
        requiredKeys: parameters.flatMap((one) => (one.in === "path" ? [one.name] : []))
      }),
      strange: rarely(fc.constant(""), fc.constantFrom("&&", "__proto__=1", "%zz", "page=1&page=2", "a=%ED%A0%80")),
      body: operation.method === "GET" ? fc.constant(null) : bodies,
      type: types,
      keys
    })
    .map(({ body, keys, strange, type, values }) => {
      const query = inQuery.flatMap((name) => (name in values ? [`${name}=${encoded(values[name])}`] : []))
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(values[name]))
      return {
        operation,
        path: `${filled}?${[...query, strange].filter((one) => one !== "").join("&")}`.replace(/\?$/, ""),
        body,
        headers: { ...(body === null ? {} : { "content-type": type }), ...(operation.method === "POST" ? keys : {}) }
      }
    })
}

/** Lists of megabytes: one of them costs as much as a hundred other requests. */
const LARGE = new Set(["/v3/coverage-profiles", "/v3/operators", "/admin/v1/catalogue"])

const weightOf = ({ method, path }: Operation): number => {
  if (method === "GET") return LARGE.has(path) ? 1 : 10
  return method === "POST" && !path.startsWith("/admin") ? 60 : 20
}

/** Requests to any of the operations; those that change something come more often. */
export const any = (document: Document, operations: ReadonlyArray<Operation>): fc.Arbitrary<Request> =>
  fc.oneof(...operations.map((operation) => ({ weight: weightOf(operation), arbitrary: of(document, operation) })))
