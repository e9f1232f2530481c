/**
 * A semaphore that organizations share fairly (rule W13): effects wait for their slots in the turns of `FairTurns`, each
 * for as long as it may.
 *
 * Where a slot is free, taking and giving it back costs a read of a map.
 */
import { Effect } from "effect"
import * as FairTurns from "./FairTurns.ts"

/** Who asks for a slot, and how long it may wait for one. */
export interface Asking {
  /** The organization; those of an empty id share as one. */
  readonly organizationId: string
  /** Whether a request waits for it: it comes before what none waits for, of the same organization. */
  readonly isUrgent: boolean
  /** Milliseconds of machine time. */
  readonly waitLimitMillis: number
  /** How many slots it needs at once, half of all at most; 1 by default. */
  readonly slots?: number
}

/** Slots in this process. */
export interface FairSlots {
  /** Runs the effect in a slot; `none` where its organization has too many waiting, or none came in time. */
  readonly run: <A, E, R, B, E2, R2>(
    asking: Asking,
    effect: Effect.Effect<A, E, R>,
    none: Effect.Effect<B, E2, R2>
  ) => Effect.Effect<A | B, E | E2, R | R2>
  /** Takes slots for an organization, one by default, if they are free and it is its turn. The caller gives them back. */
  readonly tryTake: FairTurns.FairTurns["tryBegin"]
  /**
   * Waits for slots that `tryTake` did not give; false where the organization has too many waiting, or none came in time.
   * `onTaken` runs in the instant in which they are the caller's, which gives them back also when it is interrupted then.
   */
  readonly take: (asking: Asking, onTaken: () => void) => Effect.Effect<boolean>
  /** Gives back slots of an organization, one by default. */
  readonly give: FairTurns.FairTurns["end"]
  /** How many slots are taken: by an organization, or by all. */
  readonly held: FairTurns.FairTurns["held"]
  /** How many organizations hold slots or wait for one. */
  readonly active: FairTurns.FairTurns["active"]
}

/** `slots` in all, of which one organization alone has all but an eighth; `mostWaiting` effects of one may wait. */
export const make = (options: { readonly slots: number; readonly mostWaiting: number }): FairSlots => {
  const turns = FairTurns.make(options)

  const take: FairSlots["take"] = ({ waitLimitMillis, ...asking }, onTaken) =>
    Effect.suspend(() => {
      let isTaken = false
      let resume = (): void => undefined
      const one: FairTurns.Waiting = {
        ...asking,
        begin: () => {
          isTaken = true
          onTaken()
          resume()
        }
      }
      if (!turns.enter(one)) return Effect.succeed(false)
      const taken = Effect.callback<void>((done) => {
        resume = () => done(Effect.void)
        if (isTaken) resume()
      })
      return Effect.interruptible(Effect.timeoutOption(taken, waitLimitMillis)).pipe(
        Effect.onInterrupt(() => Effect.sync(() => turns.withdraw(one))),
        Effect.map(() => {
          if (!isTaken) turns.withdraw(one)
          return isTaken
        })
      )
    })

  return {
    tryTake: turns.tryBegin,
    take,
    give: turns.end,
    held: turns.held,
    active: turns.active,
    run: <A, E, R, B, E2, R2>(
      asking: Asking,
      effect: Effect.Effect<A, E, R>,
      none: Effect.Effect<B, E2, R2>
    ): Effect.Effect<A | B, E | E2, R | R2> =>
      Effect.uninterruptibleMask((restore) => {
        const { organizationId, slots } = asking
        const give = Effect.sync(() => turns.end(organizationId, slots))
        const inSlot = Effect.ensuring(restore(effect), give)
        if (turns.tryBegin(organizationId, slots)) return inSlot
        let isTaken = false
        return take(asking, () => (isTaken = true)).pipe(
          Effect.onInterrupt(() => (isTaken ? give : Effect.void)),
          Effect.flatMap((isGiven): Effect.Effect<A | B, E | E2, R | R2> => (isGiven ? inSlot : restore(none)))
        )
      })
  }
}
