/**
 * The rows of a request's body, as CSV or as JSON: those of imports and of corrections.
 *
 * A body is parsed while it arrives, so memory does not grow with it; a malformed one ends the rows
 * with a problem. Only a small JSON body of few values is parsed as a whole, before any of its
 * rows. Rows come in short chunks, of all bodies one in a turn of the event loop (rule W13).
 */
import { Effect, Schema, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Readable } from "node:stream"
import { CsvText, JsonElements } from "../../fields/index.ts"
import * as Body from "../wire/Body.ts"
import * as Turns from "../Turns.ts"
import * as Errors from "../wire/Errors.ts"
import * as FileLines from "./FileLines.ts"

/** What a record of the file or an object of the JSON body stands for. */
export interface Form<Row> {
  /** The columns that a CSV file has to have. */
  readonly required: ReadonlyArray<string>
  /** Every record is a row, whatever it has. */
  readonly toRow: (record: unknown) => Row
  /**
   * The JSON value of a text in a column of CSV, which has no null; the text itself unless given.
   */
  readonly fromText?: (column: string, text: string | undefined) => unknown
}

/** The rows of a body. `lines` has the lines of the rows that were read. */
export interface Rows<Row> {
  readonly rows: Stream.Stream<Row, Errors.Problem>
  readonly lines: FileLines.FileLines
}

/**
 * The longest row, in characters of JSON and bytes of CSV. Without a limit, a quote that is never
 * closed would take the rest of the file.
 */
const RECORD_LIMIT = 65_536

/**
 * How many columns a row has at most, and how many bytes. They are checked before the parser gets
 * a row: it makes a value of each column, counts no empty ones, and holds a row until its end.
 */
const ROW_BOUNDS: FileLines.Bounds = { columns: 100, bytes: RECORD_LIMIT }

/**
 * How many rows an import has at most: more than the shortest good rows of 64 MiB of CSV are. Rows
 * of a character or two would keep the process busy for a minute.
 */
const MOST_ROWS = 3_000_000

/** How much a body has at most. */
interface Bounds {
  /** How many rows; blank ones count for themselves. */
  readonly most: number
  readonly bytes: number
}

const tooMany = (most: number): Errors.Problem =>
  new Errors.Problem({ code: "body_too_large", message: `body must have at most ${most} rows` })

/** The rows in chunks; throws a `Problem` if there are more than so many. */
async function* bounded<Row>(
  chunks: AsyncIterable<ReadonlyArray<Row>>,
  most: number
): AsyncGenerator<ReadonlyArray<Row>> {
  let rows = 0
  for await (const chunk of chunks) {
    rows += chunk.length
    if (rows > most) throw tooMany(most)
    yield chunk
  }
}

const malformed = (message: string): Errors.Problem => new Errors.Problem({ code: "malformed_csv", message })

/** How many rows are handed on at once. */
const CHUNK = 500

/** How many bytes of a body are parsed at once: some milliseconds of work in CSV. */
const SLICE = 16_384

/** How many lines of CSV are parsed at once: short rows take longer than their bytes do. */
const SLICE_LINES = 256

/** Waits for the turn of the next chunk. */
type NextTurn = () => Promise<void>

/** The chunks of a file as `CsvText` has them. */
async function* readable(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { end, take } = CsvText.reader()
  for await (const chunk of chunks) yield take(chunk)
  yield end()
}

/** The bytes of a body in slices. `see` gets each slice first. */
async function* slices(
  chunks: AsyncIterable<Uint8Array>,
  see: (slice: Uint8Array) => void,
  nextTurn: NextTurn
): AsyncGenerator<Uint8Array> {
  for await (const chunk of readable(chunks)) {
    for (let at = 0; at < chunk.length; ) {
      const slice = chunk.subarray(at, sliceEnd(chunk, at))
      at += slice.length
      await nextTurn()
      see(slice)
      yield slice
    }
  }
}

const sliceEnd = (chunk: Uint8Array, start: number): number => {
  const most = Math.min(chunk.length, start + SLICE)
  let end = start
  for (let lines = 0; lines < SLICE_LINES; lines += 1) {
    const lineFeed = chunk.indexOf(FileLines.LINE_FEED, end)
    if (lineFeed < 0 || lineFeed >= most) return most
    end = lineFeed + 1
  }
  return end
}

const tooLarge = (line: number, what: string): Errors.Problem =>
  malformed(`body must be CSV: in the row of line ${line}: ${what}`)

/** What a record has under a name. */
export const column = (record: unknown, name: string): unknown =>
  typeof record === "object" && record !== null ? Object.getOwnPropertyDescriptor(record, name)?.value : undefined

const isBlank = (record: ReadonlyArray<string>): boolean => record.every((cell) => cell === "")

/**
 * Makes rows of any length as cheap as those of the header's: for each other row, the parser makes
 * an error with a stack, which `relax_column_count` only drops.
 */
const takeAnyLength = (parser: object): void => {
  const state: unknown = Reflect.get(parser, "state")
  if (typeof state !== "object" || state === null) return
  const lengthOf = (record: unknown): number => (Array.isArray(record) ? record.length : 0)
  Object.defineProperty(state, "expectedRecordLength", { get: () => lengthOf(column(state, "record")), set: () => {} })
}

const columns = (header: ReadonlyArray<string>, required: ReadonlyArray<string>): Array<string> => {
  const names = header.map((name) => name.trim().toLowerCase())
  const missing = required.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw malformed(
      `body must have the columns ${required.join(", ")}, separated by commas; ${missing.join(", ")} missing`
    )
  // Spreadsheets write columns without a name beside the last one.
  const named = names.filter((name) => name !== "")
  if (new Set(named).size < named.length) throw malformed("body must have each column once")
  return names
}

// The parser counts its lines in another way than editors do.
const csvProblem = (error: unknown, line: number | null): Errors.Problem => {
  if (error instanceof Errors.Problem) return error
  const reason = error instanceof Error ? error.message.replace(/ at line \d+/, "") : "it is not"
  return malformed(`body must be CSV: ${line === null ? "" : `in the row of line ${line}: `}${reason}`)
}

// An optional dependency: few services ever get CSV. Bundlers let a package be missing that is
// imported in a `try`.
const loadParser = async () => {
  try {
    return (await import("csv-parse")).parse
  } catch {
    const message = "body cannot be text/csv, because the package csv-parse is not installed where the service runs"
    throw new Errors.Problem({ code: "unsupported_media_type", message })
  }
}

async function* csvRows<Row>(
  request: HttpServerRequest.HttpServerRequest,
  { fromText = (_, text) => text, required, toRow }: Form<Row>,
  lines: FileLines.FileLines,
  { bytes, most }: Bounds,
  nextTurn: NextTurn
): AsyncGenerator<ReadonlyArray<Row>> {
  const parse = await loadParser()
  const parser = parse({
    info: true,
    max_record_size: RECORD_LIMIT,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true
  })
  takeAnyLength(parser)
  const scanner = FileLines.scanner(ROW_BOUNDS, tooLarge)
  const source = Readable.from(slices(Body.chunks(request, bytes), scanner.take, nextTurn), { highWaterMark: 1 })
  source.on("error", (error) => parser.destroy(error))
  source.pipe(parser)
  let names: ReadonlyArray<string> | undefined
  let [end, blank] = [0, 0]
  try {
    let rows: Array<Row> = []
    for await (const { info, record } of parser) {
      const line = scanner.behind(end)
      end = info.bytes
      // Spreadsheets write such rows below the last one.
      if (isBlank(record)) {
        blank += 1
        if (blank > most) throw tooMany(most)
        continue
      }
      if (names === undefined) {
        names = columns(record, required)
        continue
      }
      lines.add(line)
      const values = names.map((name, at) => [name, fromText(name, record[at])] as const)
      if (rows.push(toRow(Object.fromEntries(values))) < CHUNK) continue
      yield rows
      rows = []
      await nextTurn()
    }
    if (rows.length > 0) yield rows
    if (names === undefined) columns([], required)
  } catch (error) {
    const bytes = column(error, "bytes")
    throw csvProblem(error, typeof bytes === "number" ? scanner.around(bytes) : null)
  } finally {
    source.destroy()
  }
}

/** Rows of a CSV file whose header names the columns, in any order. */
const fromCsv = <Row>(
  request: HttpServerRequest.HttpServerRequest,
  form: Form<Row>,
  limits: Bounds,
  nextTurn: NextTurn
): Rows<Row> => {
  const lines = FileLines.make()
  const rows = Stream.fromAsyncIterable(
    bounded(csvRows(request, form, lines, limits, nextTurn), limits.most),
    (error) => csvProblem(error, null)
  )
  return { rows: Stream.flattenIterable(rows), lines }
}

/** The field of a JSON body that has the rows. */
const FIELD = "sims"

const decodeBody = Body.decoder(Schema.Struct({ [FIELD]: Schema.Unknown }))

const noRows = Errors.invalidField(FIELD, "must be an array")

const notUtf8 = new Errors.Problem({ code: "malformed_body", message: "body must be UTF-8" })

const jsonProblem = (error: unknown): Errors.Problem => {
  if (error instanceof Errors.Problem) return error
  return error instanceof JsonElements.Malformed
    ? new Errors.Problem({ code: "malformed_json", message: error.message })
    : notUtf8
}

async function* jsonRows<Row>(
  { toRow }: Form<Row>,
  begun: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  lines: FileLines.FileLines,
  nextTurn: NextTurn
): AsyncGenerator<ReadonlyArray<Row>> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  const elements = JsonElements.make({ field: FIELD, longest: RECORD_LIMIT })
  try {
    for (let chunk: Uint8Array | undefined = begun; chunk !== undefined; chunk = await following(rest)) {
      for (let at = 0; at < chunk.length; at += SLICE) {
        await nextTurn()
        const found = elements.take(decoder.decode(chunk.subarray(at, at + SLICE), { stream: true }))
        for (let from = 0; from < found.length; from += CHUNK) {
          yield found.slice(from, from + CHUNK).map(({ line, value }) => {
            lines.add(line)
            return toRow(value)
          })
        }
      }
    }
    elements.take(decoder.decode())
    elements.end()
  } finally {
    await rest.return?.()
  }
}

const following = async (chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> => {
  const next = await chunks.next()
  return next.done === true ? undefined : next.value
}

/** The body's beginning, of at least `length` bytes if the body is longer. */
const beginning = async (
  chunks: AsyncIterator<Uint8Array>,
  length: number
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> => {
  const parts: Array<Uint8Array> = []
  let size = 0
  while (size <= length) {
    const chunk = await following(chunks)
    if (chunk === undefined) return { bytes: Buffer.concat(parts), isWhole: true }
    parts.push(chunk)
    size += chunk.length
  }
  return { bytes: Buffer.concat(parts), isWhole: false }
}

/**
 * The lines of the elements of a whole body; of those that its text alone does not distinguish,
 * none are known.
 */
const linesIn = async (bytes: Uint8Array, count: number, nextTurn: NextTurn): Promise<FileLines.FileLines> => {
  const lines = FileLines.make()
  const decoder = new TextDecoder()
  const elements = JsonElements.make({ field: FIELD, longest: Number.POSITIVE_INFINITY })
  const found: Array<number> = []
  try {
    for (let at = 0; at < bytes.length; at += SLICE) {
      await nextTurn()
      const slice = decoder.decode(bytes.subarray(at, at + SLICE), { stream: true })
      for (const { line } of elements.take(slice)) found.push(line)
    }
    if (found.length === count) for (const line of found) lines.add(line)
  } catch (error) {
    if (!(error instanceof JsonElements.Malformed)) throw error
  }
  return lines
}

async function* chunked<Row>(
  sims: ReadonlyArray<unknown>,
  { toRow }: Form<Row>,
  nextTurn: NextTurn
): AsyncGenerator<ReadonlyArray<Row>> {
  for (let from = 0; from < sims.length; from += CHUNK) {
    await nextTurn()
    yield sims.slice(from, from + CHUNK).map(toRow)
  }
}

/** Rows of `{sims: [{iccid, …}]}`. */
const fromJson = Effect.fnUntraced(function* <Row>(
  request: HttpServerRequest.HttpServerRequest,
  form: Form<Row>,
  limits: Bounds,
  nextTurn: NextTurn
): Effect.fn.Return<Rows<Row>, Errors.Failure> {
  const { most } = limits
  const chunks = Body.chunks(request, limits.bytes)
  const { bytes, isWhole } = yield* Effect.tryPromise({
    try: () => beginning(chunks, Body.LIMIT),
    catch: jsonProblem
  })
  if (!isWhole || Body.hasMoreValues(bytes, Body.MOST_VALUES)) {
    const lines = FileLines.make()
    const rows = Stream.fromAsyncIterable(bounded(jsonRows(form, bytes, chunks, lines, nextTurn), most), jsonProblem)
    return { rows: Stream.flattenIterable(rows), lines }
  }
  // They are counted already.
  const parsed = yield* Effect.fromResult(Body.parse(bytes, { anyText: true, mostValues: Number.POSITIVE_INFINITY }))
  const { sims } = yield* decodeBody(parsed)
  if (!Array.isArray(sims)) return yield* noRows
  const lines = yield* Effect.promise(() => linesIn(bytes, sims.length, nextTurn))
  return {
    rows: Stream.flattenIterable(Stream.fromAsyncIterable(bounded(chunked(sims, form, nextTurn), most), jsonProblem)),
    lines
  }
})

/**
 * The rows of the body, by its content type; more than `most`, or than `limit` bytes, end as
 * `body_too_large`.
 */
export const read = Effect.fnUntraced(function* <Row>(
  request: HttpServerRequest.HttpServerRequest,
  form: Form<Row>,
  most = MOST_ROWS,
  limit = Body.IMPORT_LIMIT
): Effect.fn.Return<Rows<Row>, Errors.Failure> {
  const type = yield* Body.accept(request, ["application/json", "text/csv"])
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const nextTurn: NextTurn = () => run(Turns.piece)
  const limits = { most, bytes: limit }
  return type === "text/csv"
    ? fromCsv(request, form, limits, nextTurn)
    : yield* fromJson(request, form, limits, nextTurn)
})
