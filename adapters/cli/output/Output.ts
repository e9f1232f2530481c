/**
 * Where a command writes: results to `out`, everything else to `err`. Tests provide their own.
 */
import { Context, Effect } from "effect"
import * as Text from "./Text.ts"

/** A record or a row of a table: values by the names of fields. */
export type Row = Readonly<Record<string, unknown>>

export interface Output {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether `err` is a terminal, where a line can be overwritten. */
  readonly isTerminal: boolean
  /** The width of `err`, in characters. */
  readonly columns: number
  /** The width that a table on `out` has to fit, in characters. */
  readonly width: number
}

/** The width of tables: `COLUMNS` if it is set, else that of the terminal. What goes into a pipe or a file is not cut. */
export const widthOf = (
  COLUMNS: string | undefined,
  stream: { readonly isTTY?: boolean; readonly columns?: number }
): number => {
  if (COLUMNS !== undefined && /^[1-9]\d{0,4}$/.test(COLUMNS)) return Number(COLUMNS)
  return stream.isTTY === true ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY
}

export const Output = Context.Reference<Output>("simplan/cli/Output", {
  defaultValue: () => ({
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    columns: process.stderr.columns ?? 80,
    width: widthOf(process.env["COLUMNS"], process.stdout)
  })
})

/** Writes a line to `out`. */
export const print = (line: string): Effect.Effect<void> => Effect.map(Output, (output) => output.out(`${line}\n`))

/** Writes a line to `err`. */
export const note = (line: string): Effect.Effect<void> => Effect.map(Output, (output) => output.err(`${line}\n`))

/** Prints a record: one line per field, or the record as JSON. */
export const record = (data: Row, json: boolean): Effect.Effect<void> => {
  if (json) return print(JSON.stringify(data))
  const fields = Object.entries(data).filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...fields.map(([name]) => name.length))
  return print(fields.map(([name, value]) => `${name.padEnd(width)}  ${Text.of(value)}`).join("\n"))
}
