/**
 * The turns of the reads that may cost much (rule W13): what goes over all of an organization, over
 * a whole history, or counts what waits. `ReadCosts` says which.
 *
 * - An organization has one under way at a time, and a process three, so that those of one hold up
 *   no others' and the rest of the reads goes on beside them. One more waits for its turn for 5 s,
 *   then it is refused. Searches are short: they have turns of their own, two for an organization
 *   and three for a process, so that none waits for a report.
 * - One that has taken 10 s is stopped, by the storage's server if it has one (`Storage.Aside`),
 *   and refused.
 * - It holds none of the room that a request has for other reads, not while it waits either.
 * - The time that it took is charged to the request (`RequestContext`), also if it was stopped.
 *
 * What is due to a handler has no turn, since its loop would wait for the reads of others: it is
 * made aside alone.
 *
 * Inside a transaction of the host a read waits for nothing, and is not stopped: it is the host's.
 */
import { Duration, Effect, Layer } from "effect"
import * as AuditEntry from "../domain/AuditEntry.ts"
import * as Clocks from "../ports/Clocks.ts"
import { HostTransaction } from "../ports/HostTransaction.ts"
import { Jobs } from "../ports/Jobs.ts"
import { Outbox } from "../ports/Outbox.ts"
import { Aside, type Read, type RefusedRead, Storage, StorageError } from "../ports/Storage.ts"
import * as FairSlots from "./FairSlots.ts"
import * as RequestContext from "./RequestContext.ts"

/**
 * How many are under way in a process, and how many of these slots one organization alone leaves
 * free.
 */
const REPORTS = { slots: 3, kept: 2, mostWaiting: 64 }
const SEARCHES = { slots: 3, kept: 1, mostWaiting: 64 }

/** How long one waits for its turn, and how long it may take, in milliseconds. */
const WAIT_LIMIT = 5_000
export const LONGEST = 10_000

const sentences: Readonly<Record<RefusedRead, string>> = {
  own: "Too much is being read for this organization",
  others: "Reads take too long to begin another one",
  "too long": `The read was stopped, since it took longer than ${LONGEST / 1_000} s; ask for less at a time`
}

const refused = (refusedRead: RefusedRead) =>
  Effect.fail(new StorageError({ message: sentences[refusedRead], refusedRead }))

/** Makes a read of an organization, or of the service itself, in its turn. */
export type InTurn = <A>(organizationId: string | null | undefined, read: Read<A>) => Read<A>

/**
 * The read over a connection of its own, if the storage has any, its time charged and bounded.
 */
export const aside = <A>(read: Read<A>): Read<A> =>
  Effect.flatMap(Clocks.monotonicNow, (began) =>
    read.pipe(
      Effect.provideService(Aside, { atMost: LONGEST }),
      Effect.timeoutOrElse({ duration: Duration.millis(LONGEST), orElse: () => refused("too long") }),
      Effect.ensuring(Effect.flatMap(Clocks.monotonicNow, (ended) => RequestContext.countMillis(ended - began)))
    )
  )

const turns = (isInTransaction: Effect.Effect<boolean>, shared: FairSlots.Options): InTurn => {
  const slots = FairSlots.make(shared)
  return (of, read) => {
    const organizationId = of ?? AuditEntry.SERVICE
    const asking = { organizationId, isUrgent: true, waitLimitMillis: WAIT_LIMIT }
    const none = Effect.suspend(() => refused(slots.held(organizationId) > 0 ? "own" : "others"))
    const inTurn = Effect.andThen(RequestContext.leaveRoom, slots.run(asking, aside(read), none))
    return Effect.flatMap(isInTransaction, (isJoined) => (isJoined ? read : inTurn))
  }
}

interface Named {
  readonly organizationId?: string | null | undefined
}

interface Searching extends Named {
  readonly search: unknown
}

/** A storage whose heavy reads take turns. */
const bounded = (storage: Storage["Service"], inTurn: InTurn, inSearch: InTurn): Storage["Service"] => {
  const ofNamed =
    <Query extends Named, A>(read: (query: Query) => Read<A>) =>
    (query: Query): Read<A> =>
      inTurn(query.organizationId, read(query))
  // With other filters alone a list is one cheap scan. A search goes over many indexes, also if it
  // finds nothing.
  const ofSearch =
    <Query extends Searching, A>(read: (query: Query) => Read<A>) =>
    (query: Query): Read<A> =>
      query.search === null ? read(query) : inSearch(query.organizationId, read(query))
  const ofService =
    <Query, A>(read: (query: Query) => Read<A>) =>
    (query: Query): Read<A> =>
      inTurn(null, read(query))
  const {
    deliveries,
    eventHandlers,
    jobs,
    ledger,
    overview,
    plans,
    problems,
    regions,
    sims,
    subscriptions,
    usage,
    webhookEndpoints
  } = storage
  return {
    ...storage,
    deliveries: { ...deliveries, waitingCounts: inTurn(null, deliveries.waitingCounts) },
    eventHandlers: { ...eventHandlers, failed: ofService(eventHandlers.failed) },
    jobs: { ...jobs, ofSim: ofNamed(jobs.ofSim) },
    ledger: { ...ledger, totals: (query) => inTurn(query.organizationId, ledger.totals(query)) },
    overview: {
      waitingJobs: ofNamed(overview.waitingJobs),
      failingEndpoints: ofNamed(overview.failingEndpoints),
      stocks: ofNamed(overview.stocks),
      loads: inTurn(null, overview.loads),
      database: inTurn(null, overview.database)
    },
    plans: { ...plans, uses: inTurn(null, plans.uses) },
    problems: { page: ofNamed(problems.page), count: inTurn(null, problems.count) },
    regions: { ...regions, find: ofService(regions.find) },
    sims: {
      ...sims,
      find: ofSearch(sims.find),
      search: (query) => inSearch(query.organizationId, sims.search(query)),
      stock: ofService(sims.stock),
      counts: ofNamed(sims.counts),
      countFree: ofNamed(sims.countFree),
      smdpHistory: ofNamed(sims.smdpHistory)
    },
    subscriptions: { ...subscriptions, find: ofSearch(subscriptions.find) },
    usage: {
      entries: ofNamed(usage.entries),
      latest: ofNamed(usage.latest),
      bookings: ofNamed(usage.bookings),
      totals: ofNamed(usage.totals),
      sims: ofNamed(usage.sims)
    },
    webhookEndpoints: {
      ...webhookEndpoints,
      failingSince: ofNamed(webhookEndpoints.failingSince),
      failing: inTurn(null, webhookEndpoints.failing)
    }
  }
}

/** The ports with their heavy reads in turns. All users of one layer take the same turns. */
export const layer: Layer.Layer<Storage | Jobs | Outbox, never, Storage | Jobs | Outbox> = Layer.unwrap(
  Effect.gen(function* () {
    const isInTransaction = yield* HostTransaction
    const inTurn = turns(isInTransaction, REPORTS)
    const storage = bounded(yield* Storage, inTurn, turns(isInTransaction, SEARCHES))
    const [jobs, outbox] = [yield* Jobs, yield* Outbox]
    return Layer.mergeAll(
      Layer.succeed(Storage, storage),
      Layer.succeed(Jobs, { ...jobs, backlog: (at) => inTurn(null, jobs.backlog(at)) }),
      Layer.succeed(Outbox, {
        ...outbox,
        backlog: (at) => inTurn(null, outbox.backlog(at)),
        pendingForHandler: (at) => aside(outbox.pendingForHandler(at))
      })
    )
  })
)
