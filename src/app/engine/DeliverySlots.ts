/**
 * Room for deliveries: how many to one endpoint may be under way, so that no endpoint takes the room of another, and
 * no organization that of another.
 *
 * An organization has a fair share of all slots, at most a half; each of its endpoints a fair share of that. Endpoints
 * that are slow, or were the last time, dead ones first of all, have half of the slots together: the others find room
 * at once. All instants are the machine's.
 */
import type { Instant } from "../../domain/Time.ts"
import type { Lane } from "../../ports/Jobs.ts"

type Of = Pick<Lane, "laneId" | "organizationId">

export interface DeliverySlots {
  /** How many more may be begun. */
  readonly room: (lane: Of) => number
  /** How many more of these lanes may be begun together, up to `most` in all, as evenly as can be. */
  readonly shares: <L extends Of>(
    lanes: ReadonlyArray<L>,
    most: number,
    now: Instant
  ) => ReadonlyArray<{ readonly lane: L; readonly count: number }>
  readonly begin: (lane: Of, now: Instant) => void
  readonly end: (lane: Of, millis: number, now: Instant) => void
  /** Sees which endpoints have ended nothing for so long that they are slow. */
  readonly look: (now: Instant) => void
}

/** From how long on an attempt is slow, in milliseconds. */
const SLOW = 1_000

interface Usage {
  underWay: number
  slow: number
  /** When the last attempt ended, or the first of these began. */
  endedAt: Instant
}

interface OfOrganization extends Omit<Usage, "endedAt"> {
  readonly lanes: Map<string, Usage>
}

export const make = (slots: number): DeliverySlots => {
  const organizations = new Map<string, OfOrganization>()
  const slowLanes = new Set<string>()
  let slow = 0

  const add = (lane: Of, count: 1 | -1, isSlow: boolean, now: Instant): void => {
    const of = organizations.get(lane.organizationId) ?? { underWay: 0, slow: 0, lanes: new Map<string, Usage>() }
    const usage = of.lanes.get(lane.laneId) ?? { underWay: 0, slow: 0, endedAt: now }
    const slowly = isSlow ? count : 0
    for (const one of [of, usage]) {
      one.underWay += count
      one.slow += slowly
    }
    slow += slowly
    if (usage.underWay > 0) of.lanes.set(lane.laneId, usage)
    else of.lanes.delete(lane.laneId)
    if (of.underWay > 0) organizations.set(lane.organizationId, of)
    else organizations.delete(lane.organizationId)
  }

  const room = ({ laneId, organizationId }: Of): number => {
    const of = organizations.get(organizationId)
    const ofAll = Math.max(1, Math.floor(slots / Math.max(2, organizations.size + (of === undefined ? 1 : 0))))
    const usage = of?.lanes.get(laneId)
    const lanes = (of?.lanes.size ?? 0) + (usage === undefined ? 1 : 0)
    const own = Math.max(1, Math.floor(ofAll / lanes)) - (usage?.underWay ?? 0)
    const left = Math.min(own, ofAll - (of?.underWay ?? 0))
    if (!slowLanes.has(laneId)) return Math.max(0, left)
    return Math.max(0, Math.min(left, Math.ceil(ofAll / 2) - (of?.slow ?? 0), Math.ceil(slots / 2) - slow))
  }

  return {
    room,
    shares: (lanes, most, now) => {
      const shares = lanes.map((lane) => ({ lane, count: 0 }))
      let left = most
      let given = shares.length
      // What is given to one leaves less for the others, until all of it is taken back.
      while (given > 0) {
        given = 0
        for (const share of shares) {
          if (left === 0) break
          if (room(share.lane) === 0) continue
          add(share.lane, 1, slowLanes.has(share.lane.laneId), now)
          share.count += 1
          given += 1
          left -= 1
        }
      }
      for (const { count, lane } of shares) {
        for (let one = 0; one < count; one++) add(lane, -1, slowLanes.has(lane.laneId), now)
      }
      return shares.filter(({ count }) => count > 0)
    },
    begin: (lane, now) => add(lane, 1, slowLanes.has(lane.laneId), now),
    end: (lane, millis, now) => {
      const of = organizations.get(lane.organizationId)?.lanes.get(lane.laneId)
      // Those that began as slow ones end first: which of them did is of no account.
      if (of !== undefined) of.endedAt = now
      add(lane, -1, (of?.slow ?? 0) > 0, now)
      if (millis >= SLOW) slowLanes.add(lane.laneId)
      else slowLanes.delete(lane.laneId)
    },
    look: (now) => {
      for (const of of organizations.values()) {
        for (const [laneId, usage] of of.lanes) {
          if (now - usage.endedAt < SLOW || usage.slow === usage.underWay) continue
          const more = usage.underWay - usage.slow
          usage.slow += more
          of.slow += more
          slow += more
          slowLanes.add(laneId)
        }
      }
    }
  }
}
