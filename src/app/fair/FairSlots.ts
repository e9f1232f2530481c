/**
 * A semaphore that organizations share fairly (rule W13): effects wait for their slots in the turns of `FairTurns`, each
 * for as long as it may.
 *
 * Where a slot is free, taking and giving it back costs a look into a map.
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
  readonly patienceMillis: number
}

/** Slots in this process. */
export interface FairSlots {
  /** Runs the effect in a slot; `none` where its organization has too many waiting, or none came in time. */
  readonly run: <A, E, R, B, E2, R2>(
    asking: Asking,
    effect: Effect.Effect<A, E, R>,
    none: Effect.Effect<B, E2, R2>
  ) => Effect.Effect<A | B, E | E2, R | R2>
  /** How many slots are taken: by an organization, or by all. */
  readonly held: FairTurns.FairTurns["held"]
  /** How many organizations hold slots or wait for one. */
  readonly active: FairTurns.FairTurns["active"]
}

/** `slots` in all, of which one organization alone has all but an eighth; `mostWaiting` effects of one may wait. */
export const make = (options: { readonly slots: number; readonly mostWaiting: number }): FairSlots => {
  const turns = FairTurns.make(options)

  /** Whether a slot was given in time. It is the caller's then, also when it is interrupted in the same instant. */
  const awaited = ({ isUrgent, organizationId, patienceMillis }: Asking) =>
    Effect.suspend(() => {
      let isGiven = false
      let resume = (): void => undefined
      const one: FairTurns.Waiting = {
        organizationId,
        isUrgent,
        begin: () => {
          isGiven = true
          resume()
        }
      }
      if (!turns.enter(one)) return Effect.succeed(false)
      const given = Effect.callback<void>((done) => {
        resume = () => done(Effect.void)
        if (isGiven) resume()
      })
      return Effect.interruptible(Effect.timeoutOption(given, patienceMillis)).pipe(
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            if (isGiven) turns.end(organizationId)
            else turns.withdraw(one)
          })
        ),
        Effect.map(() => {
          if (!isGiven) turns.withdraw(one)
          return isGiven
        })
      )
    })

  return {
    held: turns.held,
    active: turns.active,
    run: <A, E, R, B, E2, R2>(
      asking: Asking,
      effect: Effect.Effect<A, E, R>,
      none: Effect.Effect<B, E2, R2>
    ): Effect.Effect<A | B, E | E2, R | R2> =>
      Effect.uninterruptibleMask((restore) => {
        const { organizationId } = asking
        const inSlot = Effect.ensuring(
          restore(effect),
          Effect.sync(() => turns.end(organizationId))
        )
        if (turns.tryBegin(organizationId)) return inSlot
        return Effect.flatMap(
          awaited(asking),
          (isGiven): Effect.Effect<A | B, E | E2, R | R2> => (isGiven ? inSlot : restore(none))
        )
      })
  }
}
