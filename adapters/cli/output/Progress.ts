/**
 * Shows the progress of a long command: a bar on a terminal, a line for each tenth elsewhere.
 */
import { Effect } from "effect"
import { Output, text as onLine } from "./Output.ts"

export interface Progress {
  /** `share`: from 0 to 1. */
  readonly update: (share: number, text: string) => Effect.Effect<void>
  /** Removes the bar. */
  readonly finish: Effect.Effect<void>
}

const CLEAR = "\r\u001b[K"

/** A bar, its percentage and a text, narrower than `columns`. */
export const bar = (share: number, text: string, columns: number): string => {
  const done = Math.min(1, Math.max(0, share))
  const label = ` ${String(Math.floor(done * 100)).padStart(3)} %  ${text}`
  const width = Math.min(40, columns - label.length - 3)
  if (width < 5) return label.trim().slice(0, Math.max(0, columns - 1))
  const filled = Math.round(done * width)
  return `[${"#".repeat(filled)}${"-".repeat(width - filled)}]${label}`
}

const onTerminal = ({ columns, err }: Output): Progress => ({
  update: (share, text) => Effect.sync(() => err(CLEAR + bar(share, onLine(text), columns))),
  finish: Effect.sync(() => err(CLEAR))
})

const inLines = ({ err }: Output): Progress => {
  let last = 0
  return {
    update: (share, text) =>
      Effect.sync(() => {
        const tenth = Math.floor(share * 10)
        if (tenth > last) err(`${tenth * 10} %  ${onLine(text)}\n`)
        last = Math.max(last, tenth)
      }),
    finish: Effect.void
  }
}

export const make: Effect.Effect<Progress> = Effect.map(Output, (output) =>
  output.isTerminal ? onTerminal(output) : inLines(output)
)
