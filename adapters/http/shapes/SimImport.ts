/**
 * The rows of a SIM import, from JSON or CSV. The inventory accepts or rejects each row. A body is parsed while it
 * arrives, so memory does not grow with it; a malformed one ends the import with a problem. Only a small JSON body is
 * parsed as a whole, before any of its rows. Rows come in short chunks, between which other requests are served.
 */
import { Effect, Schema, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Readable } from "node:stream"
import type { Sims } from "simplan"
import * as BodyBytes from "../wire/BodyBytes.ts"
import { Problem } from "../wire/Errors.ts"
import * as JsonBody from "../wire/JsonBody.ts"
import * as JsonElements from "../wire/JsonElements.ts"

export type Rows = Stream.Stream<Sims.ImportRow, Problem>

/** The longest row, in characters. Without a limit, a quote that is never closed would take the rest of the file. */
const RECORD_LIMIT = 65_536

const malformed = (message: string): Problem => new Problem({ code: "malformed_csv", message })

/** How many rows are handed on at once. */
const CHUNK = 500

/** How many bytes of a body are parsed at once: some milliseconds of work in CSV. */
const SLICE = 16_384

/** Lets what else the process has to do go first. */
const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The bytes of a body in slices, between which other requests are served. */
async function* slices(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += SLICE) {
      yield chunk.subarray(at, at + SLICE)
      await pause()
    }
  }
}

const columns = (header: ReadonlyArray<string>): Array<string> => {
  const names = header.map((name) => name.trim().toLowerCase())
  const missing = ["iccid", "label", "is_esim"].filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw malformed(`body must have the columns iccid, label, is_esim; ${missing.join(", ")} missing`)
  if (new Set(names).size < names.length) throw malformed("body must have each column once")
  return names
}

const yes = new Set(["true", "1", "yes"])
const no = new Set(["false", "0", "no"])

const flag = (value: unknown): boolean | undefined => {
  if (typeof value !== "string" && typeof value !== "boolean" && typeof value !== "number") return undefined
  const text = String(value).trim().toLowerCase()
  return yes.has(text) ? true : no.has(text) ? false : undefined
}

// A text of another type is empty, which the inventory refuses in an ICCID and in a label.
const text = (value: unknown): string => (typeof value === "string" ? value : "")

const column = (record: unknown, name: string): unknown =>
  typeof record === "object" && record !== null ? Object.getOwnPropertyDescriptor(record, name)?.value : undefined

const optional = ["lpa", "imsi", "msisdn", "subscriber_id"] as const

/** The row that a record of the file or an object of the JSON body stands for. */
export const toRow = (record: unknown): Sims.ImportRow => {
  const named = { iccid: text(column(record, "iccid")), label: text(column(record, "label")) }
  const isEsim = flag(column(record, "is_esim"))
  if (isEsim === undefined) return { ...named, problem: "is_esim must be true or false" }
  const texts = optional.map((name) => [name, column(record, name) ?? null] as const)
  const found = new Map<string, string | null>()
  for (const [name, value] of texts) {
    if (value !== null && typeof value !== "string") return { ...named, problem: `${name} must be a string` }
    found.set(name, value)
  }
  const of = (name: (typeof optional)[number]): string | null => found.get(name) ?? null
  return {
    ...named,
    isEsim,
    lpa: of("lpa"),
    imsi: of("imsi"),
    msisdn: of("msisdn"),
    subscriberId: of("subscriber_id")
  }
}

const csvProblem = (error: unknown): Problem => {
  if (error instanceof Problem) return error
  return malformed(`body must be CSV: ${error instanceof Error ? error.message : "it is not"}`)
}

// An optional dependency: few services ever get CSV. Bundlers let a package be missing that is imported in a `try`.
const loadParser = async () => {
  try {
    return (await import("csv-parse")).parse
  } catch {
    const message = "body cannot be text/csv, because the package csv-parse is not installed where the service runs"
    throw new Problem({ code: "unsupported_media_type", message })
  }
}

async function* csvRows(request: HttpServerRequest.HttpServerRequest): AsyncGenerator<ReadonlyArray<Sims.ImportRow>> {
  const parse = await loadParser()
  let headed = false
  const named = (header: ReadonlyArray<string>): Array<string> => {
    headed = true
    return columns(header)
  }
  const parser = parse({
    bom: true,
    columns: named,
    max_record_size: RECORD_LIMIT,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true
  })
  const source = Readable.from(slices(BodyBytes.chunks(request, BodyBytes.IMPORT_LIMIT)), { highWaterMark: 1 })
  source.on("error", (error) => parser.destroy(error))
  source.pipe(parser)
  try {
    let rows: Array<Sims.ImportRow> = []
    for await (const record of parser) {
      if (rows.push(toRow(record)) < CHUNK) continue
      yield rows
      rows = []
      await pause()
    }
    if (rows.length > 0) yield rows
    if (!headed) columns([])
  } finally {
    source.destroy()
  }
}

/** Rows of a CSV file whose header names the columns, in any order. */
const fromCsv = (request: HttpServerRequest.HttpServerRequest): Rows =>
  Stream.flattenIterable(Stream.fromAsyncIterable(csvRows(request), csvProblem))

const decodeRows = JsonBody.decoder(Schema.Struct({ sims: Schema.Array(Schema.Unknown) }))

const notUtf8 = new Problem({ code: "malformed_body", message: "body must be UTF-8" })

const jsonProblem = (error: unknown): Problem => {
  if (error instanceof Problem) return error
  return error instanceof JsonElements.Malformed
    ? new Problem({ code: "malformed_json", message: error.message })
    : notUtf8
}

async function* jsonRows(
  begun: Uint8Array,
  rest: AsyncIterator<Uint8Array>
): AsyncGenerator<ReadonlyArray<Sims.ImportRow>> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  const elements = JsonElements.make({ field: "sims", longest: RECORD_LIMIT })
  try {
    for (let chunk: Uint8Array | undefined = begun; chunk !== undefined; chunk = await following(rest)) {
      for (let at = 0; at < chunk.length; at += SLICE) {
        const found = elements.take(decoder.decode(chunk.subarray(at, at + SLICE), { stream: true }))
        for (let from = 0; from < found.length; from += CHUNK) yield found.slice(from, from + CHUNK).map(toRow)
        await pause()
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

/** Rows of `{sims: [{iccid, label, is_esim, lpa?, imsi?, msisdn?, subscriber_id?}]}`. */
const fromJson = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const chunks = BodyBytes.chunks(request, BodyBytes.IMPORT_LIMIT)
  const { bytes, isWhole } = yield* Effect.tryPromise({
    try: () => beginning(chunks, BodyBytes.LIMIT),
    catch: jsonProblem
  })
  if (!isWhole) return Stream.flattenIterable(Stream.fromAsyncIterable(jsonRows(bytes, chunks), jsonProblem))
  const { sims } = yield* Effect.flatMap(Effect.fromResult(JsonBody.parse(bytes, { anyText: true })), decodeRows)
  return Stream.map(Stream.fromIterable(sims), toRow)
})

/** The rows of the body, by its content type. */
export const read = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const type = yield* JsonBody.accept(request, ["application/json", "text/csv"])
  return type === "text/csv" ? fromCsv(request) : yield* fromJson(request)
})
