/**
 * Job slots: whose jobs this process begins next, by the turns of `FairTurns` (rule W13). So one organization whose jobs
 * hang takes all but an eighth of the slots, and one that holds more than others gets none while theirs are due.
 *
 * What waits is in the storage: nothing is claimed that may not begin.
 */
import type { Partition } from "../../ports/Jobs.ts"
import * as FairTurns from "../fair/FairTurns.ts"
import type { Shared } from "./FairClaims.ts"

type Owned = Pick<Partition, "organizationId">

export interface JobSlots extends Shared {
  /** The job has been claimed. */
  readonly begin: (job: Owned) => void
  readonly end: (job: Owned) => void
}

/** `slots` in all. */
export const make = (slots: number): JobSlots => {
  const turns = FairTurns.make({ slots, mostWaiting: 0 })
  return {
    open: turns.open,
    hasFreeSlot: ({ organizationId }) => turns.mayBegin(organizationId),
    shares: (partitions, most) => {
      const shares = partitions.map((partition) => ({ partition, count: 0 }))
      // Each counts as begun while the others are worked out, and is given back afterwards.
      for (let given = 0; given < most; given++) {
        const next = FairTurns.fewest(shares, ({ partition }) => turns.held(partition.organizationId))
        if (next === undefined || !turns.tryBegin(next.partition.organizationId)) break
        next.count += 1
      }
      for (const { count, partition } of shares) {
        for (let one = 0; one < count; one++) turns.end(partition.organizationId)
      }
      return shares.filter(({ count }) => count > 0)
    },
    begin: ({ organizationId }) => turns.begin(organizationId),
    end: ({ organizationId }) => turns.end(organizationId)
  }
}
