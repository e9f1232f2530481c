/**
 * Actions on all subscriptions of an organization that a filter takes (rule W15): which ones these
 * are, what would be done, and doing it.
 *
 * They are taken in batches, in the order of their creation. Batches of all requests take turns by
 * organization, one in a process, so that others wait for one batch, however many subscriptions are
 * taken. Each subscription is acted on as by a request about it alone, with its own commit and
 * audit entry. Whoever asks for the same again goes on where the first time ended: what is done
 * already stays as it is.
 */
import { Context, Effect, Layer, Option, Stream } from "effect"
import * as BulkAction from "../../domain/BulkAction.ts"
import * as Refusal from "../../domain/Refusal.ts"
import * as SimSearch from "../../domain/SimSearch.ts"
import type { SubscriptionWithSim } from "../../domain/Subscription.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type CreatedCursor, type Keyset, Storage, StorageError } from "../../ports/Storage.ts"
import * as FairSlots from "../FairSlots.ts"
import * as Paging from "../Paging.ts"
import * as RequestContext from "../RequestContext.ts"
import { Attachments } from "./Attachments.ts"
import { Pauses } from "./Pauses.ts"
import { Subscriptions } from "./Subscriptions.ts"

/** Acts on many subscriptions at once, and lists those that it would act on. */
export class BulkActions extends Context.Service<
  BulkActions,
  {
    /**
     * The subscriptions that a filter takes, oldest first. A page may be short while others follow
     * (rule W10).
     */
    readonly page: (
      of: Omit<BulkAction.Request, "action"> & Keyset<CreatedCursor>
    ) => Effect.Effect<Paging.Page<SubscriptionWithSim, CreatedCursor>, StorageError>
    /** What `run` would do now (rule S9), counted as far as `BulkAction.MOST_COUNTED`. */
    readonly preview: (
      request: BulkAction.Request
    ) => Effect.Effect<BulkAction.Preview<BulkAction.SubscriptionResult>, Refusal.InvalidField | StorageError>
    /** Whether the filter takes more than so many now. */
    readonly takesMore: (
      request: BulkAction.Request,
      than: number
    ) => Effect.Effect<boolean, Refusal.InvalidField | StorageError>
    /**
     * Does it, and says what came of each, oldest first. One that is refused stops no other. It
     * ends with those that were there when it began. Memory does not grow with their number.
     */
    readonly run: (
      request: BulkAction.Request
    ) => Stream.Stream<BulkAction.SubscriptionResult, Refusal.InvalidField | StorageError>
  }
>()("simplan/BulkActions") {}

/** How many subscriptions are one batch, and how many of these are acted on at once. */
const BATCH = 50
const AT_ONCE = 10

/** How many subscriptions are read at once, at least, if only some of them are taken. */
const LEAST_READ = 100

/** In how many pages a preview counts, at most: some may be empty. */
const MOST_PAGES = 2_000

/** How many requests of one organization may wait for their turn, and how long, in ms. */
const MOST_WAITING = 64
const WAIT_LIMIT = 60_000

type Part = Effect.Effect<unknown, Refusal.Refusal | StorageError>

/**
 * What is to be done to one subscription, part by part, by the action; nothing if it is so
 * already.
 */
type Plans = { readonly [A in BulkAction.Action]: Effect.Effect<ReadonlyArray<Part>, Refusal.Refusal | StorageError> }

/** Null if it succeeds. */
const refusalOf = (part: Part): Effect.Effect<Refusal.Refusal | null, StorageError> =>
  part.pipe(
    Effect.as(null),
    Effect.catchIf(Refusal.isRefusal, (refusal) => Effect.succeed(refusal))
  )

const byCreation = ({ subscription }: SubscriptionWithSim): CreatedCursor => ({
  createdAt: subscription.createdAt,
  id: subscription.subscriptionId
})

type Needs = Storage | BusinessClock | Paging.FilteredLists | Attachments | Pauses | Subscriptions

/**
 * The implementation that `Services.layer` provides. It keeps nothing in memory but whose turn it
 * is.
 */
export const layer: Layer.Layer<BulkActions, never, Needs> = Layer.effect(
  BulkActions,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const lists = yield* Paging.FilteredLists
    const attachments = yield* Attachments
    const pauses = yield* Pauses
    const subscriptions = yield* Subscriptions
    const slots = FairSlots.make({ slots: 1, mostWaiting: MOST_WAITING })

    const inTurn = <A>(organizationId: string, batch: Effect.Effect<A, StorageError>) =>
      slots.run(
        { organizationId, isUrgent: true, waitLimitMillis: WAIT_LIMIT },
        batch,
        Effect.fail(new StorageError({ message: "Too many bulk actions are under way" }))
      )

    interface OfSubscription {
      readonly organizationId: string
      readonly iccid: string
      readonly subscriptionId: string
    }

    /**
     * The ids of the attachments of a plan that can be suspended; none if there is no live
     * subscription.
     */
    const suspendable = Effect.fnUntraced(function* (of: OfSubscription, planId: string) {
      const { iccid, organizationId, subscriptionId } = of
      const found = yield* storage.subscriptions.attachments({ organizationId, iccid, id: planId })
      if (found === null) return []
      yield* RequestContext.countAttachments(found.attachments)
      const now = yield* clock.now
      return BulkAction.ofPlan(found.attachments, { planId, subscriptionId }, now).map(
        ({ attachment }) => attachment.attachmentId
      )
    })

    const naming = ({ sim, subscription }: SubscriptionWithSim): OfSubscription => ({
      organizationId: sim.organizationId,
      iccid: sim.iccid,
      subscriptionId: subscription.subscriptionId
    })

    const page = ({ filter, organizationId, ...asked }: Omit<BulkAction.Request, "action"> & Keyset<CreatedCursor>) => {
      const { createdUntil, planId, ...others } = filter
      const taken = SimSearch.filterOf(others)
      if (taken === null) return Effect.succeed({ items: [], next: null })
      const isTaken = (one: SubscriptionWithSim) =>
        planId === null ? Effect.succeed(true) : Effect.map(suspendable(naming(one), planId), (ids) => ids.length > 0)
      const isLater = (createdAt: Instant) => createdUntil !== null && createdAt > createdUntil
      // What the storage does not filter is read in larger steps, of which more may be left over.
      const least = planId === null ? 0 : LEAST_READ
      return lists.page(
        { organizationId, ...asked },
        Effect.fnUntraced(function* (step: Keyset<CreatedCursor>) {
          const found = yield* storage.subscriptions.find({
            organizationId,
            ...taken,
            ...step,
            limit: Math.max(least, step.limit),
            ...Paging.searching(taken.status === "paused" ? taken.status : taken.search)
          })
          const candidates = found.items.filter((one) => BulkAction.takes(filter, one))
          const items = yield* Effect.filter(candidates, isTaken, { concurrency: AT_ONCE })
          const isOver = found.items.some(({ subscription }) => isLater(subscription.createdAt))
          return { items, rows: found.rows, next: isOver ? null : found.next }
        }),
        byCreation
      )
    }

    const pausing = (preview: typeof pauses.previewPause, carryOut: typeof pauses.pause) => (of: OfSubscription) =>
      Effect.map(preview(of), ({ isChanged }) => (isChanged ? [carryOut(of)] : []))

    /** What would be done to one subscription, or its refusal. */
    const plansOf = (of: OfSubscription, planId: string): Plans => ({
      pause: pausing(pauses.previewPause, pauses.pause)(of),
      resume: pausing(pauses.previewResume, pauses.resume)(of),
      suspend: Effect.map(suspendable(of, planId), (ids) =>
        ids.map((attachmentId) => attachments.suspend({ ...of, attachmentId }))
      ),
      delete: Effect.flatMap(subscriptions.previewRemove(of), ({ refusal }) =>
        refusal === null ? Effect.succeed([subscriptions.remove({ ...of, waits: false })]) : Effect.fail(refusal)
      )
    })

    const actOn = (
      { action, filter }: BulkAction.Request,
      isPreview: boolean,
      one: SubscriptionWithSim
    ): Effect.Effect<BulkAction.SubscriptionResult, StorageError> => {
      const { iccid, subscriptionId } = naming(one)
      return plansOf(naming(one), filter.planId ?? "")[action].pipe(
        Effect.flatMap((parts) => Effect.forEach(isPreview ? parts.map(() => Effect.void) : parts, refusalOf)),
        Effect.catchIf(Refusal.isRefusal, (refusal) => Effect.succeed([refusal])),
        Effect.map((parts) => ({ iccid, subscriptionId, ...BulkAction.ofParts(parts) }))
      )
    }

    /** Takes the next batch. `isPreview`: nothing is done. */
    const take = (request: BulkAction.Request, isPreview: boolean, after: CreatedCursor | null) => {
      const { filter, organizationId } = request
      // Read in its turn: what waited for one would be about subscriptions as they were.
      return inTurn(
        organizationId,
        Effect.gen(function* () {
          const { items, next } = yield* page({ organizationId, filter, after, limit: BATCH })
          const results = yield* Effect.forEach(items, (item) => actOn(request, isPreview, item), {
            concurrency: AT_ONCE
          })
          return { results, next }
        })
      )
    }

    /** The request for those that are there now. */
    const bounded = Effect.fnUntraced(function* (request: BulkAction.Request) {
      yield* Effect.fromResult(BulkAction.check(request))
      const createdUntil = request.filter.createdUntil ?? (yield* clock.now)
      return { ...request, filter: { ...request.filter, createdUntil } }
    })

    return BulkActions.of({
      page: Effect.fn("BulkActions.page")(page),
      takesMore: Effect.fn("BulkActions.takesMore")(function* (asked, than) {
        const { filter, organizationId } = yield* bounded(asked)
        const taken = Paging.streamPages((after: CreatedCursor | null) =>
          page({ organizationId, filter, after, limit: than + 1 })
        )
        return (yield* Stream.runCount(Stream.take(taken, than + 1))) > than
      }),
      preview: Effect.fn("BulkActions.preview")(function* (asked) {
        const request = yield* bounded(asked)
        let counts: BulkAction.Counts<BulkAction.SubscriptionResult> = BulkAction.noCounts
        let after: CreatedCursor | null = null
        let pages = 0
        do {
          const taken: Effect.Success<ReturnType<typeof take>> = yield* take(request, true, after)
          counts = BulkAction.counted(counts, taken.results)
          after = taken.next
          pages += 1
        } while (after !== null && pages < MOST_PAGES && BulkAction.total(counts) < BulkAction.MOST_COUNTED)
        return { ...counts, isWhole: after === null, createdUntil: request.filter.createdUntil }
      }),
      run: (asked) =>
        Stream.unwrap(
          Effect.map(bounded(asked), (request) =>
            Stream.paginate<CreatedCursor | null, BulkAction.SubscriptionResult, StorageError>(null, (after) =>
              Effect.map(take(request, false, after), ({ next, results }) => [
                results,
                next === null ? Option.none() : Option.some(next)
              ])
            )
          )
        )
    })
  })
)
