/**
 * JSON of an unknown shape, as the generator of the document gives it, and the schemas in it: what
 * they refer to, and examples of them.
 */

/** An object of JSON. */
export type Record = Readonly<globalThis.Record<string, unknown>>

export const isRecord = (value: unknown): value is Record =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The record, or an empty one. */
export const record = (value: unknown): Record => (isRecord(value) ? value : {})

/** The list, or an empty one. */
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The record with each of its values changed. */
export const mapValues = (of: unknown, change: (value: unknown, name: string) => unknown): Record =>
  Object.fromEntries(Object.entries(record(of)).map(([name, value]) => [name, change(value, name)]))

const REFERENCE = "#/components/schemas/"

/** The schema itself, or the one that it refers to. */
export const resolve = (schemas: Record, schema: unknown): unknown => {
  const { $ref } = record(schema)
  return typeof $ref === "string" ? schemas[$ref.slice(REFERENCE.length)] : schema
}

/** A value that the schema takes. `schemas` are the document's. */
export const exampleOf = (schemas: Record, schema: unknown): unknown => {
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
  } = record(resolve(schemas, schema))
  const [given] = list(examples)
  if (given !== undefined) return given
  if (only !== undefined) return only
  if (Array.isArray(choices)) return choices[0]
  const [first] = list(anyOf ?? oneOf)
  if (first !== undefined) return exampleOf(schemas, first)
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((part) => exampleOf(schemas, part)))
  if (isRecord(properties)) return mapValues(properties, (property) => exampleOf(schemas, property))
  if (type === "array") return [exampleOf(schemas, items)]
  if (type === "boolean") return true
  if (type === "integer" || type === "number") return 1
  if (type === "object") return {}
  return "text"
}
