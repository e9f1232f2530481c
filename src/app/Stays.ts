/**
 * Follows a subscription over the SIMs that it has moved between (rules S8 and L3). It reads each
 * of them once.
 */
import { Effect } from "effect"
import * as Moves from "../domain/Moves.ts"
import * as Sims from "../domain/Sim.ts"
import type { Sim } from "../domain/Sim.ts"
import { Storage } from "../ports/Storage.ts"
import * as RequestContext from "./RequestContext.ts"

/** A SIM that a subscription is on, or was. */
export interface Stay extends Moves.Stay {
  readonly sim: Sim
}

/**
 * The stays of the subscription that a SIM has, or that has left it last, newest first; none if it
 * has not moved. Of more SIMs than `Moves.MOST` some are left out.
 */
export const makeStays = Effect.map(Storage, (storage) =>
  Effect.fnUntraced(function* (sim: Sim) {
    const { iccid, organizationId } = sim
    const subscriptionId = Sims.followed(sim)
    const sims = new Map([[iccid, sim]])
    let moves: ReadonlyArray<Moves.Move> = []
    let unread: ReadonlyArray<string> = [iccid]
    const asked = new Set(unread)
    while (subscriptionId !== null && unread.length > 0 && asked.size < Moves.MOST) {
      moves = Moves.of(subscriptionId, sims.values())
      unread = [...new Set(moves.flatMap(({ from, to }) => [from, to]))].filter((one) => !asked.has(one))
      for (const one of unread) {
        asked.add(one)
        const found = yield* storage.sims.get({ organizationId, iccid: one })
        if (found !== null) sims.set(one, found)
      }
      yield* RequestContext.countRows(unread.length)
    }
    return Moves.stays(moves, sims)
      .flatMap((stay): ReadonlyArray<Stay> => {
        const found = sims.get(stay.iccid)
        return found === undefined ? [] : [{ ...stay, sim: found }]
      })
      .toReversed()
  })
)

/**
 * The ICCID of the SIM that has the subscription now which has left a SIM; null: none has, it was
 * deleted, or the SIM was put back into stock since. What became of the SIMs between does not
 * matter.
 */
export const makePresent = Effect.map(makeStays, (staysOf) =>
  Effect.fnUntraced(function* (left: Sim) {
    const [last] = left.movedTo === null ? [] : yield* staysOf(left)
    return last === undefined || last.until !== null || last.iccid === left.iccid ? null : last.iccid
  })
)
