/**
 * What to claim next, so that nobody's work keeps another's waiting.
 *
 * As long as all that is due can be taken, it is taken in due order. Where there is more, the lanes (an organization's
 * jobs, an endpoint's deliveries) have their turns: each claim takes about as much of each of them.
 *
 * Work that is done leaves its place in the database's indexes behind for a while, for as long as any transaction may
 * still look at it. So a claim goes on from the place that the last one has reached, and from the beginning only now
 * and then, as seldom as it is slow: for work that was put before that place, or whose lease has ended.
 */
import { Clock as MachineClock, Effect } from "effect"
import type { Instant } from "../../domain/Time.ts"
import type { Claim, Lane, Lanes, LanesAsked, LookedFor, Place, Share } from "../../ports/Jobs.ts"

/** What one claim goes by. */
export type Taking = Pick<Claim, "now" | "machineNow" | "until" | "token">

export interface Source<A, E> {
  readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<A>, E>
  readonly lanes: (at: LanesAsked) => Effect.Effect<Lanes, E>
  /** Where a piece of work stands. */
  readonly standing: (work: A) => Place & { readonly laneId: string }
  /** How many more pieces of a lane may be begun now. */
  readonly room: (lane: Lane) => number
  /** How many more pieces of these lanes may be begun together, up to `most` in all; those of which none may are left out. */
  readonly shares: (
    lanes: ReadonlyArray<Lane>,
    most: number,
    machineNow: Instant
  ) => ReadonlyArray<{ readonly lane: Lane; readonly count: number }>
  /** How many pieces one claim takes at most: what was claimed and has yet to be begun keeps what was begun waiting. */
  readonly atOnce: number
  /** Whether all goes in strict due order, lane or no lane. */
  readonly isStrict: boolean
}

export interface FairClaims<A, E> {
  /** Claims up to `limit` pieces of work that are due. */
  readonly next: (taking: Taking, limit: number) => Effect.Effect<ReadonlyArray<A>, E>
  /** There may be work due from this instant on, which may be before the place that was reached, or before any. */
  readonly tell: (dueAt: Instant) => void
  /** Some lane has more due than it has room for: the others are not to wait for it. */
  readonly crowd: () => void
  /** Whether there is due work, and none of it has room. */
  readonly isBlocked: () => boolean
  /** Where to look for what is due next. */
  readonly lookingFor: (at: Omit<LookedFor, "from">) => LookedFor
}

/** How often a claim begins at the beginning, and how often lanes are looked for, with and without a crowd; in ms. */
const FULL_LOOK = 1_000
const LOOK = 1_000
const CROWDED_LOOK = 25

/** The part of the time that looks may take, inverted. */
const LEISURE = 20

const LANES_LOOKED_AT = 1_000

const isBefore = (left: Place, right: Place): boolean =>
  left.dueAt < right.dueAt || (left.dueAt === right.dueAt && left.id < right.id)

const timed = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const before = yield* MachineClock.currentTimeMillis
    const value = yield* effect
    return { value, millis: (yield* MachineClock.currentTimeMillis) - before }
  })

/** Even shares, where any lane has room for any number. */
export const evenly = (lanes: ReadonlyArray<Lane>, most: number) => {
  const served = lanes.slice(0, most)
  const count = Math.floor(most / Math.max(1, served.length))
  return served.map((lane) => ({ lane, count }))
}

export const make = <A, E>(source: Source<A, E>): FairClaims<A, E> => {
  let reached: Place | undefined
  let nextFullLook = Number.NEGATIVE_INFINITY
  let nextLook = Number.NEGATIVE_INFINITY
  // The lanes that wait for their turn, the next one first; null while there is no crowd.
  let waiting: ReadonlyArray<Lane> | null = null
  let mayBeCrowded = false

  const allLanes = (at: Pick<Taking, "now" | "machineNow">, after: string): Effect.Effect<ReadonlyArray<Lane>, E> =>
    Effect.flatMap(source.lanes({ ...at, after, limit: LANES_LOOKED_AT }), ({ lanes, next }) =>
      next === null ? Effect.succeed(lanes) : Effect.map(allLanes(at, next), (following) => [...lanes, ...following])
    )

  const look = Effect.fnUntraced(function* ({ machineNow, now }: Taking) {
    const { millis, value: lanes } = yield* timed(allLanes({ now, machineNow }, ""))
    mayBeCrowded = false
    const [only] = lanes
    if (only === undefined || (lanes.length === 1 && source.room(only) > 0)) {
      waiting = null
      nextLook = machineNow + Math.max(LOOK, LEISURE * millis)
      return
    }
    // Whoever was next is still next, and who is new comes behind.
    const places = new Map((waiting ?? []).map(({ laneId }, index) => [laneId, index]))
    const placeOf = ({ laneId }: Lane) => places.get(laneId) ?? places.size
    waiting = lanes.toSorted((left, right) => placeOf(left) - placeOf(right))
    nextLook = machineNow + Math.max(CROWDED_LOOK, LEISURE * millis)
  })

  const byTurns = Effect.fnUntraced(function* (lanes: ReadonlyArray<Lane>, taking: Taking, limit: number) {
    const next = lanes.filter((lane) => source.room(lane) > 0).slice(0, limit)
    const served = source.shares(next, limit, taking.machineNow)
    if (served.length === 0) return []
    const shares = served.map(({ count, lane }): Share => ({ laneId: lane.laneId, from: lane.first, limit: count }))
    const claimed = yield* source.claim({ ...taking, limit, shares })
    const taken = new Map<string, { count: number; last: Place }>()
    for (const work of claimed) {
      const { dueAt, id, laneId } = source.standing(work)
      taken.set(laneId, { count: (taken.get(laneId)?.count ?? 0) + 1, last: { dueAt, id } })
    }
    const names = new Set(served.map(({ lane }) => lane.laneId))
    const behind = served.flatMap(({ count, lane }) => {
      const of = taken.get(lane.laneId)
      return of === undefined || of.count < count ? [] : [{ ...lane, first: of.last }]
    })
    waiting = [...lanes.filter(({ laneId }) => !names.has(laneId)), ...behind]
    return claimed
  })

  const inOrder = Effect.fnUntraced(function* (taking: Taking, limit: number) {
    const from = source.isStrict || taking.machineNow >= nextFullLook ? undefined : reached
    const claim = { ...taking, limit, ...(from === undefined ? {} : { from }) }
    const { millis, value: claimed } = yield* timed(source.claim(claim))
    if (from === undefined) nextFullLook = taking.machineNow + Math.max(FULL_LOOK, LEISURE * millis)
    const last = claimed.at(-1)
    if (last !== undefined) {
      const { dueAt, id } = source.standing(last)
      const place = { dueAt, id }
      // A claim that found less than it asked for has seen all that is due.
      if (reached === undefined || claimed.length >= limit || isBefore(reached, place)) reached = place
    }
    if (claimed.length >= limit && !source.isStrict) mayBeCrowded = true
    return claimed
  })

  return {
    next: Effect.fnUntraced(function* (taking, most) {
      const limit = Math.min(most, source.atOnce)
      if ((mayBeCrowded || waiting !== null) && taking.machineNow >= nextLook) yield* look(taking)
      if (waiting !== null && waiting.length > 0) return yield* byTurns(waiting, taking, limit)
      if (waiting !== null) {
        waiting = null
        nextFullLook = taking.machineNow
      }
      return yield* inOrder(taking, limit)
    }),
    tell: (dueAt) => {
      const place = { dueAt, id: "" }
      if (reached !== undefined && isBefore(place, reached)) reached = Number.isFinite(dueAt) ? place : undefined
    },
    crowd: () => {
      mayBeCrowded = true
      nextLook = Number.NEGATIVE_INFINITY
    },
    isBlocked: () => waiting !== null && waiting.length > 0 && waiting.every((lane) => source.room(lane) === 0),
    lookingFor: (at) => (reached === undefined || at.machineNow >= nextFullLook ? at : { ...at, from: reached })
  }
}
