/**
 * The history of a SIM in one order (rule L3): changes, events with the attempts to deliver them,
 * what the telco and the SM-DP+ have reported, packages, work that waits, and problems.
 */
import { Context, Effect, Layer } from "effect"
import type { DeliveryAttempts } from "../../domain/Delivery.ts"
import type { Job } from "../../domain/Job.ts"
import { NotFound } from "../../domain/Refusal.ts"
import type { Sim } from "../../domain/Sim.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import * as SimHistory from "../../domain/SimHistory.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type CreatedCursor, Storage, type StorageError } from "../../ports/Storage.ts"
import * as Paging from "../Paging.ts"
import * as RequestContext from "../RequestContext.ts"
import { makeStays } from "../Stays.ts"

/** Reads histories. */
export class History extends Context.Service<
  History,
  {
    /**
     * Of a SIM, newest first. With `acrossSims`: of the subscription that the SIM has, or that has
     * left it last, over all SIMs that it was on (rule S8): SIM by SIM, newest first, and on each
     * newest first. A page may be short while others follow (rule W10). `NotFound`: the
     * organization has no such SIM.
     */
    readonly page: (of: {
      readonly organizationId: string
      readonly iccid: string
      readonly acrossSims?: boolean | undefined
      readonly after: CreatedCursor | null
      readonly limit: number
    }) => Effect.Effect<Paging.Page<SimHistory.Located, CreatedCursor>, NotFound | StorageError>
  }
>()("simplan/History") {}

interface OfSim {
  readonly organizationId: string
  readonly iccid: string
}

/** What of a SIM is read. */
interface Part extends SimHistory.Window {
  readonly sim: Sim
  /** The SIM that has the packages, and from when on and until when they count; null: all. */
  readonly packagesOf: string
  readonly leftAt: Instant | null
}

/** How many SIMs are read for a page at most. */
const STAYS = 10

/** How many endpoints are named, and of how many deliveries attempts are read at once. */
const ENDPOINTS = 100
const TRIED = 100

/** How many jobs of a SIM that wait or are problems are read at once. */
const JOBS = 1_000

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<History, never, Storage | BusinessClock | Paging.FilteredLists> = Layer.effect(
  History,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const lists = yield* Paging.FilteredLists
    const staysOf = yield* makeStays

    /** All jobs of a SIM that wait or are problems: few, but after a long outage. */
    const jobsOf = Effect.fnUntraced(function* (of: OfSim) {
      const jobs: Array<Job> = []
      let page: ReadonlyArray<Job>
      do {
        const last = jobs.at(-1)
        const after: CreatedCursor | null = last === undefined ? null : { createdAt: last.createdAt, id: last.jobId }
        page = yield* storage.jobs.ofSim({ ...of, after, limit: JOBS })
        jobs.push(...page)
      } while (page.length === JOBS)
      return jobs
    })

    /** What is read whole, since it is all of one SIM. */
    const ofSim = Effect.fnUntraced(function* (of: OfSim, part: Part, after: CreatedCursor | null) {
      const { leftAt, packagesOf, since, sim } = part
      const jobs = yield* jobsOf(of)
      const reports = yield* storage.sims.smdpHistory(of)
      const named = { ...of, iccid: packagesOf }
      const { attachments } = (yield* storage.subscriptions.attachments(named)) ?? { attachments: [] }
      yield* RequestContext.countAttachments(attachments)
      yield* RequestContext.countRows(reports.length + jobs.length)
      const now = yield* clock.now
      const packages = SimHistory.ofPackages(SimAggregate.confirmed({ attachments }), after, now)
      return [
        SimHistory.during(packages, since, leftAt),
        ...[
          SimHistory.ofProfile(reports, after),
          SimHistory.ofNetworks(sim.location, after),
          SimHistory.ofJobs(jobs, after),
          SimHistory.ofProblems(jobs, after)
        ].map((read) => SimHistory.within(read, part))
      ]
    })

    const changes = Effect.fnUntraced(function* (
      { iccid, organizationId }: OfSim,
      after: CreatedCursor | null,
      limit: number
    ) {
      const query = { from: null, to: null, actor: null, action: null, resourceId: iccid }
      const { items, next } = yield* lists.page(
        { organizationId, after: SimHistory.after("Change", after), limit },
        (step) => storage.auditEntries.page({ organizationId, ...query, ...step }),
        ({ createdAt, entryId }) => ({ createdAt, id: entryId })
      )
      const facts = items.map((entry) => [entry.createdAt, entry.entryId, { _tag: "Change", entry }] as const)
      return SimHistory.read("Change", facts, next)
    })

    const events = Effect.fnUntraced(function* (
      { iccid, organizationId }: OfSim,
      after: CreatedCursor | null,
      limit: number
    ) {
      const readAfter = (position: CreatedCursor | null) =>
        lists.page(
          { organizationId, after: position, limit },
          (step) => storage.deliveries.page({ organizationId, iccid, ...step }),
          ({ delivery }) => ({ createdAt: delivery.createdAt, id: delivery.deliveryId })
        )
      let { items, next } = yield* readAfter(SimHistory.after("Event", after))
      // The deliveries of an event stand together, and are read as far as the last one.
      while (SimHistory.isCut(items, next)) {
        const more: Effect.Success<ReturnType<typeof readAfter>> = yield* readAfter(next)
        items = [...items, ...more.items]
        next = more.next
      }
      return SimHistory.ofEvents(items, next)
    })

    const usage = Effect.fnUntraced(function* (of: OfSim, after: CreatedCursor | null, limit: number) {
      const entries = yield* storage.usage.latest({ ...of, before: SimHistory.usageBefore(after), limit })
      yield* RequestContext.countRows(entries.length)
      return SimHistory.ofUsage(entries, limit)
    })

    /**
     * Attempts are read of the deliveries that the page has, however many others were read for it,
     * and the endpoints once for all of them.
     */
    const withAttempts = Effect.fnUntraced(function* (organizationId: string, page: SimHistory.Page) {
      if (!SimHistory.hasEvents(page)) return page
      const endpoints = yield* storage.webhookEndpoints.page({ organizationId, after: null, limit: ENDPOINTS })
      const tried = SimHistory.tried(page)
      const attempts: Array<DeliveryAttempts> = []
      for (let from = 0; from < tried.length; from += TRIED) {
        const deliveryIds = tried.slice(from, from + TRIED)
        attempts.push(...(yield* storage.deliveries.lastAttempts({ organizationId, deliveryIds })))
      }
      return SimHistory.withAttempts(page, attempts, endpoints)
    })

    const pageOf = Effect.fnUntraced(function* (part: Part, after: CreatedCursor | null, limit: number) {
      const { iccid, organizationId } = part.sim
      const named = { organizationId, iccid }
      const from = after ?? SimHistory.startOf(part)
      const whole = yield* ofSim(named, part, from)
      const paged = [
        yield* changes(named, from, limit),
        yield* events(named, from, limit),
        yield* usage(named, from, limit)
      ].map((read) => SimHistory.within(read, part))
      const page = yield* withAttempts(organizationId, SimHistory.merged([...whole, ...paged], limit))
      return { ...page, items: page.items.map((entry) => ({ ...entry, iccid })) }
    })

    /** The SIMs of a subscription, newest first; if it has not moved, its SIM since it began. */
    const partsOf = Effect.fnUntraced(function* (sim: Sim) {
      const stays = yield* staysOf(sim)
      const [newest, ...others] = stays
      if (newest === undefined) {
        const { createdAt: since = null } = (yield* storage.subscriptions.get(sim))?.subscription ?? {}
        return [{ sim, since, until: null, leftAt: null, packagesOf: sim.iccid, number: 0 }]
      }
      return [newest, ...others].map((stay) => ({ ...stay, packagesOf: newest.iccid }))
    })

    /** Of a stay, and if that fits of those before it. */
    const across = Effect.fnUntraced(function* (sim: Sim, after: CreatedCursor | null, limit: number) {
      const asked = after === null ? null : SimHistory.acrossPosition(after)
      const parts = (yield* partsOf(sim)).filter(({ number }) => asked === null || number <= asked.stay)
      const items: Array<SimHistory.Located> = []
      for (const [index, part] of parts.entries()) {
        const { number } = part
        if (items.length >= limit || index >= STAYS) {
          return { items, next: SimHistory.acrossCursor({ stay: number, position: null }) }
        }
        const position = asked?.stay === number ? asked.position : null
        const page = yield* pageOf(part, position, limit - items.length)
        items.push(...page.items)
        if (page.next !== null) return { items, next: SimHistory.acrossCursor({ stay: number, position: page.next }) }
      }
      return { items, next: null }
    })

    return History.of({
      page: Effect.fn("History.page")(function* ({ acrossSims = false, after, iccid, limit, organizationId }) {
        const sim = yield* storage.sims.get({ organizationId, iccid })
        if (sim === null) return yield* new NotFound({ resource: "sim", id: iccid })
        if (acrossSims) return yield* across(sim, after, limit)
        return yield* pageOf({ sim, since: null, until: null, leftAt: null, packagesOf: iccid }, after, limit)
      })
    })
  })
)
