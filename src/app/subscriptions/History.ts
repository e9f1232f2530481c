/**
 * The history of a SIM: changes, events, states of the profile, packages and problems in one order (rule L3).
 */
import { Context, Effect, Layer } from "effect"
import { NotFound } from "../../domain/Refusal.ts"
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
     * Newest first. A page may be short while others follow (rule W10). Problems are found among the first 1,000 of the
     * organization. `NotFound`: the organization has no such SIM.
     */
    readonly page: (of: {
      readonly organizationId: string
      readonly iccid: string
      readonly after: CreatedCursor | null
      readonly limit: number
    }) => Effect.Effect<SimHistory.Page, NotFound | StorageError>
  }
>()("simplan/History") {}

/** How many problems are looked at. */
const PROBLEMS = 1_000

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<History, never, Storage | BusinessClock | Paging.FilteredLists> = Layer.effect(
  History,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const lists = yield* Paging.FilteredLists

    /** What is read whole, since it is all of one SIM. */
    const ofSim = Effect.fnUntraced(function* (
      of: { readonly organizationId: string; readonly iccid: string },
      after: CreatedCursor | null
    ) {
      const reports = yield* storage.sims.smdpHistory(of)
      const { attachments } = (yield* storage.subscriptions.attachments(of)) ?? { attachments: [] }
      yield* RequestContext.countAttachments(attachments)
      yield* RequestContext.countRows(reports.length)
      const now = yield* clock.now
      return [
        SimHistory.ofProfile(reports, after),
        SimHistory.ofPackages(SimAggregate.confirmed({ attachments }), after, now)
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
        return [createdAt, deliveryId, { _tag: "Event", logged }] as const
      })
      return SimHistory.read("Event", facts, next)
    })

    const problems = Effect.fnUntraced(function* (
      { iccid, organizationId }: { readonly organizationId: string; readonly iccid: string },
      after: CreatedCursor | null
    ) {
      const found = yield* storage.problems.page({ organizationId, after: null, limit: PROBLEMS })
      yield* RequestContext.countRows(found.length)
      const own = found.filter(({ work }) => "iccid" in work && work.iccid === iccid)
      return SimHistory.ofProblems(own, after)
    })

    return History.of({
      page: Effect.fn("History.page")(function* ({ after, iccid, limit, organizationId }) {
        const of = { organizationId, iccid }
        if ((yield* storage.sims.get(of)) === null) return yield* new NotFound({ resource: "sim", id: iccid })
        const whole = yield* ofSim(of, after)
        const paged = [yield* changes(of, after, limit), yield* events(of, after, limit), yield* problems(of, after)]
        return SimHistory.merged([...whole, ...paged], limit)
      })
    })
  })
)
