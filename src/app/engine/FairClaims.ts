/**
 * What to claim next, so that the work of one organization does not delay that of others.
 *
 * As long as all due work can be claimed, it is claimed in due order. If there is more, or the
 * slots that are left are not for everybody, organizations take turns, and of one organization its
 * partitions (its jobs, an endpoint's deliveries): each claim takes about as much of each of them
 * (rule W13). Partitions are listed a page at a time, round after round, so that no listing holds
 * up another read, and one that has just come is found soon, however many there are.
 *
 * Work that is done leaves dead entries in the database's indexes for as long as any transaction
 * may still see them. So a claim goes on from the place that the last one has reached. Only now and
 * then, the more seldom the slower it is, a claim starts from the beginning: it finds work that was
 * put before that place, or whose lease has ended.
 */
import { Effect } from "effect"
import type { Instant } from "../../domain/Time.ts"
import type { Claim, Partition, Partitions, PartitionQuery, PendingQuery, Place, Share } from "../../ports/Jobs.ts"
import * as Clocks from "../../ports/Clocks.ts"
import * as FairSlots from "../FairSlots.ts"

/** The times and the token of one claim. */
export type ClaimTerms = Pick<Claim, "now" | "machineNow" | "until" | "token">

/** Slots that partitions share. */
export interface Shared {
  /** How many pieces of work may be begun whoever's they are. */
  readonly open: () => number
  /** Whether a piece of the partition's work may be begun now. */
  readonly hasFreeSlot: (partition: Partition) => boolean
  /**
   * How many more pieces of these partitions may be begun together, up to `most`; those with none
   * are left out.
   */
  readonly shares: (
    partitions: ReadonlyArray<Partition>,
    most: number,
    machineNow: Instant
  ) => ReadonlyArray<{ readonly partition: Partition; readonly count: number }>
}

export interface Source<A, E> extends Shared {
  readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<A>, E>
  readonly partitions: (at: PartitionQuery) => Effect.Effect<Partitions, E>
  readonly placeOf: (work: A) => Place & { readonly partitionId: string }
  /** The most that one claim takes: beginning a large batch delays what was begun before. */
  readonly batchSize: number
  /** Whether all goes in due order, whatever its partition. */
  readonly isStrict: boolean
}

export interface FairClaims<A, E> {
  /** Claims up to `limit` pieces of work that are due. */
  readonly next: (terms: ClaimTerms, limit: number) => Effect.Effect<ReadonlyArray<A>, E>
  /** There may be work due from this instant on, which may be before the place that was reached. */
  readonly notify: (dueAt: Instant) => void
  /** Some partition has more due work than free slots: from now on partitions take turns. */
  readonly takeTurns: () => void
  /** Whether there is due work, and none of its partitions has a free slot. */
  readonly isBlocked: () => boolean
  /** From where to search for what is due next. */
  readonly searchFrom: (at: Omit<PendingQuery, "from">) => PendingQuery
}

/** How often a claim starts from the beginning, in milliseconds. */
const FULL_SCAN = 1_000

/**
 * How often partitions are listed if one may have too much work, and if they take turns; in
 * milliseconds.
 */
const LISTING = 1_000
const LISTING_IN_TURNS = 25

/**
 * A scan is repeated after this many times as long as it and the one before took at least, or
 * later.
 */
const REST = 20

/**
 * The longest time from one page of partitions to the next, however long it took, in milliseconds.
 */
const LONGEST_REST = 250

/** How many partitions are read together: a few milliseconds of the database's time. */
const PAGE = 256

const isBefore = (left: Place, right: Place): boolean =>
  left.dueAt < right.dueAt || (left.dueAt === right.dueAt && left.id < right.id)

const timed = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const before = yield* Clocks.monotonicNow
    const value = yield* effect
    return { value, millis: (yield* Clocks.monotonicNow) - before }
  })

/**
 * How long to rest after a scan that took so many milliseconds. One scan alone that took long does
 * not count: the process stood still meanwhile, or its storage did.
 */
const makeRest = () => {
  let before = 0
  return (millis: number): number => {
    const shorter = Math.min(before, millis)
    before = millis
    return REST * shorter
  }
}

/**
 * The first of each organization, then the second of each, and so on; each organization's in their
 * order, `most` in all.
 */
export const byOrganization = <P extends Pick<Partition, "organizationId">>(
  partitions: Iterable<P>,
  most: number
): ReadonlyArray<P> => {
  const rounds: Array<Array<P>> = []
  const counts = new Map<string, number>()
  for (const partition of partitions) {
    const count = counts.get(partition.organizationId) ?? 0
    if (count === most) continue
    counts.set(partition.organizationId, count + 1)
    const round = rounds[count]
    if (round === undefined) rounds.push([partition])
    else round.push(partition)
  }
  return rounds.flat().slice(0, most)
}

export const make = <A, E>(source: Source<A, E>): FairClaims<A, E> => {
  let reached: Place | undefined
  let nextFullScan = Number.NEGATIVE_INFINITY
  let listedAt = Number.NEGATIVE_INFINITY
  let restAfterListing = 0
  // The partitions in the order of their turns; null while work is claimed in due order.
  let turns: ReadonlyArray<Partition> | null = null
  let mayNeedTurns = false
  const restOfScan = makeRest()
  const restOfListing = makeRest()

  // Where the next page of partitions begins, how many this round of pages has found, and whether a
  // whole round was made.
  let after = ""
  let foundInRound = 0
  let isComplete = false

  /**
   * Takes a page of partitions into the turns: those that are there keep their places, new ones
   * come last.
   */
  const listPage = Effect.fnUntraced(function* ({ machineNow, now }: ClaimTerms) {
    const from = after
    const { millis, value: page } = yield* timed(source.partitions({ now, machineNow, after, limit: PAGE }))
    mayNeedTurns = false
    const found = new Map(page.partitions.map((partition) => [partition.partitionId, partition]))
    const isListed = ({ partitionId }: Partition) =>
      partitionId > from && (page.next === null || partitionId <= page.next)
    const kept = (turns ?? []).flatMap((partition) => {
      const listed = found.get(partition.partitionId)
      found.delete(partition.partitionId)
      return listed ?? (isListed(partition) ? [] : partition)
    })
    turns = [...kept, ...found.values()]
    after = page.next ?? ""
    foundInRound += page.partitions.length
    restAfterListing = Math.min(LONGEST_REST, restOfListing(millis))
    listedAt = machineNow
    if (page.next !== null) return
    isComplete = true
    const [only] = turns
    const areFew = foundInRound <= 1
    foundInRound = 0
    if (!areFew || turns.length > 1) return
    if (only !== undefined && (source.open() === 0 || !source.hasFreeSlot(only))) return
    turns = null
    isComplete = false
  })

  const inTurns = Effect.fnUntraced(function* (partitions: ReadonlyArray<Partition>, terms: ClaimTerms, limit: number) {
    const able = partitions.filter(source.hasFreeSlot)
    const served = source.shares(byOrganization(able, limit), limit, terms.machineNow)
    if (served.length === 0) return []
    const shares = served.map(
      ({ count, partition: { first, organizationId, partitionId } }): Share => ({
        ...{ partitionId, organizationId },
        ...{ from: first, limit: count }
      })
    )
    const claimed = yield* source.claim({ ...terms, limit, shares })
    const taken = new Map<string, { count: number; last: Place }>()
    for (const work of claimed) {
      const { dueAt, id, partitionId } = source.placeOf(work)
      taken.set(partitionId, { count: (taken.get(partitionId)?.count ?? 0) + 1, last: { dueAt, id } })
    }
    const names = new Set(served.map(({ partition }) => partition.partitionId))
    const behind = served.flatMap(({ count, partition }) => {
      const share = taken.get(partition.partitionId)
      return share === undefined || share.count < count ? [] : [{ ...partition, first: share.last }]
    })
    turns = [...partitions.filter(({ partitionId }) => !names.has(partitionId)), ...behind]
    return claimed
  })

  const inOrder = Effect.fnUntraced(function* (terms: ClaimTerms, limit: number) {
    const from = source.isStrict || terms.machineNow >= nextFullScan ? undefined : reached
    const claim = { ...terms, limit, ...(from === undefined ? {} : { from }) }
    const { millis, value: claimed } = yield* timed(source.claim(claim))
    if (from === undefined) nextFullScan = terms.machineNow + Math.max(FULL_SCAN, restOfScan(millis))
    const last = claimed.at(-1)
    if (last !== undefined) {
      const { dueAt, id } = source.placeOf(last)
      const place = { dueAt, id }
      // A claim that found less than it asked for has seen all that is due.
      if (reached === undefined || claimed.length >= limit || isBefore(reached, place)) reached = place
    }
    if (claimed.length >= limit && !source.isStrict) mayNeedTurns = true
    return claimed
  })

  return {
    next: Effect.fnUntraced(function* (terms, most) {
      const limit = Math.min(most, source.batchSize)
      const open = Math.min(limit, source.open())
      const isInOrder = turns === null && open > 0
      const pause = Math.max(isInOrder ? LISTING : LISTING_IN_TURNS, restAfterListing)
      if ((mayNeedTurns || !isInOrder) && terms.machineNow >= listedAt + pause) yield* listPage(terms)
      if (turns !== null && turns.length > 0) return yield* inTurns(turns, terms, limit)
      if (turns !== null && isComplete) {
        turns = null
        isComplete = false
        nextFullScan = terms.machineNow
      }
      return open === 0 ? [] : yield* inOrder(terms, open)
    }),
    notify: (dueAt) => {
      const place = { dueAt, id: "" }
      if (reached !== undefined && isBefore(place, reached)) reached = Number.isFinite(dueAt) ? place : undefined
    },
    takeTurns: () => {
      mayNeedTurns = true
      listedAt = Number.NEGATIVE_INFINITY
    },
    isBlocked: () => turns !== null && turns.length > 0 && !turns.some(source.hasFreeSlot),
    searchFrom: (at) =>
      source.isStrict || reached === undefined || at.machineNow >= nextFullScan ? at : { ...at, from: reached }
  }
}

type Owned = Pick<Partition, "organizationId">

/** The slots of jobs. */
export interface JobSlots extends Shared {
  /** The job has been claimed. */
  readonly begin: (job: Owned) => void
  readonly end: (job: Owned) => void
}

/**
 * Whose jobs this process begins next, by the turns of `FairSlots` (rule W13); `slots` in all. So
 * one organization whose jobs hang takes all but an eighth of the slots, and one that holds more
 * than others gets none while theirs are due. What waits is in the storage: nothing is claimed that
 * may not begin.
 */
export const makeJobSlots = (slots: number): JobSlots => {
  const turns = FairSlots.make({ slots, mostWaiting: 0 })
  return {
    open: turns.open,
    hasFreeSlot: ({ organizationId }) => turns.mayTake(organizationId),
    shares: (partitions, most) => {
      const shares = partitions.map((partition) => ({ partition, count: 0 }))
      // Each counts as begun while the others are worked out, and is given back afterwards.
      for (let given = 0; given < most; given++) {
        const next = FairSlots.fewest(shares, ({ partition }) => turns.held(partition.organizationId))
        if (next === undefined || !turns.tryTake(next.partition.organizationId)) break
        next.count += 1
      }
      for (const { count, partition } of shares) {
        for (let one = 0; one < count; one++) turns.give(partition.organizationId)
      }
      return shares.filter(({ count }) => count > 0)
    },
    begin: ({ organizationId }) => turns.takeAnyway(organizationId),
    end: ({ organizationId }) => turns.give(organizationId)
  }
}
