/**
 * Sends a CSV file of corrections to the server (rule I9). Sending a file again is safe: what is
 * corrected already stays so.
 */
import { Effect } from "effect"
import { impossible, misused } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Calls from "./Calls.ts"
import type { Connection } from "./Connection.ts"
import * as CsvFile from "./CsvFile.ts"

interface RowResult {
  readonly row: number
  readonly line: number | null
  readonly iccid: string
  readonly result: "corrected" | "unchanged" | "refused"
  readonly code?: string
  readonly message?: string
}

export interface Report {
  readonly corrected: number
  readonly unchanged: number
  readonly refused: number
}

const rowsIn = ({ corrected, refused, unchanged }: Report): number => corrected + unchanged + refused

/** What came of a row, for a person. */
const inWords = ({ iccid, line, message = "", row }: RowResult): string =>
  Output.text(`refused in ${line === null ? `row ${row}` : `line ${line}`} (${iccid}): ${message}`)

/**
 * Corrects what the file names. Prints each refused row as it comes; with `json` each row, as a
 * line of JSON.
 */
export const run = (
  connection: Connection,
  path: string,
  { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean }
) =>
  Effect.gen(function* () {
    let report: Report = { corrected: 0, unchanged: 0, refused: 0 }

    const take = Effect.fnUntraced(function* ({ linesAbove, text: payload }: CsvFile.Piece) {
      const sent = Calls.call(connection, (client) => client.sims.updateMany({ query: Calls.trying(dryRun), payload }))
      const before = rowsIn(report)
      const { data } = yield* Effect.mapError(sent, (error) => {
        const message = CsvFile.lineOfFile(error.message, linesAbove)
        const rerun = `The first ${before} rows are done; the same command again does the others.`
        return before === 0 ? error : impossible(`${message} ${rerun}`)
      })
      for (const one of data) {
        const result = { ...one, row: one.row + before, line: one.line === null ? null : one.line + linesAbove }
        report = { ...report, [one.result]: report[one.result] + 1 }
        if (json) yield* Output.print(JSON.stringify(result))
        else if (one.result === "refused") yield* Output.print(inWords(result))
      }
      return `${rowsIn(report)} rows, ${report.corrected} corrected, ${report.refused} refused`
    })

    yield* CsvFile.send(path, take)
    if (rowsIn(report) === 0) {
      return yield* misused(
        `${path} has no rows: it needs a line with iccid and some of label, lpa_string, status, reason, tags, and a line for each SIM.`
      )
    }
    return report
  })

/** The counts for a person. */
export const show = (report: Report): string =>
  (["corrected", "unchanged", "refused"] as const).map((name) => `${name.padEnd(9)}  ${report[name]}`).join("\n")
