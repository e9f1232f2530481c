/**
 * Wake-ups of a fetch loop: until when it may sleep, and whether it has to look for work at all.
 */
import { Effect, Latch } from "effect"
import type { Instant } from "../../domain/Time.ts"

export interface WakeUps {
  /** There is work due at this instant; null: there is none. */
  readonly notify: (dueAt: Instant | null) => void
  /** The earliest due time since the last call, null where there was none. */
  readonly take: () => Instant | null
  /**
   * Ends when there is work due before the instant, notified before or meanwhile, after so many milliseconds of machine
   * time, or with an `interrupt`, which may have been asked for before.
   */
  readonly before: (
    instant: Instant,
    millis: number,
    isInterrupted: () => boolean
  ) => Effect.Effect<"Notified" | "TimedOut" | "Interrupted">
  /** Ends the present wait, whatever is due. */
  readonly interrupt: () => void
  /** Whether work was notified since the last `take` that is due by this instant. */
  readonly isDueBy: (instant: Instant) => boolean
}

export const make = (): WakeUps => {
  let earliest: Instant | null = null
  let awaited = Number.NEGATIVE_INFINITY
  const latch = Latch.makeUnsafe(false)
  return {
    notify: (dueAt) => {
      if (dueAt === null || (earliest !== null && earliest <= dueAt)) return
      earliest = dueAt
      if (dueAt < awaited) latch.openUnsafe()
    },
    take: () => {
      const dueAt = earliest
      earliest = null
      return dueAt
    },
    before: Effect.fnUntraced(function* (instant, millis, isInterrupted) {
      let isTimedOut = false
      const isNotified = () => earliest !== null && earliest < instant
      const timeOut = Effect.sync(() => {
        isTimedOut = true
        latch.openUnsafe()
      })
      awaited = instant
      latch.closeUnsafe()
      if (!isNotified() && !isInterrupted()) {
        const timer = yield* Effect.forkChild(Effect.delay(timeOut, millis))
        yield* latch.await
        timer.interruptUnsafe()
      }
      return isNotified() ? "Notified" : isTimedOut ? "TimedOut" : "Interrupted"
    }),
    interrupt: () => void latch.openUnsafe(),
    isDueBy: (instant) => earliest !== null && earliest <= instant
  }
}
