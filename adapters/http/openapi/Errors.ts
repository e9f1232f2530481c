/**
 * The errors of the document: the codes that an operation may answer with a status, as an enum, with an example of each.
 */
import * as Codes from "../wire/Codes.ts"
import * as Examples from "./Examples.ts"
import type * as Fields from "./Fields.ts"
import * as Json from "./Json.ts"
import * as Samples from "./Samples.ts"

const isCode = (name: unknown): name is Codes.Code => typeof name === "string" && Object.hasOwn(Codes.table, name)

/** The codes of an error's schema; none where the schema is of something else. */
const codesOf = (schema: unknown): ReadonlyArray<Codes.Code> => {
  const { code } = Json.record(Json.record(schema)["properties"])
  const [part] = Json.list(Json.record(code)["allOf"])
  return Json.list(Json.record(part)["enum"]).filter(isCode)
}

const schema = {
  type: "object",
  properties: {
    error: { type: "boolean", const: true },
    message: { type: "string" },
    code: { type: "string" },
    request_id: { type: "string" }
  },
  required: ["error", "message", "code"]
} as const

/** The schema that all errors share. */
export const base = (explain: (field: string) => Fields.Explanation | undefined): Json.Record => ({
  ...schema,
  description: "An error (rule W1)",
  properties: Json.mapValues(schema.properties, (property, name) => {
    const [description = name, example = true] = explain(name) ?? []
    return { ...Json.record(property), description, examples: [example] }
  })
})

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

const exampleOf = (code: Codes.Code, more: Json.Record) => ({
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
export const content = (schemas: Json.Record, given: unknown): Json.Record => {
  const { schema } = Json.record(given)
  const alternatives = Json.list(Json.record(schema)["anyOf"] ?? [schema]).map((one) => {
    const named = Examples.resolve(schemas, one)
    const codes = codesOf(named)
    const more = named === one ? {} : Json.record(Examples.of(schemas, named))
    return {
      schema: named === one ? narrowed(codes) : one,
      examples: codes.map((code) => [code, exampleOf(code, more)] as const)
    }
  })
  const [first] = alternatives
  return {
    schema: alternatives.length === 1 ? first?.schema : { anyOf: alternatives.map((one) => one.schema) },
    examples: Object.fromEntries(alternatives.flatMap((one) => one.examples))
  }
}

/** The content of a response with an error that has one of the codes. */
export const contentOf = (codes: ReadonlyArray<Codes.Code>): Json.Record => ({
  schema: narrowed(codes),
  examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code, {})]))
})
