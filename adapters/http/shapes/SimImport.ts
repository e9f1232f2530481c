/**
 * The rows of a SIM import, from JSON or CSV. The inventory accepts or rejects each row. CSV is parsed while it arrives,
 * so memory does not grow with the file; a malformed file ends the import with a problem.
 */
import { parse } from "csv-parse"
import { Effect, Schema, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Readable } from "node:stream"
import type { Sims } from "simplan"
import * as BodyBytes from "../wire/BodyBytes.ts"
import { Problem } from "../wire/Errors.ts"
import * as JsonBody from "../wire/JsonBody.ts"

export type Rows = Stream.Stream<Sims.ImportRow, Problem>

/** The longest row, in characters. Without a limit, a quote that is never closed would take the rest of the file. */
const RECORD_LIMIT = 65_536

const malformed = (message: string): Problem => new Problem({ code: "malformed_csv", message })

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

/** The row that a record of the file or an object of the JSON body stands for. */
export const toRow = (record: unknown): Sims.ImportRow => {
  const named = { iccid: text(column(record, "iccid")), label: text(column(record, "label")) }
  const isEsim = flag(column(record, "is_esim"))
  if (isEsim === undefined) return { ...named, problem: "is_esim must be true or false" }
  const lpa = column(record, "lpa") ?? null
  if (lpa !== null && typeof lpa !== "string") return { ...named, problem: "lpa must be a string" }
  return { ...named, isEsim, lpa }
}

const csvProblem = (error: unknown): Problem => {
  if (error instanceof Problem) return error
  return malformed(`body must be CSV: ${error instanceof Error ? error.message : "it is not"}`)
}

async function* csvRecords(
  request: HttpServerRequest.HttpServerRequest
): AsyncGenerator<Readonly<Record<string, string | undefined>>> {
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
  const source = Readable.from(BodyBytes.chunks(request, BodyBytes.IMPORT_LIMIT))
  source.on("error", (error) => parser.destroy(error))
  source.pipe(parser)
  try {
    for await (const record of parser) yield record
    if (!headed) columns([])
  } finally {
    source.destroy()
  }
}

/** Rows of a CSV file whose header names the columns, in any order. */
const fromCsv = (request: HttpServerRequest.HttpServerRequest): Rows =>
  Stream.map(Stream.fromAsyncIterable(csvRecords(request), csvProblem), toRow)

const decodeRows = JsonBody.decoder(Schema.Struct({ sims: Schema.Array(Schema.Unknown) }))

/** Rows of `{sims: [{iccid, label, is_esim, lpa?}]}`. */
const fromJson = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const { value } = yield* JsonBody.read(request, { limit: BodyBytes.IMPORT_LIMIT, anyText: true })
  const { sims } = yield* decodeRows(value)
  return Stream.map(Stream.fromIterable(sims), toRow)
})

/** The rows of the body, by its content type. */
export const read = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const type = yield* JsonBody.accept(request, ["application/json", "text/csv"])
  return type === "text/csv" ? fromCsv(request) : yield* fromJson(request)
})
