/**
 * Sends a CSV file of SIMs to the server in pieces of whole records, one after the other. A file of any size needs little
 * memory, and the progress counts what the server has taken. Sending a file again is safe: the server updates SIMs that
 * are there already as rule I7 says, and counts other rows as duplicates.
 */
import { Effect, FileSystem, Stream } from "effect"
import { type CommandFailed, impossible, misused } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Progress from "../output/Progress.ts"
import type { Connection } from "./Connection.ts"
import * as CsvPieces from "./CsvPieces.ts"
import * as Files from "./Files.ts"
import * as Calls from "./Calls.ts"

export interface RowMessage {
  readonly row: number
  /** The line of the file; null where the row is of no file. */
  readonly line: number | null
  readonly iccid: string
  readonly message: string
}

type Kept = { readonly label?: string; readonly is_esim?: boolean; readonly lpa?: string }

/** A row that differs from the SIM that is there. */
export interface RowDifference {
  readonly row: number
  readonly line: number | null
  readonly iccid: string
  readonly stored: Kept
  readonly given: Kept
}

export interface Report {
  readonly imported: number
  readonly updated: number
  readonly duplicates: number
  /** Absent where there are none, and from a server that does not report them. */
  readonly differing?: ReadonlyArray<RowDifference>
  readonly differing_count?: number
  /** The server lists the first 1,000 of each piece. */
  readonly errors: ReadonlyArray<RowMessage>
  readonly error_count: number
  readonly warnings: ReadonlyArray<RowMessage>
  readonly warning_count: number
}

/** How much of the file is read at once, in bytes. */
const CHUNK = 256 * 1024
/** The longest record, in characters. More text without the end of a record means that a quote is not closed. */
const LONGEST_RECORD = 8 * 1024 * 1024

/** How many rows the report is about. */
export const rowsIn = (report: Report): number =>
  report.imported + report.updated + report.duplicates + report.error_count

/** How many rows differ from the SIM that is there. */
export const differingIn = (report: Report): number => report.differing_count ?? 0

/** The report of an import before its first row. */
export const nothing: Report = {
  imported: 0,
  updated: 0,
  duplicates: 0,
  errors: [],
  error_count: 0,
  warnings: [],
  warning_count: 0
}

/** The header of a file of SIMs. */
const HEADER = "iccid,label,is_esim,lpa"

/**
 * The report of two pieces, with the rows of the second counted on from the first, and its lines from `linesAbove` on; null
 * if they are no lines of a file.
 */
export const sum = (before: Report, next: Report, linesAbove: number | null): Report => {
  const below = <A extends { readonly row: number; readonly line: number | null }>(messages: ReadonlyArray<A>) =>
    messages.map(({ line, row, ...one }) => ({
      row: row + rowsIn(before),
      line: line === null || linesAbove === null ? null : line + linesAbove,
      ...one
    }))
  const differing = differingIn(before) + differingIn(next)
  return {
    imported: before.imported + next.imported,
    updated: before.updated + next.updated,
    duplicates: before.duplicates + next.duplicates,
    ...(differing === 0
      ? {}
      : {
          differing: [...(before.differing ?? []), ...below(next.differing ?? [])],
          differing_count: differing
        }),
    errors: [...before.errors, ...below(next.errors)],
    error_count: before.error_count + next.error_count,
    warnings: [...before.warnings, ...below(next.warnings)],
    warning_count: before.warning_count + next.warning_count
  }
}

const unreadable = (path: string, reason: string): CommandFailed =>
  reason === "NotFound"
    ? misused(`FILE is ${JSON.stringify(path)}, but there is no such file.`)
    : Files.unreadable(path, reason)

/** The server's refusal of a piece that is no CSV, with the line of the file in place of that of the piece. */
const lineOfFile = (message: string, linesAbove: number): string =>
  message.replace(/(malformed_csv.* of line )(\d+)/, (_, text, line) => `${text}${Number(line) + linesAbove}`)

/** Imports the file into the organization with that id. */
export const run = (connection: Connection, id: string, path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { size, type } = yield* Effect.mapError(files.stat(path), ({ reason }) => unreadable(path, reason._tag))
    if (type !== "File") return yield* misused(`FILE is ${JSON.stringify(path)}, but that is not a file.`)
    const progress = yield* Progress.make
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    let report = nothing
    let rest = CsvPieces.start
    let bytes = 0

    const send = Effect.fnUntraced(function* ({ linesAbove, text: payload }: CsvPieces.Piece) {
      const take = Calls.call(connection, (client) => client.imports.importSims({ params: { id }, payload }))
      const { data } = yield* Effect.mapError(take, (error) => {
        const done = rowsIn(report)
        const message = lineOfFile(error.message, linesAbove)
        const wrong = report.error_count === 0 ? "" : `, but for ${report.error_count} with errors`
        const rerun = `The first ${done} rows are in${wrong}; the same command again imports the others.`
        return done === 0 ? error : impossible(`${message} ${rerun}`)
      })
      report = sum(report, data, linesAbove)
      const text = `${rowsIn(report)} rows, ${report.imported} imported, ${report.error_count} errors`
      yield* progress.update(size === 0n ? 1 : bytes / Number(size), text)
    })

    const consume = Effect.fnUntraced(function* (chunk: Uint8Array) {
      bytes += chunk.length
      const [next, piece] = CsvPieces.take(rest, decoder.decode(chunk, { stream: true }))
      rest = next
      if (rest.text.length > LONGEST_RECORD) {
        return yield* impossible(`Line ${rest.line} of ${path} or one after it has a quote that is never closed.`)
      }
      if (piece !== null) yield* send(piece)
    })

    const sendAll = Effect.gen(function* () {
      yield* files.stream(path, { chunkSize: CHUNK }).pipe(
        Stream.mapError(({ reason }) => unreadable(path, reason._tag)),
        Stream.runForEach(consume)
      )
      const last = CsvPieces.finish(rest)
      if (last !== null) yield* send(last)
    })
    yield* Effect.ensuring(sendAll, progress.finish)
    if (rowsIn(report) === 0) {
      return yield* misused(`${path} has no rows: it needs a line \`${HEADER}\` and a line for each SIM.`)
    }
    return report
  })

const MOST_WARNINGS = 20

/** Both values of each field in which the row differs. */
const inWords = ({ given, stored }: RowDifference): string =>
  (["label", "is_esim", "lpa"] as const)
    .filter((name) => stored[name] !== undefined || given[name] !== undefined)
    .map((name) => `${name} is ${stored[name] ?? "none"} and stays, the row has ${given[name] ?? "none"}`)
    .join("; ")

/** The report for a person: the counts, all errors, all differences, and the first warnings. */
export const show = (report: Report): string => {
  const { differing = [], duplicates, error_count: errors, imported, updated, warning_count: warnings } = report
  const others = differingIn(report)
  const counts = Object.entries({
    imported,
    updated,
    duplicates,
    ...(others === 0 ? {} : { differing: others }),
    errors,
    warnings
  }).map(([name, count]) => `${name.padEnd(10)}  ${count}`)
  const line = (kind: string) => (one: RowMessage) =>
    Output.text(
      `${kind} in ${one.line === null ? `row ${one.row}` : `line ${one.line}`} (${one.iccid}): ${one.message}`
    )
  const unlisted = others - differing.length
  const omitted = errors - report.errors.length
  const more = warnings - Math.min(report.warnings.length, MOST_WARNINGS)
  return [
    ...counts,
    ...report.errors.map(line("error")),
    ...differing.map((one) => line("difference")({ ...one, message: inWords(one) })),
    ...(unlisted > 0 ? [`and ${unlisted} more rows that differ`] : []),
    ...(omitted > 0 ? [`and ${omitted} more errors`] : []),
    ...report.warnings.slice(0, MOST_WARNINGS).map(line("warning")),
    ...(more > 0 ? [`and ${more} more warnings (--json prints them)`] : [])
  ].join("\n")
}
