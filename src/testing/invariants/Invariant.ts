/**
 * What an invariant is: a named predicate over a whole history.
 */
import { Equal } from "effect"
import type { History } from "../History.ts"
import { type Frame, framesOf } from "./Frames.ts"

/** The first place in a history at which an invariant does not hold. */
export interface Violation {
  /** The invariant's `name`. */
  readonly invariant: string
  /** The step after which it does not hold, from 0. */
  readonly step: number
  /** What was found in place of what must be, with the ids. */
  readonly message: string
}

/** A rule that every history must obey, as a named check. */
export interface Invariant {
  readonly name: string
  /** The rules that it stands for. */
  readonly rule: string
  /** The first violation; null: the invariant holds after every step. */
  readonly check: (history: History) => Violation | null
}

/**
 * An invariant that checks each step with all that was before it; `check` says what is wrong. What it has to remember
 * of a history it keeps in variables of its own, made anew for each history.
 */
export const make = (
  name: string,
  rule: string,
  begin: (history: History) => (frame: Frame) => string | null
): Invariant => ({
  name,
  rule,
  check: (history) => {
    const checkFrame = begin(history)
    for (const frame of framesOf(history)) {
      const message = checkFrame(frame)
      if (message !== null) return { invariant: name, step: frame.index, message }
    }
    return null
  }
})

/** The first complaint about any of these things. */
export const first = <A>(all: Iterable<A>, complaint: (one: A) => string | null): string | null => {
  for (const one of all) {
    const found = complaint(one)
    if (found !== null) return found
  }
  return null
}

/** Whether two values are the same in all their parts. */
export const same = (left: unknown, right: unknown): boolean => left === right || Equal.equals(left, right)

export const show = (value: unknown): string => JSON.stringify(value) ?? String(value)
