/**
 * Cuts a CSV text that arrives in chunks into pieces of whole records, each a CSV of its own: the header goes in front
 * of every piece. A line break inside quotes ends no record.
 */

/** What is left over between two chunks. */
export interface Rest {
  /** The header with its line break; null until it is complete. */
  readonly header: string | null
  readonly text: string
}

export const start: Rest = { header: null, text: "" }

/** The position after each of the first and the last record of the text; -1 where none is complete. */
const boundaries = (text: string): { readonly first: number; readonly last: number } => {
  let first = -1
  let last = -1
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

/** Takes a chunk; gives the piece that is complete, null where none is. */
export const take = (rest: Rest, chunk: string): readonly [rest: Rest, piece: string | null] => {
  const text = rest.text + chunk
  const { first, last } = boundaries(text)
  if (last === -1) return [{ ...rest, text }, null]
  const header = rest.header ?? text.slice(0, first)
  const records = rest.header === null ? text.slice(first, last) : text.slice(0, last)
  return [{ header, text: text.slice(last) }, records === "" ? null : header + records]
}

/** The last piece, where the text ends without a line break. */
export const finish = (rest: Rest): string | null =>
  rest.header === null || rest.text.trim() === "" ? null : rest.header + rest.text
