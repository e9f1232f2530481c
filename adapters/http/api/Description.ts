/**
 * Completes the generated OpenAPI document: adds the security schemes, and merges the copies of the error schema. The
 * generator makes a copy of a schema for each description that it has.
 */
import * as Security from "./Security.ts"

const copies = /^Error_\d+$/

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const folded = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(folded)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === "$ref" && typeof part === "string" ? part.replace(/\/Error_\d+$/, "/Error") : folded(part)
    ])
  )
}

const withoutCopies = (schemas: unknown): Readonly<Record<string, unknown>> =>
  isRecord(schemas) ? Object.fromEntries(Object.entries(schemas).filter(([name]) => !copies.test(name))) : {}

/** The document as it is served. */
export const complete = (document: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const components = isRecord(document["components"]) ? document["components"] : {}
  const whole = folded({
    ...document,
    components: {
      ...components,
      schemas: withoutCopies(components["schemas"]),
      securitySchemes: Security.schemes
    }
  })
  return isRecord(whole) ? { ...whole } : {}
}
