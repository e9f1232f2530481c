/**
 * Where a command writes: results to `out`, everything else to `err`. Tests put their own in its place.
 */
import { Context, Effect } from "effect"

export interface Output {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether a person is looking at `err`, so that a line may be drawn over. */
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

/** A line of result. */
export const print = (line: string): Effect.Effect<void> =>
  Effect.map(Effect.service(Output), (output) => output.out(`${line}\n`))

/** A line beside the result. */
export const note = (line: string): Effect.Effect<void> =>
  Effect.map(Effect.service(Output), (output) => output.err(`${line}\n`))

/** A record of the management API, a field a line; with `json`, as it came. */
export const record = (data: Readonly<Record<string, unknown>>, json: boolean): Effect.Effect<void> => {
  if (json) return print(JSON.stringify(data))
  const fields = Object.entries(data).filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...fields.map(([name]) => name.length))
  const show = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
  return print(fields.map(([name, value]) => `${name.padEnd(width)}  ${show(value)}`).join("\n"))
}
