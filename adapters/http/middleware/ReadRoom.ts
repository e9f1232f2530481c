/**
 * Room for what is being read (rule W13): a read begins when there is room for about as many bytes as it will load, which
 * organizations share by the turns of `FairTurns`. So few large answers are made at a time, whichever keys ask for them, and
 * a read of another organization waits behind little of them, in the database too. What was made counts as unread then.
 *
 * How much a read will load is known from what the organization's reads of the route have loaded lately: the most of a
 * minute, half of that after each minute more. Where nothing is known, little room is taken for granted.
 */
import { Clock, Effect } from "effect"
import { FairSlots } from "simplan"
import { MonotonicTime } from "simplan/ports"

/** The bytes of a slot. */
const UNIT = 32_768

/** The slots of the process: 2 MiB that are being read. As objects and texts that is several times as much. */
const SLOTS = 64

/** The slots of one read: as many as 1 MiB has, the most that an aggregate takes (rule W9). */
const MOST = 32

/** The slots of a read of which nothing is known. */
const UNKNOWN = 8

/** How many reads of an organization wait. */
const WAITING = 256

/** How long a read waits, in milliseconds. */
const PATIENCE = 5_000

/** For how long the largest read is remembered as it was, in milliseconds. */
const WINDOW = 60_000

/** How many routes of organizations are remembered. */
const REMEMBERED = 10_000

interface Largest {
  slots: number
  /** That of the last window. */
  before: number
  since: number
}

export interface ReadRoom {
  /** The slots that a read will need. */
  readonly expected: (organizationId: string, route: string) => number
  /** Remembers how many bytes a read has loaded. */
  readonly learn: (organizationId: string, route: string, bytes: number) => void
  /** Takes slots at once; false where there is no room. Whoever got them gives them back. */
  readonly tryTake: (organizationId: string, slots: number) => boolean
  /** Waits for slots for `PATIENCE`; `onTaken` runs when they are the caller's. */
  readonly take: (organizationId: string, slots: number, onTaken: () => void) => Effect.Effect<boolean>
  readonly give: (organizationId: string, slots: number) => void
  /** The slots that are taken: by an organization, or by all. */
  readonly held: (organizationId?: string) => number
}

const slotsOf = (bytes: number): number => Math.min(MOST, Math.max(1, Math.ceil(bytes / UNIT)))

/** The room of a process. */
export const make: Effect.Effect<ReadRoom> = Effect.map(Clock.Clock, (clock) => {
  const slots = FairSlots.make({ slots: SLOTS, mostWaiting: WAITING })
  const known = new Map<string, Largest>()

  const nameOf = (organizationId: string, route: string): string => `${organizationId} ${route}`

  const largest = (name: string): Largest | undefined => {
    const of = known.get(name)
    if (of === undefined) return undefined
    const windows = Math.floor((MonotonicTime.nowUnsafe(clock) - of.since) / WINDOW)
    if (windows > 0) {
      of.before = Math.floor(Math.max(of.slots, of.before / 2) / 2 ** (windows - 1))
      of.slots = 1
      of.since += windows * WINDOW
    }
    return of
  }

  return {
    expected: (organizationId, route) => {
      const of = largest(nameOf(organizationId, route))
      return of === undefined ? UNKNOWN : Math.max(of.slots, of.before)
    },
    learn: (organizationId, route, bytes) => {
      const name = nameOf(organizationId, route)
      const found = slotsOf(bytes)
      const of = largest(name)
      if (of !== undefined) of.slots = Math.max(of.slots, found)
      else {
        if (known.size >= REMEMBERED) for (const oldest of known.keys()) if (known.delete(oldest)) break
        known.set(name, { slots: found, before: 1, since: MonotonicTime.nowUnsafe(clock) })
      }
    },
    tryTake: slots.tryTake,
    take: (organizationId, needed, onTaken) =>
      slots.take({ organizationId, isUrgent: true, patienceMillis: PATIENCE, slots: needed }, onTaken),
    give: slots.give,
    held: slots.held
  }
})
