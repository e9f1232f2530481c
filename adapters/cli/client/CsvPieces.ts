/**
 * Splits a CSV text that arrives in chunks into pieces of whole records. Each piece is a CSV of its own: it begins with
 * the header. A line break inside quotes does not end a record.
 */

/** What is left after a chunk. */
export interface Rest {
  /** The header with its line break and the blank lines before it; null until it is complete. */
  readonly header: string | null
  readonly text: string
  /** The line of the file on which `text` begins, counted from 1. */
  readonly line: number
}

/** Some records below the header, and by how many lines they are further up in the piece than in the file. */
export interface Piece {
  readonly text: string
  readonly linesAbove: number
}

export const start: Rest = { header: null, text: "", line: 1 }

const lineFeeds = (text: string): number => text.split("\n").length - 1

/** The positions after the first and the last complete record; -1 if there is none. Blank lines are part of the next one. */
const boundaries = (text: string): { readonly first: number; readonly last: number } => {
  let [first, last] = [-1, -1]
  let inQuotes = false
  let isBlank = true
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index)
    if (character === 0x22) inQuotes = !inQuotes
    if (character > 0x20 && character !== 0xfeff) isBlank = false
    if (character !== 0x0a || inQuotes || isBlank) continue
    last = index + 1
    if (first === -1) first = last
  }
  return { first, last }
}

const below = (header: string, records: string, line: number): Piece => ({
  text: header + records,
  linesAbove: line - 1 - lineFeeds(header)
})

/** Takes a chunk. Returns the next complete piece, null if there is none yet. */
export const take = (rest: Rest, chunk: string): readonly [rest: Rest, piece: Piece | null] => {
  const text = rest.text + chunk
  const { first, last } = boundaries(text)
  if (last === -1) return [{ ...rest, text }, null]
  const header = rest.header ?? text.slice(0, first)
  const from = rest.header === null ? first : 0
  const records = text.slice(from, last)
  const next = { header, text: text.slice(last), line: rest.line + lineFeeds(text.slice(0, last)) }
  return [next, records === "" ? null : below(header, records, rest.line + lineFeeds(text.slice(0, from)))]
}

/** The last piece, if the text ends without a line break. */
export const finish = ({ header, line, text }: Rest): Piece | null =>
  header === null || text.trim() === "" ? null : below(header, text, line)
