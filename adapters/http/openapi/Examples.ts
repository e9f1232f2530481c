/**
 * Examples of schemas: the example that a schema gives itself, else one made of those of its parts.
 */
import * as Json from "./Json.ts"

const REFERENCE = "#/components/schemas/"

/** The schema itself, or the one that it refers to. */
export const resolve = (schemas: Json.Record, schema: unknown): unknown => {
  const { $ref } = Json.record(schema)
  return typeof $ref === "string" ? schemas[$ref.slice(REFERENCE.length)] : schema
}

/** A value that the schema takes. `schemas` are the document's. */
export const of = (schemas: Json.Record, schema: unknown): unknown => {
  const {
    allOf,
    anyOf,
    const: only,
    enum: choices,
    examples,
    items,
    oneOf,
    properties,
    type
  } = Json.record(resolve(schemas, schema))
  const [given] = Json.list(examples)
  if (given !== undefined) return given
  if (only !== undefined) return only
  if (Array.isArray(choices)) return choices[0]
  const [first] = Json.list(anyOf ?? oneOf)
  if (first !== undefined) return of(schemas, first)
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((part) => of(schemas, part)))
  if (Json.isRecord(properties)) return Json.mapValues(properties, (property) => of(schemas, property))
  if (type === "array") return [of(schemas, items)]
  if (type === "boolean") return true
  if (type === "integer" || type === "number") return 1
  if (type === "object") return {}
  return "text"
}
