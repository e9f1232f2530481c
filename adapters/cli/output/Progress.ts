/**
 * Tells how far a long job has come: a bar that is drawn over on a terminal, a line for each tenth otherwise.
 */
import { Effect } from "effect"
import { Output } from "./Output.ts"

export interface Progress {
  readonly update: (state: { readonly share: number; readonly text: string }) => Effect.Effect<void>
  /** Clears the bar away. */
  readonly finish: Effect.Effect<void>
}

const CLEAR = "\r\u001b[K"

/** A bar, its percentage and a text, no wider than the columns. */
export const bar = (share: number, text: string, columns: number): string => {
  const done = Math.min(1, Math.max(0, share))
  const label = ` ${String(Math.floor(done * 100)).padStart(3)} %  ${text}`
  const width = Math.min(40, columns - label.length - 3)
  if (width < 5) return label.trim().slice(0, Math.max(0, columns - 1))
  const filled = Math.round(done * width)
  return `[${"#".repeat(filled)}${"-".repeat(width - filled)}]${label}`
}

const onTerminal = (output: Output): Progress => ({
  update: ({ share, text }) => Effect.sync(() => output.err(CLEAR + bar(share, text, output.columns))),
  finish: Effect.sync(() => output.err(CLEAR))
})

const inLines = (output: Output): Progress => {
  let told = 0
  return {
    update: ({ share, text }) =>
      Effect.sync(() => {
        const tenth = Math.floor(share * 10)
        if (tenth <= told) return
        told = tenth
        output.err(`${tenth * 10} %  ${text}\n`)
      }),
    finish: Effect.void
  }
}

export const make: Effect.Effect<Progress> = Effect.map(Effect.service(Output), (output) =>
  output.isTerminal ? onTerminal(output) : inLines(output)
)
