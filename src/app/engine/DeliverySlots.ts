/**
 * Delivery slots: how many deliveries to one endpoint may be under way, so that no endpoint and no organization takes the
 * slots of another.
 *
 * An organization has an even share of all slots, at most a half (rule W13). Each of its endpoints has an even share of
 * that. An endpoint is slow while it does not answer, and until its next quick answer. Slow endpoints come last: they have a
 * quarter of their organization's share, and all together a quarter of the slots, so that the others find free ones at
 * once. All instants are the machine's.
 */
import type { Instant } from "../../domain/Time.ts"
import type { Partition } from "../../ports/Jobs.ts"
import * as FairTurns from "../fair/FairTurns.ts"

type PartitionKey = Pick<Partition, "partitionId" | "organizationId">

export interface DeliverySlots {
  /** How many more deliveries may be begun. */
  readonly free: (partition: PartitionKey) => number
  /**
   * How many more of these partitions may be begun together, up to `most` in all: in even shares of organizations, and of each
   * one in even shares of its partitions.
   */
  readonly shares: <P extends PartitionKey>(
    partitions: ReadonlyArray<P>,
    most: number,
    now: Instant
  ) => ReadonlyArray<{ readonly partition: P; readonly count: number }>
  readonly begin: (partition: PartitionKey, now: Instant) => void
  readonly end: (partition: PartitionKey, millis: number, now: Instant) => void
  /** Marks endpoints as slow that have ended nothing for too long. */
  readonly markSlow: (now: Instant) => void
}

/** From how long on an attempt is slow, in milliseconds. */
const SLOW = 1_000

/** What part of the slots slow endpoints have. */
const SLOW_PART = 1 / 4

interface Usage {
  underWay: number
  slow: number
  /** When the last attempt ended, or the first of these began. */
  endedAt: Instant
}

interface OfOrganization extends Omit<Usage, "endedAt"> {
  readonly partitions: Map<string, Usage>
}

export const make = (slots: number): DeliverySlots => {
  const organizations = new Map<string, OfOrganization>()
  const slowIds = new Set<string>()
  let slow = 0

  const add = (partition: PartitionKey, count: 1 | -1, isSlow: boolean, now: Instant): void => {
    const of = organizations.get(partition.organizationId) ?? {
      underWay: 0,
      slow: 0,
      partitions: new Map<string, Usage>()
    }
    const usage = of.partitions.get(partition.partitionId) ?? { underWay: 0, slow: 0, endedAt: now }
    const slowly = isSlow ? count : 0
    for (const one of [of, usage]) {
      one.underWay += count
      one.slow += slowly
    }
    slow += slowly
    if (usage.underWay > 0) of.partitions.set(partition.partitionId, usage)
    else of.partitions.delete(partition.partitionId)
    if (of.underWay > 0) organizations.set(partition.organizationId, of)
    else organizations.delete(partition.organizationId)
  }

  const free = ({ partitionId, organizationId }: PartitionKey): number => {
    const of = organizations.get(organizationId)
    const ofAll = FairTurns.evenShare(slots, organizations.size + (of === undefined ? 1 : 0))
    const usage = of?.partitions.get(partitionId)
    const count = (of?.partitions.size ?? 0) + (usage === undefined ? 1 : 0)
    const own = Math.max(1, Math.floor(ofAll / count)) - (usage?.underWay ?? 0)
    const left = Math.min(own, ofAll - (of?.underWay ?? 0))
    if (!slowIds.has(partitionId)) return Math.max(0, left)
    return Math.max(
      0,
      Math.min(left, Math.ceil(ofAll * SLOW_PART) - (of?.slow ?? 0), Math.ceil(slots * SLOW_PART) - slow)
    )
  }

  return {
    free,
    shares: (partitions, most, now) => {
      const shares = partitions.map((partition) => ({ partition, count: 0 }))
      const isSlow = ({ partition: { partitionId } }: (typeof shares)[number]) => slowIds.has(partitionId)
      // Of each organization, those that may have more still, in the order of their turns; slow ones last.
      const lines = new Map<string, Array<(typeof shares)[number]>>()
      for (const share of [...shares.filter((one) => !isSlow(one)), ...shares.filter(isSlow)]) {
        const { organizationId } = share.partition
        const line = lines.get(organizationId)
        if (line === undefined) lines.set(organizationId, [share])
        else line.push(share)
      }
      let left = most
      // Each share counts as begun while the others are worked out, and is taken back afterwards.
      while (left > 0 && lines.size > 0) {
        for (const [organizationId, line] of lines) {
          if (left === 0) break
          const share = line.shift()
          if (share === undefined) lines.delete(organizationId)
          else if (free(share.partition) > 0) {
            add(share.partition, 1, isSlow(share), now)
            share.count += 1
            left -= 1
            line.push(share)
          }
        }
      }
      for (const share of shares) {
        for (let one = 0; one < share.count; one++) add(share.partition, -1, isSlow(share), now)
      }
      return shares.filter(({ count }) => count > 0)
    },
    begin: (partition, now) => add(partition, 1, slowIds.has(partition.partitionId), now),
    end: (partition, millis, now) => {
      const of = organizations.get(partition.organizationId)?.partitions.get(partition.partitionId)
      // Deliveries of one endpoint are not distinguished: those that count as slow end first.
      if (of !== undefined) of.endedAt = now
      add(partition, -1, (of?.slow ?? 0) > 0, now)
      if (millis >= SLOW) slowIds.add(partition.partitionId)
      else slowIds.delete(partition.partitionId)
    },
    markSlow: (now) => {
      for (const of of organizations.values()) {
        for (const [partitionId, usage] of of.partitions) {
          if (now - usage.endedAt < SLOW || usage.slow === usage.underWay) continue
          const more = usage.underWay - usage.slow
          usage.slow += more
          of.slow += more
          slow += more
          slowIds.add(partitionId)
        }
      }
    }
  }
}
