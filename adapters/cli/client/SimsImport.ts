/**
 * Sends a CSV file of SIMs to the server in pieces of whole rows, one after the other, so that a file of any size is
 * imported in little memory and the progress is what the server has taken. Sending it again is safe: rows that are in
 * count as duplicates.
 */
import { Effect, FileSystem, Option, Schema, Stream } from "effect"
import { type CommandFailed, impossible, misused } from "../output/CommandFailed.ts"
import type { Connection } from "./Connection.ts"
import * as CsvPieces from "./CsvPieces.ts"
import * as Management from "./Management.ts"
import * as Progress from "../output/Progress.ts"

const RowMessage = Schema.Struct({ row: Schema.Int, iccid: Schema.String, message: Schema.String })

const Report = Schema.Struct({
  imported: Schema.Int,
  duplicates: Schema.Int,
  errors: Schema.Array(RowMessage),
  warnings: Schema.Array(RowMessage)
})

export type RowMessage = typeof RowMessage.Type
export type Report = typeof Report.Type

const CHUNK = 256 * 1024
const LONGEST_RECORD = 8 * 1024 * 1024

const rowsIn = (report: Report): number => report.imported + report.duplicates + report.errors.length

const below = (messages: ReadonlyArray<RowMessage>, rows: number): ReadonlyArray<RowMessage> =>
  messages.map((one) => ({ ...one, row: one.row + rows }))

const sizeOf = (path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const info = yield* files.stat(path).pipe(Effect.mapError((error) => unreadable(path, error.reason._tag)))
    if (info.type !== "File") return yield* misused(`FILE is ${JSON.stringify(path)}, but that is not a file.`)
    return Number(info.size)
  })

const unreadable = (path: string, reason: string): CommandFailed =>
  reason === "NotFound"
    ? misused(`FILE is ${JSON.stringify(path)}, but there is no such file.`)
    : impossible(`${path} cannot be read (${reason}).`)

/** Imports the file into the organization whose path in the management API is given. */
export const run = (connection: Connection, organization: string, path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const size = yield* sizeOf(path)
    const progress = yield* Progress.make
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    const sum = { imported: 0, duplicates: 0, errors: [] as RowMessage[], warnings: [] as RowMessage[] }
    let rest = CsvPieces.start
    let bytes = 0

    const send = (piece: string) =>
      Effect.gen(function* () {
        const report = yield* Management.data(connection, Report, {
          method: "POST",
          path: `${organization}/sims`,
          body: { type: "text/csv", text: piece }
        }).pipe(Effect.mapError((error) => (rowsIn(sum) === 0 ? error : halfDone(error, rowsIn(sum)))))
        const before = rowsIn(sum)
        sum.imported += report.imported
        sum.duplicates += report.duplicates
        sum.errors.push(...below(report.errors, before))
        sum.warnings.push(...below(report.warnings, before))
        const text = `${rowsIn(sum)} rows, ${sum.imported} imported, ${sum.errors.length} errors`
        yield* progress.update({ share: size === 0 ? 1 : bytes / size, text })
      })

    const consume = (chunk: Uint8Array) =>
      Effect.gen(function* () {
        bytes += chunk.length
        const [next, piece] = CsvPieces.take(rest, decoder.decode(chunk, { stream: true }))
        rest = next
        if (rest.text.length > LONGEST_RECORD) {
          return yield* impossible(
            `Row ${rowsIn(sum) + 1} of ${path} or one after it has a quote that is never closed.`
          )
        }
        if (piece !== null) yield* send(piece)
      })

    yield* files.stream(path, { chunkSize: CHUNK }).pipe(
      Stream.mapError((error) => unreadable(path, error.reason._tag)),
      Stream.runForEach(consume),
      Effect.ensuring(progress.finish)
    )
    const last = CsvPieces.finish(rest)
    if (last !== null) yield* Effect.ensuring(send(last), progress.finish)
    if (rest.header === null) {
      return yield* misused(`${path} has no rows: it needs a line \`iccid,label,is_esim,lpa\` and a line for each SIM.`)
    }
    return sum
  })

const halfDone = (error: CommandFailed, rows: number): CommandFailed =>
  impossible(`${error.message} The first ${rows} rows are in; the same command again imports the others.`)

/** The report for a person: the counts, every error, and the first warnings. */
export const show = (report: Report): string => {
  const counts = Object.entries(report).map(
    ([name, value]) => `${name.padEnd(10)}  ${typeof value === "number" ? value : value.length}`
  )
  const told = (kind: string) => (one: RowMessage) => `${kind} in row ${one.row} (${one.iccid}): ${one.message}`
  const warnings = report.warnings.slice(0, MOST_WARNINGS).map(told("warning"))
  const more = report.warnings.length - warnings.length
  return [
    ...counts,
    ...report.errors.map(told("error")),
    ...warnings,
    ...(more > 0 ? [`and ${more} more warnings (--json prints all)`] : [])
  ].join("\n")
}

const MOST_WARNINGS = 20

/** Null where every row is in; else why the command fails. */
export const failure = (report: Report): Option.Option<CommandFailed> =>
  report.errors.length === 0
    ? Option.none()
    : Option.some(impossible(`${report.errors.length} of ${rowsIn(report)} rows were not imported.`))
