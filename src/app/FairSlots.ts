/**
 * Slots that organizations share fairly (rule W13): the one policy for calls of a telco, lookups of
 * names, reads, jobs and deliveries, and a semaphore by it, whose effects wait for their slots.
 *
 * - A slot goes to the organization that holds fewest of those that wait; among equals in turns.
 * - The last few slots are only for an organization that holds less than an even share. So one that
 *   is alone has all but these, and the next one finds a slot at once.
 * - Something may need several slots at once. Whoever holds as many or more waits behind it, so
 *   that it gets them at last.
 * - What waits is bounded for each organization, never by what others have waiting.
 * - Of one organization, what a request waits for comes first, but each fourth turn is for the rest
 *   if some waits.
 *
 * If a slot is free, taking and giving it back costs a read of a map.
 */
import { Effect } from "effect"

/** Who asks for slots. */
interface Asker {
  /** The organization; those of an empty id share as one. */
  readonly organizationId: string
  /**
   * Whether a request waits for it: it comes before what none waits for, of the same organization.
   */
  readonly isUrgent: boolean
  /** How many slots it needs at once, half of all at most; 1 by default. */
  readonly slots?: number
}

/** Who asks for a slot, and how long it may wait for one. */
export interface Asking extends Asker {
  /** Milliseconds of machine time. */
  readonly waitLimitMillis: number
}

/** Something that waits for a slot. */
export interface Waiting extends Asker {
  /** Called once, when it has its slots. It must not throw. */
  readonly begin: () => void
}

/** The slots of one shared resource in this process. */
export interface FairSlots {
  /**
   * Runs the effect in a slot; `none` if its organization has too many waiting, or none came in
   * time.
   */
  readonly run: <A, E, R, B, E2, R2>(
    asking: Asking,
    effect: Effect.Effect<A, E, R>,
    none: Effect.Effect<B, E2, R2>
  ) => Effect.Effect<A | B, E | E2, R | R2>
  /**
   * Waits for slots that `tryTake` did not give; false if the organization has too many waiting,
   * or none came in time. `onTaken` runs in the instant in which they are the caller's, which gives
   * them back also when it is interrupted then.
   */
  readonly take: (asking: Asking, onTaken: () => void) => Effect.Effect<boolean>
  /** Whether the organization may have a slot now, were nothing of it waiting. */
  readonly mayTake: (organizationId: string) => boolean
  /**
   * Takes slots for an organization, one by default, if they are free and it is its turn. The
   * caller gives them back.
   */
  readonly tryTake: (organizationId: string, slots?: number) => boolean
  /** Takes a slot for what is under way already, also if the organization may not have one. */
  readonly takeAnyway: (organizationId: string) => void
  /** Gives back slots of an organization, one by default; whoever has the next turn begins. */
  readonly give: (organizationId: string, slots?: number) => void
  /**
   * Takes a place in the organization's queue; false if that is full. Not for one that `tryTake`
   * would give its slots.
   */
  readonly enter: (one: Waiting) => boolean
  /** Leaves the queue. One that does not wait changes nothing. */
  readonly withdraw: (one: Waiting) => void
  /**
   * How many more slots may be taken whoever takes them; 0 if the rest is for those with less
   * than an even share.
   */
  readonly open: () => number
  /** How many slots are taken: by an organization, or by all. */
  readonly held: (organizationId?: string) => number
  /** How many organizations hold slots or wait for one. */
  readonly active: () => number
}

/**
 * The share of the slots that an organization alone leaves free: an eighth, and none if there
 * are few slots.
 */
const RESERVED = 1 / 8
/** From how many slots on some are left free. */
const ENOUGH = 4

/** After so many turns for requests one is for what no request waits for. */
const URGENT_IN_A_ROW = 3

interface Line {
  held: number
  readonly urgent: Set<Waiting>
  readonly others: Set<Waiting>
  urgentInARow: number
}

const firstOf = (set: ReadonlySet<Waiting>): Waiting | undefined => {
  for (const one of set) return one
  return undefined
}

/** How many slots are left free by an organization that is alone. */
export const reserved = (slots: number): number => (slots < ENOUGH ? 0 : Math.max(1, Math.floor(slots * RESERVED)))

/**
 * How many slots are an organization's even share of so many, among these; at least 1. One alone
 * counts as two.
 */
export const evenShare = (slots: number, organizations: number): number =>
  Math.max(1, Math.floor(slots / Math.max(2, organizations)))

/** Of those in the order of their turns, the one that holds fewest; the first of equals. */
export const fewest = <A>(inOrder: Iterable<A>, held: (one: A) => number): A | undefined => {
  let found: A | undefined
  let least = Number.POSITIVE_INFINITY
  for (const one of inOrder) {
    const count = held(one)
    if (count >= least) continue
    found = one
    least = count
    if (count === 0) break
  }
  return found
}

/** How many slots there are, and who may have them. */
export interface Options {
  /** How many there are in all. */
  readonly slots: number
  /** How many one organization alone leaves free; an eighth of the slots by default. */
  readonly kept?: number
  /** How many of one organization may wait. */
  readonly mostWaiting: number
}

/** The slots of a resource, all of them free. */
export const make = ({ mostWaiting, slots, kept = reserved(slots) }: Options): FairSlots => {
  const lines = new Map<string, Line>()
  // Those that have something waiting, in the order of their turns.
  const waiting = new Map<string, Line>()
  let taken = 0

  const lineOf = (organizationId: string): Line => {
    const known = lines.get(organizationId)
    if (known !== undefined) return known
    const line: Line = { held: 0, urgent: new Set(), others: new Set(), urgentInARow: 0 }
    lines.set(organizationId, line)
    return line
  }

  const isWaiting = ({ others, urgent }: Line): boolean => urgent.size + others.size > 0

  const forget = (organizationId: string, line: Line): void => {
    if (!isWaiting(line)) waiting.delete(organizationId)
    if (line.held === 0 && !isWaiting(line)) lines.delete(organizationId)
  }

  const isAllowed = (held: number, isNew: boolean, needed = 1): boolean => {
    const left = slots - taken - needed
    return left >= 0 && (left >= kept || held + needed <= evenShare(slots, lines.size + (isNew ? 1 : 0)))
  }

  const hold = (line: Line, needed = 1): void => {
    line.held += needed
    taken += needed
  }

  // What needs several slots waits while one is free.
  const isBehind = (held: number): boolean => {
    for (const line of waiting.values()) if (line.held <= held) return true
    return false
  }

  const nextOf = (line: Line): Waiting | undefined => {
    const [urgent, other] = [firstOf(line.urgent), firstOf(line.others)]
    const isUrgentsTurn = urgent !== undefined && (other === undefined || line.urgentInARow < URGENT_IN_A_ROW)
    const next = isUrgentsTurn ? urgent : other
    if (next === undefined || !isAllowed(line.held, false, next.slots)) return undefined
    line.urgentInARow = isUrgentsTurn && other !== undefined ? line.urgentInARow + 1 : 0
    return next
  }

  const giveTurns = (): void => {
    while (waiting.size > 0) {
      const organizationId = fewest(waiting.keys(), (id) => waiting.get(id)?.held ?? 0)
      const line = organizationId === undefined ? undefined : waiting.get(organizationId)
      if (organizationId === undefined || line === undefined) return
      const next = nextOf(line)
      if (next === undefined) return
      line.urgent.delete(next)
      line.others.delete(next)
      // The next turn among equals is another's.
      waiting.delete(organizationId)
      if (isWaiting(line)) waiting.set(organizationId, line)
      hold(line, next.slots)
      next.begin()
    }
  }

  const tryTake: FairSlots["tryTake"] = (organizationId, needed) => {
    const known = lines.get(organizationId)
    if (known !== undefined && isWaiting(known)) return false
    const held = known?.held ?? 0
    if (!isAllowed(held, known === undefined, needed) || isBehind(held)) return false
    hold(known ?? lineOf(organizationId), needed)
    return true
  }

  const enter: FairSlots["enter"] = (one) => {
    const { organizationId } = one
    const line = lineOf(organizationId)
    if (line.urgent.size + line.others.size >= mostWaiting) return false
    const queue = one.isUrgent ? line.urgent : line.others
    queue.add(one)
    if (!waiting.has(organizationId)) waiting.set(organizationId, line)
    return true
  }

  const withdraw: FairSlots["withdraw"] = (one) => {
    const line = lines.get(one.organizationId)
    if (line === undefined || !(line.urgent.delete(one) || line.others.delete(one))) return
    forget(one.organizationId, line)
    giveTurns()
  }

  const give: FairSlots["give"] = (organizationId, given = 1) => {
    const line = lines.get(organizationId)
    if (line === undefined || line.held === 0) return
    line.held -= given
    taken -= given
    forget(organizationId, line)
    giveTurns()
  }

  const take: FairSlots["take"] = ({ waitLimitMillis, ...asking }, onTaken) =>
    Effect.suspend(() => {
      let isTaken = false
      let resume = (): void => undefined
      const place: Waiting = {
        ...asking,
        begin: () => {
          isTaken = true
          onTaken()
          resume()
        }
      }
      if (!enter(place)) return Effect.succeed(false)
      const turn = Effect.callback<void>((done) => {
        resume = () => done(Effect.void)
        if (isTaken) resume()
      })
      return Effect.interruptible(Effect.timeoutOption(turn, waitLimitMillis)).pipe(
        Effect.onInterrupt(() => Effect.sync(() => withdraw(place))),
        Effect.map(() => {
          if (!isTaken) withdraw(place)
          return isTaken
        })
      )
    })

  return {
    mayTake: (organizationId) => {
      const known = lines.get(organizationId)
      return isAllowed(known?.held ?? 0, known === undefined)
    },
    takeAnyway: (organizationId) => hold(lineOf(organizationId)),
    tryTake,
    take,
    give,
    enter,
    withdraw,
    open: () => Math.max(0, slots - kept - taken),
    held: (organizationId) => (organizationId === undefined ? taken : (lines.get(organizationId)?.held ?? 0)),
    active: () => lines.size,
    run: <A, E, R, B, E2, R2>(
      asking: Asking,
      effect: Effect.Effect<A, E, R>,
      none: Effect.Effect<B, E2, R2>
    ): Effect.Effect<A | B, E | E2, R | R2> =>
      Effect.uninterruptibleMask((restore) => {
        const { organizationId, slots } = asking
        const giveBack = Effect.sync(() => give(organizationId, slots))
        const inSlot = Effect.ensuring(restore(effect), giveBack)
        if (tryTake(organizationId, slots)) return inSlot
        let isTaken = false
        return take(asking, () => (isTaken = true)).pipe(
          Effect.onInterrupt(() => (isTaken ? giveBack : Effect.void)),
          Effect.flatMap((isGiven): Effect.Effect<A | B, E | E2, R | R2> => (isGiven ? inSlot : restore(none)))
        )
      })
  }
}
