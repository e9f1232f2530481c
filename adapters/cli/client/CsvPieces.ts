/**
 * Splits a CSV text that arrives in chunks into pieces of whole records. Each piece is a CSV of its own: it begins with
 * the header. A line break inside quotes does not end a record.
 */

/** What is left after a chunk. */
export interface Rest {
  /** The header with its line break; null until it is complete. */
  readonly header: string | null
  readonly text: string
}

export const start: Rest = { header: null, text: "" }

/** The positions after the first and the last complete record; -1 if there is none. */
const boundaries = (text: string): { readonly first: number; readonly last: number } => {
  let [first, last] = [-1, -1]
  let inQuotes = false
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index)
    if (character === 0x22) inQuotes = !inQuotes
    else if (character === 0x0a && !inQuotes) {
      last = index + 1
      if (first === -1) first = last
    }
  }
  return { first, last }
}

/** Takes a chunk. Returns the next complete piece, null if there is none yet. */
export const take = (rest: Rest, chunk: string): readonly [rest: Rest, piece: string | null] => {
  const text = rest.text + chunk
  const { first, last } = boundaries(text)
  if (last === -1) return [{ ...rest, text }, null]
  const header = rest.header ?? text.slice(0, first)
  const records = text.slice(rest.header === null ? first : 0, last)
  return [{ header, text: text.slice(last) }, records === "" ? null : header + records]
}

/** The last piece, if the text ends without a line break. */
export const finish = ({ header, text }: Rest): string | null =>
  header === null || text.trim() === "" ? null : header + text
