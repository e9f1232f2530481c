/**
 * The moves of subscriptions from SIM to SIM (rule S8), which both SIMs keep for good, and what
 * follows from them: on which SIMs a subscription was, and when.
 */
import type { Instant } from "./Time.ts"

/** A subscription that has moved from one SIM to another. */
export interface Move {
  /** Whose it is. */
  readonly subscriptionId: string
  /** Which move of the subscription it is, from 1. */
  readonly number: number
  /** The ICCID of the SIM that it has left. */
  readonly from: string
  /** The ICCID of the SIM that it has come to. */
  readonly to: string
  /** Since when it was on the SIM that it has left: its creation, or the move before. */
  readonly since: Instant
  /** When it moved. */
  readonly at: Instant
  /**
   * When it was deleted on the SIM that it had come to, which alone keeps that; null: it was not.
   */
  readonly endedAt: Instant | null
}

/** What is known of a SIM. */
export interface OnSim {
  readonly iccid: string
  /** Where its last subscription has moved to, until it is put back into stock. */
  readonly movedTo: string | null
  /** Oldest first. */
  readonly moves: ReadonlyArray<Move>
}

/** How many moves a SIM keeps, and how many SIMs of a subscription are followed: the last ones. */
export const MOST = 100

/** The last move of a subscription away from the SIM; null: none has moved away. */
export const away = ({ iccid, moves }: Pick<OnSim, "iccid" | "moves">): Move | null =>
  moves.findLast(({ from }) => from === iccid) ?? null

/** The last move of a subscription to the SIM; null: none has moved to it. */
export const here = ({ iccid, moves }: Pick<OnSim, "iccid" | "moves">): Move | null =>
  moves.findLast(({ to }) => to === iccid) ?? null

/** Rule S8: the move of its subscription from a SIM to another one. */
export const made = (
  { iccid, moves }: Pick<OnSim, "iccid" | "moves">,
  to: string,
  { createdAt, subscriptionId }: { readonly createdAt: Instant; readonly subscriptionId: string },
  at: Instant
): Move => {
  const before = moves.findLast((move) => move.subscriptionId === subscriptionId && move.to === iccid)
  const [number, since] = [(before?.number ?? 0) + 1, before?.at ?? createdAt]
  return { subscriptionId, number, from: iccid, to, since, at, endedAt: null }
}

/** The moves of a SIM with one more. */
export const kept = (moves: ReadonlyArray<Move>, move: Move): ReadonlyArray<Move> => [...moves, move].slice(-MOST)

/** The moves of a SIM on which a subscription is deleted. */
export const ended = (
  { iccid, moves }: Pick<OnSim, "iccid" | "moves">,
  subscriptionId: string,
  endedAt: Instant
): ReadonlyArray<Move> => {
  const last = moves.findLast((move) => move.subscriptionId === subscriptionId && move.to === iccid)
  return last === undefined ? moves : moves.map((move) => (move === last ? { ...move, endedAt } : move))
}

/** The moves of a subscription that these SIMs keep, in their order. */
export const of = (subscriptionId: string, sims: Iterable<OnSim>): ReadonlyArray<Move> => {
  const found = new Map<number, Move>()
  for (const { iccid, moves } of sims) {
    for (const move of moves) {
      // The SIM that it has come to knows whether it was deleted there.
      const isWanted = move.subscriptionId === subscriptionId && (move.to === iccid || !found.has(move.number))
      if (isWanted) found.set(move.number, move)
    }
  }
  return [...found.values()].sort((one, other) => one.number - other.number)
}

/** A SIM that a subscription is on, or was. */
export interface Stay {
  /** Which one it is, from 0, and the same for good. */
  readonly number: number
  readonly iccid: string
  /** When it began; null: that is not known. */
  readonly since: Instant | null
  /** When the subscription left; null: it has not. */
  readonly leftAt: Instant | null
  /**
   * Until when what happens to the SIM is the subscription's. Null: for good, or until the SIM that
   * it has left is put back into stock, since the telco may still report of it.
   */
  readonly until: Instant | null
}

/** The stays of a subscription that has moved, oldest first; none if it has not. */
export const stays = (
  moves: ReadonlyArray<Move>,
  sims: ReadonlyMap<string, Pick<OnSim, "movedTo" | "moves">>
): ReadonlyArray<Stay> => {
  const isStillLeft = ({ from, number, subscriptionId, to }: Move): boolean => {
    const sim = sims.get(from)
    const last = sim === undefined ? null : away({ ...sim, iccid: from })
    return sim?.movedTo === to && last?.number === number && last.subscriptionId === subscriptionId
  }
  const stay = (
    number: number,
    iccid: string,
    since: Instant,
    next: Move | undefined,
    endedAt: Instant | null
  ): Stay =>
    next === undefined
      ? { number, iccid, since, leftAt: null, until: endedAt }
      : { number, iccid, since, leftAt: next.at, until: isStillLeft(next) ? null : next.at }
  const [first] = moves
  if (first === undefined) return []
  return [
    stay(first.number - 1, first.from, first.since, first, null),
    ...moves.map(({ at, endedAt, number, to }, index) => stay(number, to, at, moves[index + 1], endedAt))
  ]
}
