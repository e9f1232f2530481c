/**
 * Where a command writes: results to `out`, everything else to `err`. Tests provide their own.
 */
import { Context, Effect } from "effect"

export interface Output {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether `err` is a terminal, where a line can be overwritten. */
  readonly isTerminal: boolean
  readonly columns: number
}

export const Output = Context.Reference<Output>("simplan/cli/Output", {
  defaultValue: () => ({
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    columns: process.stderr.columns ?? 80
  })
})

/** Writes a line to `out`. */
export const print = (line: string): Effect.Effect<void> => Effect.map(Output, (output) => output.out(`${line}\n`))

/** Writes a line to `err`. */
export const note = (line: string): Effect.Effect<void> => Effect.map(Output, (output) => output.err(`${line}\n`))

/** Prints a record of the management API: one line per field, or the record as JSON. */
export const record = (data: Readonly<Record<string, unknown>>, json: boolean): Effect.Effect<void> => {
  if (json) return print(JSON.stringify(data))
  const fields = Object.entries(data).filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...fields.map(([name]) => name.length))
  const show = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
  return print(fields.map(([name, value]) => `${name.padEnd(width)}  ${show(value)}`).join("\n"))
}
