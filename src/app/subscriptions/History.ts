/**
 * The history of a SIM in one order (rule L3): changes, events with the attempts to deliver them,
 * what the telco and the SM-DP+ have reported, packages, work that waits, and problems.
 */
import { Context, Effect, Layer } from "effect"
import type { Job } from "../../domain/Job.ts"
import { NotFound } from "../../domain/Refusal.ts"
import type { Sim } from "../../domain/Sim.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import * as SimHistory from "../../domain/SimHistory.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type CreatedCursor, Storage, type StorageError } from "../../ports/Storage.ts"
import * as Paging from "../Paging.ts"
import * as RequestContext from "../RequestContext.ts"

/** Reads histories. */
export class History extends Context.Service<
  History,
  {
    /**
     * Newest first. A page may be short while others follow (rule W10). `NotFound`: the
     * organization has no such SIM.
     */
    readonly page: (of: {
      readonly organizationId: string
      readonly iccid: string
      readonly after: CreatedCursor | null
      readonly limit: number
    }) => Effect.Effect<SimHistory.Page, NotFound | StorageError>
  }
>()("simplan/History") {}

/** How many jobs of a SIM that wait or are problems are read at once. */
const JOBS = 1_000

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<History, never, Storage | BusinessClock | Paging.FilteredLists> = Layer.effect(
  History,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const lists = yield* Paging.FilteredLists

    /** All jobs of a SIM that wait or are problems: few, but after a long outage. */
    const jobsOf = Effect.fnUntraced(function* (of: { readonly organizationId: string; readonly iccid: string }) {
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
    const ofSim = Effect.fnUntraced(function* (
      of: { readonly organizationId: string; readonly iccid: string },
      { location }: Sim,
      after: CreatedCursor | null
    ) {
      const jobs = yield* jobsOf(of)
      const reports = yield* storage.sims.smdpHistory(of)
      const { attachments } = (yield* storage.subscriptions.attachments(of)) ?? { attachments: [] }
      yield* RequestContext.countAttachments(attachments)
      yield* RequestContext.countRows(reports.length + jobs.length)
      const now = yield* clock.now
      return [
        SimHistory.ofProfile(reports, after),
        SimHistory.ofPackages(SimAggregate.confirmed({ attachments }), after, now),
        SimHistory.ofNetworks(location, after),
        SimHistory.ofJobs(jobs, after),
        SimHistory.ofProblems(jobs, after)
      ]
    })

    const changes = Effect.fnUntraced(function* (
      { iccid, organizationId }: { readonly organizationId: string; readonly iccid: string },
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
      { iccid, organizationId }: { readonly organizationId: string; readonly iccid: string },
      after: CreatedCursor | null,
      limit: number
    ) {
      const { items, next } = yield* lists.page(
        { organizationId, after: SimHistory.after("Event", after), limit },
        (step) => storage.deliveries.page({ organizationId, iccid, ...step }),
        ({ delivery }) => ({ createdAt: delivery.createdAt, id: delivery.deliveryId })
      )
      const facts = items.map((logged) => {
        const { createdAt, deliveryId } = logged.delivery
        return [createdAt, deliveryId, { _tag: "Event", logged, attempts: [] }] as const
      })
      return SimHistory.read("Event", facts, next)
    })

    const usage = Effect.fnUntraced(function* (
      of: { readonly organizationId: string; readonly iccid: string },
      after: CreatedCursor | null,
      limit: number
    ) {
      const entries = yield* storage.usage.latest({ ...of, before: SimHistory.usageBefore(after), limit })
      yield* RequestContext.countRows(entries.length)
      return SimHistory.ofUsage(entries, limit)
    })

    /**
     * Attempts are read of the deliveries that the page has, however many others were read for it.
     */
    const withAttempts = Effect.fnUntraced(function* (organizationId: string, page: SimHistory.Page) {
      const deliveryIds = SimHistory.tried(page)
      if (deliveryIds.length === 0) return page
      return SimHistory.withAttempts(page, yield* storage.deliveries.lastAttempts({ organizationId, deliveryIds }))
    })

    return History.of({
      page: Effect.fn("History.page")(function* ({ after, iccid, limit, organizationId }) {
        const named = { organizationId, iccid }
        const sim = yield* storage.sims.get(named)
        if (sim === null) return yield* new NotFound({ resource: "sim", id: iccid })
        const whole = yield* ofSim(named, sim, after)
        const paged = [
          yield* changes(named, after, limit),
          yield* events(named, after, limit),
          yield* usage(named, after, limit)
        ]
        return yield* withAttempts(organizationId, SimHistory.merged([...whole, ...paged], limit))
      })
    })
  })
)
