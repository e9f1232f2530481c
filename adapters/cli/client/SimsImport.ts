/**
 * Sends a CSV file of SIMs to the server. Sending a file again is safe: the server updates SIMs
 * that are there already as rule I7 says, and counts other rows as duplicates.
 */
import { Effect, FileSystem, Option } from "effect"
import { impossible, misused } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import type { Connection } from "./Connection.ts"
import * as CsvFile from "./CsvFile.ts"
import * as Calls from "./Calls.ts"

export interface RowMessage {
  readonly row: number
  /** The line of the file; null if the row is of no file. */
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
  /** Absent if there are none, and from a server that does not report them. */
  readonly differing?: ReadonlyArray<RowDifference>
  readonly differing_count?: number
  /** The server lists the first 1,000 of each piece. */
  readonly errors: ReadonlyArray<RowMessage>
  readonly error_count: number
  readonly warnings: ReadonlyArray<RowMessage>
  readonly warning_count: number
}

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
 * The report of two pieces, with the rows of the second counted on from the first, and its lines
 * from `linesAbove` on; null if they are no lines of a file.
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

/** How the import of a file is done. */
export interface Asked {
  readonly path: string
  /** Whether it is only said what would come of the rows. */
  readonly dryRun: boolean
  /** The file that the rejected rows are written to, as they are below their header. */
  readonly rejected: Option.Option<string>
}

/** Imports the file into the organization with that id. */
export const run = (connection: Connection, id: string, { dryRun, path, rejected }: Asked) =>
  Effect.gen(function* () {
    let report = nothing
    let header = ""
    const refused: Array<string> = []

    const take = Effect.fnUntraced(function* ({ linesAbove, text: payload }: CsvFile.Piece) {
      const sent = Calls.call(connection, (client) =>
        client.imports.importSims({ params: { id }, query: Calls.trying(dryRun), payload })
      )
      const { data } = yield* Effect.mapError(sent, (error) => {
        const done = rowsIn(report)
        const message = CsvFile.lineOfFile(error.message, linesAbove)
        const wrong = report.error_count === 0 ? "" : `, but for ${report.error_count} with errors`
        const rerun = `The first ${done} rows are in${wrong}; the same command again imports the others.`
        return done === 0 || dryRun ? error : impossible(`${message} ${rerun}`)
      })
      report = sum(report, data, linesAbove)
      const records = Option.isSome(rejected) && data.error_count > 0 ? CsvFile.records(payload) : []
      header = CsvFile.headerOf(payload)
      refused.push(...data.errors.flatMap(({ row }) => records[row - 1] ?? []))
      return `${rowsIn(report)} rows, ${report.imported} ${dryRun ? "to import" : "imported"}, ${report.error_count} errors`
    })

    yield* CsvFile.send(path, take)
    if (rowsIn(report) === 0) {
      return yield* misused(`${path} has no rows: it needs a line \`${HEADER}\` and a line for each SIM.`)
    }
    if (Option.isSome(rejected) && report.error_count > 0) {
      const files = yield* FileSystem.FileSystem
      yield* Effect.mapError(files.writeFileString(rejected.value, `${header}${refused.join("")}`), ({ reason }) =>
        impossible(`${rejected.value} cannot be written (${reason._tag}).`)
      )
      const missing = report.error_count - refused.length
      const more = missing === 0 ? "" : `; ${missing} more are not, as the server lists 1,000 at a time`
      yield* Output.note(`${refused.length} rejected rows are in ${rejected.value}${more}.`)
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

/**
 * The report for a person: the counts, all errors, all differences, and the first warnings. If it
 * was tried only, nothing of it was done.
 */
export const show = (report: Report, dryRun: boolean): string => {
  const { differing = [], duplicates, error_count: errors, imported, updated, warning_count: warnings } = report
  const others = differingIn(report)
  const counts = Object.entries({
    [dryRun ? "to import" : "imported"]: imported,
    [dryRun ? "to update" : "updated"]: updated,
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
