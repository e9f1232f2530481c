/**
 * Subscriptions: putting SIMs into service and taking them out (rules S1 to S5).
 */
import { Context, Effect, Layer, Result, Stream } from "effect"
import * as Capabilities from "../../domain/Capabilities.ts"
import * as Deletion from "../../domain/Deletion.ts"
import { kinds } from "../../domain/Idempotency.ts"
import * as SimAggregates from "../../domain/SimAggregate.ts"
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import * as Location from "../../domain/Location.ts"
import type { LastOperator } from "../../domain/Location.ts"
import type { Plan } from "../../domain/Plan.ts"
import * as Preview from "../../domain/Preview.ts"
import * as Provisioning from "../../domain/Provisioning.ts"
import * as Purchase from "../../domain/Purchase.ts"
import {
  type EsimsIssuing,
  type InsideTransaction,
  type InvalidField,
  type NoBalance,
  NoFreeSim,
  NotFound,
  PackagesListed,
  type Refusing,
  type RequestInProgress,
  type SoldOut,
  type SpendingLimited,
  SimsReleasing,
  type TelcoRefused,
  type TelcoUnavailable
} from "../../domain/Refusal.ts"
import type { Sim } from "../../domain/Sim.ts"
import * as SimSearch from "../../domain/SimSearch.ts"
import * as SubscriptionRules from "../../domain/Subscription.ts"
import type { Created, SubscriptionWithSim } from "../../domain/Subscription.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import { type CreatedCursor, Storage, type StorageError } from "../../ports/Storage.ts"
import type { Telco } from "../../ports/Telco.ts"
import * as TelcoCapabilities from "../../ports/TelcoCapabilities.ts"
import { CachedPlans, type Existing } from "../plans/CachedPlans.ts"
import { Catalogues } from "../plans/Catalogues.ts"
import { Commits } from "../commit/Commits.ts"
import { CurrentCommand, makeRefuseInside } from "../commit/Served.ts"
import { Ids } from "../commit/Ids.ts"
import * as JobRunner from "../jobs/JobRunner.ts"
import * as RequestContext from "../RequestContext.ts"
import * as Metrics from "../Metrics.ts"
import * as Paging from "../Paging.ts"
import { Settings } from "../Settings.ts"
import * as OccupiedSims from "../telco/OccupiedSims.ts"
import type { SoldBundles } from "../telco/SoldBundles.ts"
import * as Purchases from "../sims/Purchases.ts"
import * as SimReservations from "../sims/SimReservations.ts"
import { type NotTaken, notTaken } from "../telco/TelcoCall.ts"
import { BackgroundTasks, type Leases } from "../jobs/Leases.ts"
import { makeEndProblems } from "./Attachments.ts"
import * as Pauses from "./Pauses.ts"

/** A plan to be attached to a SIM. */
export interface CreateRequest {
  /** The organization that owns it. */
  readonly organizationId: string
  /** An archived plan is refused (rule P2). */
  readonly planId: string
  /** The caller's text, up to 4,096 characters (rule W9); empty for none. */
  readonly metadata: string
  /** Null: a free eSIM of the plan's label. */
  readonly iccid: string | null
  /** Null: from the first use on (rule T3). */
  readonly activePeriod: { readonly start: Instant | null; readonly end: Instant | null } | null
}

interface OfSubscription {
  readonly organizationId: string
  readonly iccid: string
  /** If it is named, another subscription that the SIM has meanwhile is not found. */
  readonly subscriptionId?: string
}

/** Puts SIMs into service and takes them out (rules S1 to S5). */
export class Subscriptions extends Context.Service<
  Subscriptions,
  {
    /**
     * Fails with `InsideTransaction` inside a transaction of the host, where `Commands.submit`
     * takes its place (rule H1).
     */
    readonly create: (
      request: CreateRequest
    ) => Effect.Effect<
      Created,
      | InvalidField
      | NotFound
      | NoFreeSim
      | SimsReleasing
      | Purchases.NotBought
      | Refusing<"creation">
      | RequestInProgress
      | PackagesListed
      | InsideTransaction
      | TelcoRefused
      | TelcoUnavailable
      | StorageError
    >
    /**
     * What `create` would do now, or its refusal (rule S9). A free eSIM that it shows is not
     * reserved; one that would be bought has no ICCID (rule I15). It may run inside a transaction
     * of the host.
     */
    readonly previewCreate: (
      request: CreateRequest
    ) => Effect.Effect<
      Preview.OfCreation,
      | InvalidField
      | NotFound
      | NoFreeSim
      | SimsReleasing
      | EsimsIssuing
      | SoldOut
      | NoBalance
      | SpendingLimited
      | Refusing<"creation">
      | StorageError
    >
    /** The live subscription of the SIM; a pending one is `NotFound` (rule S5). */
    readonly get: (of: OfSubscription) => Effect.Effect<SubscriptionWithSim, NotFound | StorageError>
    /** The live subscription of an id, whichever SIM it is on now. */
    readonly find: (of: {
      readonly organizationId: string
      readonly subscriptionId: string
    }) => Effect.Effect<SubscriptionWithSim, NotFound | StorageError>
    /**
     * By creation, in keyset pages of bounded size: memory does not grow with the list (rule W4).
     * They can be filtered (rule L1).
     */
    readonly list: (
      of: SimSearch.Asked<SubscriptionRules.ServiceStatus> & { readonly organizationId: string }
    ) => Stream.Stream<SubscriptionWithSim, StorageError>
    /**
     * Inside a transaction of the host the deletion is part of that transaction, and the telco is
     * called after the commit (rule H1). `waits`: whether the telco's answer is waited for, for
     * some time; true by default.
     */
    readonly remove: (
      of: OfSubscription & { readonly waits?: boolean }
    ) => Effect.Effect<void, NotFound | Refusing<"deletion"> | StorageError>
    /** What `remove` would do now, its refusal included (rule S9). */
    readonly previewRemove: (of: OfSubscription) => Effect.Effect<Preview.OfDeletion, NotFound | StorageError>
    /**
     * The last operator with its country's name; null without activity in the last 7 days
     * (rule R3).
     */
    readonly lastOperator: (
      of: OfSubscription
    ) => Effect.Effect<(LastOperator & { readonly country: string }) | null, NotFound | StorageError>
  }
>()("simplan/Subscriptions") {}

const byCreation = ({ subscription }: SubscriptionWithSim): CreatedCursor => ({
  createdAt: subscription.createdAt,
  id: subscription.subscriptionId
})

/** Loads the aggregate of a live subscription. */
export const makeLoadLive = Effect.map(Storage, (storage) =>
  Effect.fnUntraced(function* ({ iccid, organizationId, subscriptionId }: OfSubscription) {
    const found = yield* storage.simAggregates.get({ organizationId, iccid })
    const aggregate = yield* Effect.fromResult(SimAggregates.visible(found, iccid, subscriptionId))
    yield* RequestContext.countAttachments(aggregate.attachments)
    return aggregate
  })
)

/** The aggregate as a commit leaves it that writes the SIM. */
const asStored = (aggregate: SimAggregate): SimAggregate => ({
  ...aggregate,
  sim: { ...aggregate.sim, version: aggregate.sim.version + 1 }
})

/**
 * Whether the request gets another SIM, since the telco has packages of others on the one that it
 * was given.
 */
const isOccupied = (answer: Result.Result<Created, NotTaken>): boolean =>
  Result.isFailure(answer) && answer.failure._tag === "SimsReleasing"

const attempt = { tag: "Provision", jobId: Provisioning.jobId, undoJobId: Provisioning.undoJobId } as const

type Needs =
  | Storage
  | CachedPlans
  | BusinessClock
  | Telco
  | Ids
  | Commits
  | Catalogues
  | BackgroundTasks
  | Leases
  | Paging.FilteredLists
  | JobRunner.JobRunner
  | SimReservations.SimReservations
  | SoldBundles

/** The implementation that `Services.layer` provides. */
export const layer: Layer.Layer<Subscriptions, never, Needs> = Layer.effect(
  Subscriptions,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits
    const catalogues = yield* Catalogues
    const work = yield* BackgroundTasks
    const runner = yield* JobRunner.JobRunner
    const reservations = yield* SimReservations.SimReservations
    const withhold = yield* OccupiedSims.makeWithhold
    const purchases = yield* Purchases.make
    const lists = yield* Paging.FilteredLists
    const capabilitiesOf = yield* TelcoCapabilities.current
    const inTransaction = yield* HostTransaction
    const refuseInside = yield* makeRefuseInside
    const changeOf = yield* Pauses.makeChange
    const loadLive = yield* makeLoadLive
    const endProblems = yield* makeEndProblems
    const plans = yield* CachedPlans
    const { waitLimitMillis } = yield* Settings

    const live = Effect.fnUntraced(function* (of: OfSubscription) {
      return (yield* storage.subscriptions.get(of)) ?? (yield* new NotFound({ resource: "subscription", id: of.iccid }))
    })

    /** The aggregate of the named SIM, or of the free eSIM that the request gets (rule S2). */
    const aggregateFor = Effect.fnUntraced(function* <E>(
      { iccid, organizationId }: Pick<CreateRequest, "iccid" | "organizationId">,
      free: Effect.Effect<Sim, E>
    ): Effect.fn.Return<SimAggregate, E | NotFound | StorageError> {
      if (iccid === null) return { sim: yield* free, subscription: null, attachments: [] }
      const aggregate = yield* storage.simAggregates.get({ organizationId, iccid })
      if (aggregate === null) return yield* new NotFound({ resource: "sim", id: iccid })
      yield* RequestContext.countAttachments(aggregate.attachments)
      return aggregate
    })

    /**
     * Rule S5: why a free SIM is not sold that nothing is ordered for yet; null: it is. With a
     * package that is due the first order finds it out.
     */
    const unsold = Effect.fnUntraced(function* (sim: Sim, request: CreateRequest) {
      const asked = yield* Effect.catchTag(withhold(sim), "Telco.Unavailable", (failure) => Effect.succeed(failure))
      if ("_tag" in asked) {
        const { iccid, organizationId } = sim
        const message = "the telco does not say what it has on a SIM that was to be sold"
        yield* Effect.logWarning(message, { organizationId, iccid, answer: asked.message })
        return notTaken(asked)
      }
      if (asked.length === 0) return null
      return request.iccid === null
        ? new SimsReleasing({ label: sim.label, retryAfterSeconds: OccupiedSims.AGAIN })
        : new PackagesListed({ iccid: sim.iccid, packageIds: asked })
    })

    const orderOf = ({ bundle, terms }: Plan, { activePeriod }: CreateRequest): Capabilities.Order => ({
      terms,
      isBundle: bundle !== null,
      isTimed: activePeriod !== null
    })

    /** Rule P4: before a SIM is chosen, whether any that is may have the plan. */
    const checkAny = (plan: Plan, request: CreateRequest) => {
      if (request.iccid !== null) return Effect.void
      const { bundle: purchase, organizationId, terms } = plan
      const can = capabilitiesOf({ organizationId, label: terms.label, purchase })
      return TelcoCapabilities.check(can, (known) => Capabilities.order(known, orderOf(plan, request)))
    }

    /** Rule P4: whether the SIM may have the plan, further plans included. */
    const checkSim = (aggregate: SimAggregate, plan: Plan, request: CreateRequest, now: Instant) =>
      TelcoCapabilities.check(capabilitiesOf(aggregate.sim), (can) =>
        Capabilities.onSim(can, orderOf(plan, request), aggregate, now)
      )

    const begin = Effect.fnUntraced(function* (
      request: CreateRequest,
      reserve: SimReservations.Reserve,
      existing: Existing
    ) {
      const { organizationId } = request
      const plan = yield* existing
      const now = yield* clock.now
      yield* Effect.fromResult(Provisioning.admissible(plan, request.iccid, request.activePeriod, now))
      yield* checkAny(plan, request)
      const aggregate = yield* aggregateFor(
        request,
        purchases.reserve(reserve, purchases.forPlan(organizationId, plan))
      )
      const subscriptionId = yield* ids.next(now, organizationId)
      const fresh = { subscriptionId, attachmentId: yield* ids.next(now, organizationId) }
      const subscribed = yield* Effect.fromResult(Provisioning.subscribe(plan, aggregate, request, fresh, now))
      yield* checkSim(aggregate, plan, request, now)
      yield* purchases.refuseTopUp(aggregate, plan)
      if (subscribed._tag === "Complete") {
        const { created, decision } = subscribed
        const { iccid } = aggregate.sim
        const { attachmentId } = fresh
        const { subscriptionId } = created
        const isFirst = aggregate.subscription === null
        const refusal = isFirst ? yield* unsold(aggregate.sim, request) : null
        if (refusal !== null) return { refusal }
        const change = Provisioning.change({ organizationId, subscriptionId, attachmentId, iccid }, isFirst)
        const commit = yield* commits.audited(yield* commits.prepare(organizationId, decision, now), change, now)
        yield* commits.write(commit, kinds.Created.keep(created))
        return created
      }
      const lease = yield* work.lease
      const commit = yield* commits.prepare(organizationId, subscribed.decision, now, lease)
      yield* commits.write(commit, "later")
      const { aggregate: taken, work: toDo } = subscribed
      return { held: JobRunner.heldBy(commit, lease), work: toDo, aggregate: asStored(taken) }
    })

    const previewCreate = Effect.fnUntraced(function* (request: CreateRequest) {
      yield* Effect.fromResult(SubscriptionRules.checkTexts(request))
      const plan = yield* plans.stored(request)
      const now = yield* clock.now
      yield* Effect.fromResult(Provisioning.admissible(plan, request.iccid, request.activePeriod, now))
      yield* checkAny(plan, request)
      const { organizationId } = request
      const found = request.iccid === null ? yield* purchases.preview(purchases.forPlan(organizationId, plan)) : null
      const purchase = found?.purchase ?? null
      const of = { organizationId, simId: Preview.NIL, createdAt: now, label: plan.terms.label }
      const sim = found === null ? null : (found.sim ?? Purchase.unbought(of, found.purchase.load))
      const missing = new NoFreeSim({ label: plan.terms.label })
      const aggregate = yield* aggregateFor(request, sim === null ? Effect.fail(missing) : Effect.succeed(sim))
      const preview = yield* Effect.fromResult(Preview.creation(plan, aggregate, request, now))
      yield* checkSim(aggregate, plan, request, now)
      yield* purchases.refuseTopUp(aggregate, plan)
      return { ...preview, ...(purchase !== null && { purchase }) }
    })

    /**
     * Rule S5: goes on with the attempt that the request's key has left, same SIM and same
     * packages.
     */
    const resume = (organizationId: string) =>
      runner.resume(attempt, ({ attemptId, iccid }) =>
        Effect.map(storage.simAggregates.get({ organizationId, iccid }), (loaded) => {
          const left = loaded === null ? undefined : SimAggregates.attachment(loaded, attemptId)
          if (loaded === null || left === undefined || left.attachment.confirmed) return null
          const { aggregate, decision } = Provisioning.resume(loaded)
          return { decision, value: asStored(aggregate) }
        })
      )

    const create = Effect.fnUntraced(function* (request: CreateRequest) {
      yield* refuseInside("Subscriptions.create")
      yield* Effect.fromResult(SubscriptionRules.checkTexts(request))
      const left = yield* resume(request.organizationId)
      let answer = left === null ? null : yield* runner.provision(left.held, left.work, left.value)
      // A command is tried again by its own job.
      const most = (yield* CurrentCommand) === null ? OccupiedSims.SIMS_TRIED : 1
      for (let tried = 0; answer === null || (isOccupied(answer) && tried < most); tried++) {
        const begun = yield* reservations.during((reserve) =>
          plans.decide(request, (plan) => commits.retryOnConflict(begin(request, reserve, plan)), Purchases.isNotBought)
        )
        if ("refusal" in begun) {
          answer = Result.fail(begun.refusal)
          continue
        }
        if (!("held" in begun)) return begun
        answer = yield* runner.provision(begun.held, begun.work, begun.aggregate)
      }
      return yield* Effect.fromResult(answer)
    })

    return Subscriptions.of({
      create: (request) => Metrics.traced("Subscriptions.create", {}, create(request)),
      previewCreate: (request) => Metrics.traced("Subscriptions.previewCreate", {}, previewCreate(request)),
      get: live,
      find: Effect.fn("Subscriptions.find")(function* ({ organizationId, subscriptionId }) {
        const none = new NotFound({ resource: "subscription", id: subscriptionId })
        const search = SimSearch.of(subscriptionId)
        if (search === null) return yield* none
        const read = Effect.gen(function* () {
          const {
            hits: [hit]
          } = yield* storage.sims.search({ search, organizationId, limit: 1 })
          if (hit?.subscriptionId !== search.subscriptionId) return yield* none
          const found = yield* live({ organizationId, iccid: hit.iccid })
          return found.subscription.subscriptionId === search.subscriptionId ? found : yield* none
        })
        // It may move between the two reads.
        return yield* Effect.retry(read, { times: 1, while: (error) => error instanceof NotFound })
      }),
      list: ({ organizationId, ...asked }) => {
        const filter = SimSearch.filterOf(asked)
        if (filter === null) return Stream.empty
        if (SimSearch.isWhole(filter)) {
          return Paging.stream(
            (after: CreatedCursor | null, limit) => storage.subscriptions.page({ organizationId, after, limit }),
            byCreation
          )
        }
        // Paged as what a search finds is, since an index has them too.
        const scanning = Paging.searching(filter.status === "paused" ? filter.status : filter.search)
        return Paging.streamPages((after: CreatedCursor | null, limit) =>
          lists.page(
            { organizationId, after, limit },
            (step) => storage.subscriptions.find({ organizationId, ...filter, ...step, ...scanning }),
            byCreation
          )
        )
      },
      remove: Effect.fn("Subscriptions.remove")(function* ({ waits = true, ...of }) {
        const isLater = !waits || (yield* inTransaction)
        const begun = yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const { iccid, organizationId } = of
            const aggregate = yield* loadLive(of)
            const now = yield* clock.now
            const { given, resolved } = yield* changeOf(aggregate.sim, now)
            const decision = yield* Effect.fromResult(
              Deletion.remove(aggregate, now, given, yield* capabilitiesOf(aggregate.sim))
            )
            const lease = isLater ? undefined : yield* work.lease
            const resourceId = aggregate.subscription.subscriptionId
            const change = { organizationId, action: "subscription.delete", resourceId, iccid } as const
            const decided = yield* commits.prepare(organizationId, decision, now, lease)
            const ended = yield* endProblems(resolved(decided), aggregate.attachments)
            const commit = yield* commits.audited(ended, change, now)
            yield* commits.write(commit, kinds.Done.keep(null))
            return { commit, lease }
          })
        )
        if (begun.lease !== undefined) yield* runner.tryAll(begun.commit, begun.lease, waitLimitMillis)
      }),
      previewRemove: Effect.fn("Subscriptions.previewRemove")(function* (of) {
        const aggregate = yield* loadLive(of)
        return yield* Effect.fromResult(Preview.deletion(aggregate, yield* clock.now))
      }),
      lastOperator: Effect.fn("Subscriptions.lastOperator")(function* (of) {
        const { sim } = yield* live(of)
        const last = Location.visible(sim.location, sim.lastActivityAt, yield* clock.now)
        if (last === null) return null
        const { countryByIso2 } = yield* catalogues.current
        const { visits: _, ...shown } = last
        return { ...shown, country: countryByIso2.get(last.countryAlpha2)?.name ?? last.countryAlpha2 }
      })
    })
  })
)
