/**
 * The canonical text of a JSON value (RFC 8785), by which a request is known again (rule W2): two
 * texts of JSON have the same one exactly if they mean the same value. The order of fields, white
 * space and escapes mean nothing, nor does how a number is written: `1`, `1.0` and `1e0` are one
 * value. Of a field that comes twice the last one counts, as `JSON.parse` reads it.
 *
 * It is written without recursion, because a body may have as many brackets inside each other as it
 * has bytes.
 */

/**
 * What is still to be written: a text as it stands, or a value of the field of that name, perhaps
 * within a list.
 */
type Part = string | { readonly value: unknown; readonly field: string }

const leaf = (value: unknown): string =>
  // A number beyond the largest one is read as `Infinity`, which JSON has no text for.
  typeof value === "number" && !Number.isFinite(value) ? String(value) : JSON.stringify(value)

/**
 * What a list or an object consists of, from its end to its beginning; undefined for any other
 * value.
 */
const partsOf = (value: unknown, field: string): Array<Part> | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const isList = Array.isArray(value)
  const names = Object.keys(value)
  // By UTF-16 code units, as the RFC has it.
  const ordered = isList ? names.reverse() : names.sort().reverse()
  const parts: Array<Part> = [isList ? "]" : "}"]
  for (const [index, name] of ordered.entries()) {
    if (index > 0) parts.push(",")
    parts.push({ value: Object.getOwnPropertyDescriptor(value, name)?.value, field: isList ? field : name })
    if (!isList) parts.push(`${JSON.stringify(name)}:`)
  }
  parts.push(isList ? "[" : "{")
  return parts
}

/**
 * The canonical text of a value that `JSON.parse` gave, with the strings of each field as `spell`
 * has them: as they are unless given.
 */
export const text = (value: unknown, spell = (text: string, _field: string): string => text): string => {
  const written: Array<string> = []
  const left: Array<Part> = [{ value, field: "" }]
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (typeof part === "string") written.push(part)
    else {
      const { field, value } = part
      const parts = partsOf(value, field)
      if (parts === undefined) written.push(leaf(typeof value === "string" ? spell(value, field) : value))
      else for (const one of parts) left.push(one)
    }
  }
  return written.join("")
}
