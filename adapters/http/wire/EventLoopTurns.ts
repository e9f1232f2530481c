/**
 * Shares the event loop between long answers: the pieces of all of them are made one in each turn of the loop, first
 * come, first served. Another request so waits for one piece, however many answers are under way.
 */
import { Effect } from "effect"

const waiting = new Set<() => void>()
let isRunning = false

const run = (): void => {
  const [first] = waiting
  isRunning = first !== undefined
  if (first === undefined) return
  waiting.delete(first)
  first()
  setImmediate(run)
}

/** Ends when it is the caller's turn. */
export const next: Effect.Effect<void> = Effect.callback((resume) => {
  const begin = (): void => resume(Effect.void)
  waiting.add(begin)
  if (!isRunning) {
    isRunning = true
    setImmediate(run)
  }
  return Effect.sync(() => waiting.delete(begin))
})
