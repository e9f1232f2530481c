/**
 * Values at the limits that a schema has, and just beyond them.
 */
import type { Document, Schema } from "../fuzz/Document.ts"

export interface Edges {
  readonly within: ReadonlyArray<unknown>
  readonly beyond: ReadonlyArray<unknown>
}

/** The largest body that is sent, in bytes: that of all routes but the imports. */
export const LARGEST = 1_048_576

/** A text or a list that has no limit. */
const UNBOUNDED = { characters: 20_000, items: 5_000 }

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

const schemasOf = (value: unknown): ReadonlyArray<Schema> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : []

const propertiesOf = (schema: Schema): ReadonlyArray<readonly [name: string, schema: Schema]> => {
  const properties = schema["properties"]
  return typeof properties === "object" && properties !== null ? Object.entries(properties) : []
}

const choicesOf = (schema: Schema): ReadonlyArray<Schema> => schemasOf(schema["anyOf"] ?? schema["oneOf"])

const itemOf = (schema: Schema): Schema => schemasOf([schema["items"]])[0] ?? {}

/** As many copies as asked for and as a body has room for. */
const copies = (item: unknown, count: number): ReadonlyArray<unknown> => {
  const size = Buffer.byteLength(JSON.stringify(item) ?? "null") + 1
  return Array<unknown>(Math.max(1, Math.min(count, Math.floor((LARGEST - 4_096) / size)))).fill(item)
}

const ofText = (schema: Schema): Edges => {
  const { enum: names, maxLength, minLength, pattern } = schema
  if (Array.isArray(names)) return { within: names.slice(0, 1), beyond: ["none", "x".repeat(UNBOUNDED.characters)] }
  const most = number(maxLength)
  const longest = most ?? UNBOUNDED.characters
  const texts = ["😀", "\u0001", '"', "a"].map((one) => one.repeat(longest))
  const tooLong = ["a".repeat(longest + 1), `${"a".repeat(longest)}!`, "9".repeat(longest)]
  const beyond = [...((number(minLength) ?? 0) > 0 ? [""] : []), ...tooLong]
  return pattern === undefined && most !== undefined
    ? { within: texts, beyond }
    : { within: [], beyond: [...texts, ...beyond] }
}

const ofNumber = ({ maximum, minimum }: Schema): Edges => {
  const [least, most] = [number(minimum), number(maximum)]
  return {
    within: [...(least === undefined ? [] : [least]), most ?? 2 ** 31 - 1],
    beyond: [(least ?? 0) - 1, most === undefined ? 2 ** 53 : most + 1, 1e308]
  }
}

/**
 * The values of a schema, of all that is in it one at a time. The second of a list stands for the
 * others.
 */
export const edges = (document: Document, given: Schema, depth = 0): Edges => {
  const schema = document.resolve(given)
  const choices = choicesOf(schema)
  if (choices.length > 0) {
    const all = choices.map((one) => edges(document, one, depth))
    return { within: all.flatMap(({ within }) => within), beyond: all.flatMap(({ beyond }) => beyond) }
  }
  switch (schema["type"]) {
    case "string":
      return ofText(schema)
    case "integer":
    case "number":
      return ofNumber(schema)
    case "array": {
      const most = number(schema["maxItems"])
      const count = most ?? UNBOUNDED.items
      const inner = depth > 3 ? { within: [], beyond: [] } : edges(document, itemOf(schema), depth + 1)
      const item = smallest(document, itemOf(schema))
      return {
        within: [
          copies(item, count),
          copies(fullest(document, itemOf(schema), depth + 1), count),
          ...inner.within.slice(0, 8).map((one) => copies(one, count))
        ],
        beyond: [
          ...(most === undefined ? [] : [copies(item, most + 1)]),
          ...inner.beyond.slice(0, 8).flatMap((one) => [[one], copies(one, count)])
        ]
      }
    }
    case "object": {
      if (depth > 3) return { within: [{}], beyond: [] }
      const base = record(fullest(document, schema, depth))
      const all = propertiesOf(schema).map(([name, one]) => [name, edges(document, one, depth + 1)] as const)
      const withOne = (of: (edges: Edges) => ReadonlyArray<unknown>) =>
        all.flatMap(([name, one]) => of(one).map((value) => ({ ...base, [name]: value })))
      return { within: [base, ...withOne(({ within }) => within)], beyond: withOne(({ beyond }) => beyond) }
    }
    default:
      return { within: [], beyond: ["x".repeat(UNBOUNDED.characters)] }
  }
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}

/** A value with every field, each at its upper limit. */
const fullest = (document: Document, given: Schema, depth: number): unknown => {
  const schema = document.resolve(given)
  const choices = choicesOf(schema)
  if (choices[0] !== undefined) return fullest(document, choices[0], depth)
  if (schema["type"] === "boolean") return true
  if (schema["type"] === "null" || depth > 5) return null
  if (schema["type"] === "array") {
    const inner = fullest(document, itemOf(schema), depth + 1)
    // Lists in lists would be of any size.
    return copies(inner, depth > 1 ? 4 : (number(schema["maxItems"]) ?? 1_000))
  }
  if (schema["type"] === "object")
    return Object.fromEntries(propertiesOf(schema).map(([name, one]) => [name, fullest(document, one, depth + 1)]))
  const { within, beyond } = edges(document, schema, depth)
  return within.at(-1) ?? beyond.at(0) ?? "x"
}

/** A value with the fields that have to be there, each as short as it may be. */
const smallest = (document: Document, given: Schema): unknown => {
  const schema = document.resolve(given)
  const { enum: names, minimum, required, type } = schema
  const choices = choicesOf(schema)
  if (choices[0] !== undefined) return smallest(document, choices[0])
  if (Array.isArray(names)) return names[0]
  if (type === "array") return []
  if (type === "object") {
    const needed = propertiesOf(schema).filter(([name]) => Array.isArray(required) && required.includes(name))
    return Object.fromEntries(needed.map(([name, one]) => [name, smallest(document, one)]))
  }
  if (type === "integer" || type === "number") return number(minimum) ?? 0
  return type === "boolean" ? false : type === "null" ? null : "1"
}
