/**
 * What one case of the storage suite works in: an organization, ids and a stretch of time that no
 * other case has.
 *
 * Jobs and deliveries are claimed across organizations, by due time. Each case therefore lives a
 * year before the one ahead of it in the suite, so that what a failed case left behind is never
 * due, and its machine's clock is a day later, so that the leases left behind are over. What a case
 * commonly does in it is here too: it stocks SIMs, changes their aggregates by the rows that are to
 * be written, and puts, claims and finishes work.
 */
import { Effect, type Scope } from "effect"
import { uuid7 } from "../../../domain/Id.ts"
import type { Job } from "../../../domain/Job.ts"
import type { Attachment } from "../../../domain/Attachment.ts"
import type { Package } from "../../../domain/Package.ts"
import * as Sims from "../../../domain/Sim.ts"
import type { Sim } from "../../../domain/Sim.ts"
import type { SimAggregate } from "../../../domain/SimAggregate.ts"
import type { SimChange } from "../../../domain/SimDifference.ts"
import type { Subscription } from "../../../domain/Subscription.ts"
import type { Organization } from "../../../domain/Organization.ts"
import { DAY, HOUR, type Instant, MINUTE } from "../../../domain/Time.ts"
import { type Claim, Jobs, type Partition, type PartitionQuery, type Partitions } from "../../../ports/Jobs.ts"
import { Outbox } from "../../../ports/Outbox.ts"
import { type Commit, type Conflict, type Filtered, type NewSim, Storage } from "../../../ports/Storage.ts"
import * as Suite from "../../Suite.ts"

export interface World {
  readonly storage: Storage["Service"]
  readonly jobs: Jobs["Service"]
  readonly outbox: Outbox["Service"]
  readonly organizationId: string
  /** Business time; the case has half a year on either side. */
  readonly now: Instant
  /** Machine time; the case has a day. */
  readonly machineNow: Instant
  /** A whole number from 0 to below `bound`. */
  readonly random: (bound: number) => number
  readonly id: () => string
  readonly iccid: () => string
}

/** A case that is given its world. */
export interface Scenario {
  readonly name: string
  readonly body: (world: World) => Effect.Effect<void, unknown>
}

/** A case by its name, and by what it does in its world. */
export const scenario = (
  name: string,
  body: (world: World) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void>
): Scenario => ({ name, body: Effect.fnUntraced(body, Effect.scoped) })

const FIRST_YEAR = 2600
const FIRST_MACHINE_DAY: Instant = Date.UTC(2030, 0, 1)

// mulberry32
const generator = (seed: number): ((bound: number) => number) => {
  let state = seed >>> 0
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }
}

const hash = (text: string): number =>
  [...text].reduce((sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193), 0x811c9dc5)

/** The same world with ids and random numbers of its own, which are the same for the same text. */
export const seeded = (world: World, text: string): World => {
  const random = generator(hash(`${world.organizationId} ${text}`))
  return { ...world, ...sources(world.now, random) }
}

const sources = (now: Instant, random: World["random"]): Pick<World, "random" | "id" | "iccid"> => ({
  random,
  id: () =>
    uuid7(
      now,
      Uint8Array.from({ length: 10 }, () => random(256))
    ),
  iccid: () => `89${Array.from({ length: 17 }, () => random(10)).join("")}`
})

/** The world of the case at a place in the suite. */
export const make = (place: number, name: string, seed: number) =>
  Effect.gen(function* () {
    const now = Date.UTC(FIRST_YEAR - place, 0, 1)
    const made = sources(now, generator(hash(`${seed} ${place} ${name}`)))
    const world: World = {
      ...made,
      storage: yield* Storage,
      jobs: yield* Jobs,
      outbox: yield* Outbox,
      organizationId: made.id(),
      now,
      machineNow: FIRST_MACHINE_DAY + place * DAY
    }
    yield* world.storage.commit({ organizations: [organization(world)] })
    return world
  })

/** The world's organization. */
export const organization = (world: World): Organization => ({
  organizationId: world.organizationId,
  name: "Conformance",
  createdAt: world.now
})

/** The organization to ask about. */
export const of = ({ organizationId }: World): { readonly organizationId: string } => ({ organizationId })

/** The same world seen by a second, new organization. */
export const neighbour = (world: World) => {
  const other = { ...world, organizationId: world.id() }
  return Effect.as(world.storage.commit({ organizations: [organization(other)] }), other)
}

/** The rows that a read with a filter took. */
export const items = <A, Cursor, E>(read: Effect.Effect<Filtered<A, Cursor>, E>): Effect.Effect<ReadonlyArray<A>, E> =>
  Effect.map(read, (found) => found.items)

/** Expects a commit to conflict; on what, if that is known. */
export const conflicts = (world: World, what: string, commit: Commit, on?: Conflict["on"]) =>
  Effect.flatMap(Suite.failsWith(what, "Conflict", world.storage.commit(commit)), (conflict) =>
    on === undefined ? Effect.void : Suite.equals(`${what}: the conflict is on`, conflict.on, on)
  )

/** The aggregate of an ICCID that is there. */
export const aggregate = (world: World, iccid: string) =>
  Effect.flatMap(world.storage.simAggregates.get({ organizationId: world.organizationId, iccid }), (found) =>
    given(`aggregate of ${iccid}`, found)
  )

/** A free eSIM to be imported. */
export const newSim = (world: World, changes: Partial<NewSim> = {}): NewSim => ({
  ...Sims.imported({
    ...Sims.leftOut,
    organizationId: world.organizationId,
    simId: world.id(),
    iccid: world.iccid(),
    label: "Green",
    isEsim: true,
    lpa: "LPA:1$smdp.example$K2-1A2B3C",
    createdAt: world.now
  }),
  ...changes
})

export const newSims = (world: World, count: number, changes: Partial<NewSim> = {}): ReadonlyArray<NewSim> =>
  Array.from({ length: count }, () => newSim(world, changes))

/** Imports SIMs and gives them as they are stored. */
export const stock = (world: World, sims: ReadonlyArray<NewSim>) =>
  Effect.andThen(
    world.storage.sims.import(sims),
    Effect.forEach(sims, ({ iccid }) => Effect.map(aggregate(world, iccid), ({ sim }) => sim))
  )

/** Imports one SIM and gives it as it is stored. */
export const stockOne = (world: World, changes: Partial<NewSim> = {}) => {
  const sim = newSim(world, changes)
  return Effect.andThen(
    world.storage.sims.import([sim]),
    Effect.map(aggregate(world, sim.iccid), (found) => found.sim)
  )
}

/** Commits rows of a SIM, as a use case does that has just loaded it. */
export const write = (world: World, { iccid }: { readonly iccid: string }, written: Written, more: Commit = {}) =>
  Effect.flatMap(aggregate(world, iccid), (loaded) =>
    world.storage.commit({ ...more, sims: [change(loaded, written)] })
  )

/** The log of deliveries, the newest first. */
export const deliveryLog = (world: World) =>
  items(world.storage.deliveries.page({ ...of(world), after: null, limit: 1_000 }))

/** All partitions that have due work, page by page, in the order of their ids. */
export const partitions = (
  world: World,
  read: (at: PartitionQuery) => Effect.Effect<Partitions, unknown>,
  limit: number,
  after = ""
): Effect.Effect<ReadonlyArray<Partition>, unknown> =>
  Effect.flatMap(read({ now: world.now, machineNow: world.machineNow, after, limit }), ({ partitions: found, next }) =>
    next === null
      ? Effect.succeed(found)
      : Effect.map(partitions(world, read, limit, next), (following) => [...found, ...following])
  )

/** A value that the case cannot go on without. */
export const given = <A>(what: string, value: A | null | undefined): Effect.Effect<A, Suite.CaseFailed> =>
  value === null || value === undefined
    ? Effect.fail(new Suite.CaseFailed({ message: `There is no ${what}` }))
    : Effect.succeed(value)

/** Puts jobs without a lease. */
export const putJobs = (world: World, jobs: ReadonlyArray<Job>) =>
  world.storage.commit({ jobs: { put: jobs.map((job) => ({ job, lease: null })) } })

/** The ids of jobs, in their order. */
export const jobIds = (jobs: ReadonlyArray<Job>): ReadonlyArray<string> => jobs.map(({ jobId }) => jobId)

/** A claim of due work, at the world's time if nothing else is said. */
export const claim = (world: World, changes: Partial<Claim> = {}): Claim => ({
  now: world.now,
  machineNow: world.machineNow,
  until: (changes.machineNow ?? world.machineNow) + MINUTE,
  token: world.id(),
  limit: 100,
  ...changes
})

/**
 * Takes work until there is none, as one of several workers; fails if there is more than there
 * can be, so that a storage that hands out the same work for ever ends the case.
 */
export const takeAll = <A>(
  most: number,
  take: Effect.Effect<ReadonlyArray<A>, unknown>,
  taken: ReadonlyArray<A> = []
): Effect.Effect<ReadonlyArray<A>, unknown> =>
  Effect.flatMap(take, (more) => {
    const all = [...taken, ...more]
    if (more.length === 0) return Effect.succeed(all)
    return all.length > most
      ? Effect.fail(new Suite.CaseFailed({ message: `More than ${most} pieces of work were handed out` }))
      : takeAll(most, take, all)
  })

/** Ends all jobs and deliveries that are due within half a year, so that none stays behind. */
export const finishAll = (world: World) =>
  Effect.gen(function* () {
    const all = claim(world, { now: world.now + 180 * DAY, machineNow: world.machineNow + 23 * HOUR })
    const jobs = yield* world.jobs.claim(all)
    const deliveries = yield* world.outbox.claim(all)
    yield* world.storage.commit({
      jobs: { finished: jobs.map(({ jobId, organizationId }) => ({ organizationId, jobId, token: all.token })) },
      deliveries: {
        settled: deliveries.map(({ delivery }) => ({
          delivery: { ...delivery, status: "Delivered", nextAttemptAt: null },
          token: all.token
        }))
      }
    })
  })

/** A change of a whole aggregate. */
export interface Change {
  readonly loaded: SimAggregate
  readonly next: SimAggregate
}

/**
 * Rows that replace those with their keys. A subscription that is null is removed, with its
 * attachments.
 */
export interface Written {
  readonly sim?: Partial<Sim>
  readonly subscription?: Subscription | null
  readonly attachments?: ReadonlyArray<Attachment>
  readonly packages?: ReadonlyArray<Package>
  readonly removedAttachments?: ReadonlyArray<string>
}

/** The aggregate of a SIM that nothing hangs on. */
export const alone = (sim: Sim): SimAggregate => ({ sim, subscription: null, attachments: [] })

/** The change of a SIM alone. */
export const simChange = (sim: Sim, changes: Partial<Sim> = {}): SimChange => ({
  loaded: { sim },
  next: { sim: { ...sim, ...changes } }
})

/**
 * The change of a SIM that is put into service with this subscription, and with what else is
 * written.
 */
export const subscribe = (sim: Sim, subscription: Subscription, written: Written = {}): Change => {
  const allocation = { _tag: "InService", subscriptionId: subscription.subscriptionId } as const
  return change(alone(sim), { ...written, sim: { allocation, ...written.sim }, subscription })
}

/** The change of a loaded aggregate that writes these rows. */
export const change = (loaded: SimAggregate, written: Written): Change => {
  const { attachments = [], packages = [], removedAttachments = [], subscription = loaded.subscription } = written
  const replaced = new Map(attachments.map((attachment) => [attachment.attachmentId, attachment]))
  const kept = loaded.attachments
    .filter(({ attachment }) => !removedAttachments.includes(attachment.attachmentId))
    .map((of) => ({ ...of, attachment: replaced.get(of.attachment.attachmentId) ?? of.attachment }))
  const known = new Set(kept.map(({ attachment }) => attachment.attachmentId))
  const added = attachments
    .filter(({ attachmentId }) => !known.has(attachmentId))
    .map((attachment) => ({ attachment, packages: [] }))
  const all = subscription === null ? [] : [...kept, ...added]
  return {
    loaded,
    next: {
      sim: { ...loaded.sim, ...written.sim },
      subscription,
      attachments: all.map((of) => ({ ...of, packages: withPackages(of, packages) }))
    }
  }
}

const withPackages = (
  { attachment, packages }: SimAggregate["attachments"][number],
  written: ReadonlyArray<Package>
): ReadonlyArray<Package> => {
  const own = written.filter(({ attachmentId }) => attachmentId === attachment.attachmentId)
  return [...packages.filter((pack) => own.every(({ occurrence }) => occurrence !== pack.occurrence)), ...own]
}
