/**
 * Sends a CSV file in pieces of whole records, one after the other, so that a file of any size
 * needs little memory, and the progress counts what the server has taken. Each piece is a CSV of
 * its own: it begins with the header. A line break inside quotes does not end a record.
 */
import { Effect, FileSystem, Stream } from "effect"
import { type CommandFailed, impossible, misused } from "../output/CommandFailed.ts"
import { CsvText } from "../../fields/index.ts"
import * as Progress from "../output/Progress.ts"
import * as Files from "./Files.ts"

/** The share that is shown at most before the last piece was sent. */
const NEARLY_DONE = 0.99
/** How much of the file is read at once, in bytes. */
const CHUNK = 256 * 1024
/**
 * The longest record, in characters. More text without the end of a record means that a quote is
 * not closed.
 */
const LONGEST_RECORD = 8 * 1024 * 1024

const unreadable = (path: string, reason: string): CommandFailed =>
  reason === "NotFound"
    ? misused(`FILE is ${JSON.stringify(path)}, but there is no such file.`)
    : Files.unreadable(path, reason)

/** What is left after a chunk. */
export interface Rest {
  /** The header with its line break and the blank lines before it; null until it is complete. */
  readonly header: string | null
  readonly text: string
  /** The line of the file on which `text` begins, counted from 1. */
  readonly line: number
}

/**
 * Some records below the header, and by how many lines they are further up in the piece than in the
 * file.
 */
export interface Piece {
  readonly text: string
  readonly linesAbove: number
}

export const start: Rest = { header: null, text: "", line: 1 }

const lineFeeds = (text: string): number => text.split("\n").length - 1

/** The positions after the line breaks that are not inside quotes. */
function* lineEnds(text: string): Generator<number> {
  let inQuotes = false
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index)
    if (character === 0x22) inQuotes = !inQuotes
    if (character === 0x0a && !inQuotes) yield index + 1
  }
}

/**
 * Whether it is nothing but lines without a value, such as those that spreadsheets write below the
 * last row.
 */
const isBlankText = (text: string): boolean => /^[\s,]*$/.test(text)

/**
 * The positions after the first and the last complete record; -1 if there is none. Blank lines are
 * part of the next one.
 */
const boundaries = (text: string): { readonly first: number; readonly last: number } => {
  let [first, last, from] = [-1, -1, 0]
  for (const end of lineEnds(text)) {
    if (first === -1 && !isBlankText(text.slice(from, end))) first = end
    if (first !== -1) last = end
    from = end
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

/** The records of a text below its header, each with its line break, without blank ones. */
export const records = (text: string): ReadonlyArray<string> => {
  const ends = [0, ...lineEnds(text), text.length]
  return ends
    .flatMap((end, at) => {
      const record = text.slice(ends[at - 1] ?? 0, end)
      return isBlankText(record) ? [] : [record.endsWith("\n") ? record : `${record}\n`]
    })
    .slice(1)
}

/** The header of a piece. */
export const headerOf = (text: string): string => text.slice(0, boundaries(text).first)

/** The last piece, if the text ends without a line break. */
export const finish = ({ header, line, text }: Rest): Piece | null =>
  header === null || isBlankText(text) ? null : below(header, text, line)

/**
 * The server's refusal of a piece that is no CSV, with the line of the file in place of that of the
 * piece.
 */
export const lineOfFile = (message: string, linesAbove: number): string =>
  message.replace(/(malformed_csv.* of line )(\d+)/, (_, text, line) => `${text}${Number(line) + linesAbove}`)

/** Sends the pieces of the file; `sendOne` sends one, and says what has been done so far. */
export const send = <E, R>(path: string, sendOne: (piece: Piece) => Effect.Effect<string, E, R>) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { size, type } = yield* Effect.mapError(files.stat(path), ({ reason }) => unreadable(path, reason._tag))
    if (type !== "File") return yield* misused(`FILE is ${JSON.stringify(path)}, but that is not a file.`)
    const progress = yield* Progress.make
    const reader = CsvText.reader()
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    let rest = start
    let bytes = 0

    const sendPiece = Effect.fnUntraced(function* (piece: Piece) {
      const done = yield* sendOne(piece)
      // What was read and not sent yet comes with the last piece.
      yield* progress.update(Math.min(bytes / Number(size), isBlankText(rest.text) ? 1 : NEARLY_DONE), done)
    })

    const consume = Effect.fnUntraced(function* (chunk: Uint8Array) {
      bytes += chunk.length
      const [next, piece] = take(rest, decoder.decode(reader.take(chunk), { stream: true }))
      rest = next
      if (rest.text.length > LONGEST_RECORD) {
        return yield* impossible(`Line ${rest.line} of ${path} or one after it has a quote that is never closed.`)
      }
      if (piece !== null) yield* sendPiece(piece)
    })

    const sendAll = Effect.gen(function* () {
      yield* files.stream(path, { chunkSize: CHUNK }).pipe(
        Stream.mapError(({ reason }) => unreadable(path, reason._tag)),
        Stream.runForEach(consume)
      )
      const [left, piece] = take(rest, decoder.decode(reader.end()))
      const last = finish(left)
      rest = last === null ? start : left
      if (piece !== null) yield* sendPiece(piece)
      rest = start
      if (last !== null) yield* sendPiece(last)
    })
    yield* Effect.ensuring(sendAll, progress.finish)
  })
