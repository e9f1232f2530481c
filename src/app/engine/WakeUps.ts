/**
 * Announcements of work, for whoever waits for it: until when it may sleep, and whether it has to look at all.
 */
import { Effect, Latch } from "effect"
import type { Instant } from "../../domain/Time.ts"

export interface WakeUps {
  /** There is work due at this instant; null: there is none. */
  readonly tell: (dueAt: Instant | null) => void
  /** The earliest that was told since this was last asked, null where nothing was: who asks looks for work next. */
  readonly take: () => Instant | null
  /** Ends when work is told, or was told since it was last asked, that is due before the instant. */
  readonly before: (instant: Instant) => Effect.Effect<void>
}

export const make = (): WakeUps => {
  let earliest: Instant | null = null
  let awaited = Number.NEGATIVE_INFINITY
  const latch = Latch.makeUnsafe(false)
  return {
    tell: (dueAt) => {
      if (dueAt === null || (earliest !== null && earliest <= dueAt)) return
      earliest = dueAt
      if (dueAt < awaited) latch.openUnsafe()
    },
    take: () => {
      const told = earliest
      earliest = null
      return told
    },
    before: (instant) =>
      Effect.suspend(() => {
        if (earliest !== null && earliest < instant) return Effect.void
        awaited = instant
        latch.closeUnsafe()
        return latch.await
      })
  }
}
