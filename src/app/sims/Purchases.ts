/**
 * Requests that wait for an eSIM which is bought of a supplier (rule I15). A request that finds no
 * free eSIM awaits an outstanding purchase that nobody awaits, over all processes, or adds one. It
 * takes whatever SIM comes free first, so that a SIM is never another request's.
 */
import { Effect } from "effect"
import * as BundleCheck from "../../domain/BundleCheck.ts"
import * as Job from "../../domain/Job.ts"
import type { Label } from "../../domain/Label.ts"
import type { Bundle, Plan } from "../../domain/Plan.ts"
import * as Purchase from "../../domain/Purchase.ts"
import { secondsOfDay } from "../../domain/PurchaseLimits.ts"
import { EsimsIssuing, NoBalance, NoFreeSim, SoldOut, SpendingLimited, TelcoRefused } from "../../domain/Refusal.ts"
import type * as Replacement from "../../domain/Replacement.ts"
import type { Sim } from "../../domain/Sim.ts"
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import type { Instant } from "../../domain/Time.ts"
import * as Clocks from "../../ports/Clocks.ts"
import { type Lease, Storage, type StorageError } from "../../ports/Storage.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { unattended } from "../commit/Served.ts"
import { Ids } from "../commit/Ids.ts"
import * as JobRunner from "../jobs/JobRunner.ts"
import { BackgroundTasks, Leases } from "../jobs/Leases.ts"
import { Settings } from "../Settings.ts"
import * as PurchaseLimits from "../telco/PurchaseLimits.ts"
import { type Kind, type Reserve, type Shortage, unreserved } from "./SimReservations.ts"

/** Why a request that waits for a purchase gets no SIM now. */
export type NotBought = EsimsIssuing | SoldOut | NoBalance | SpendingLimited | TelcoRefused

/** Whether a request has waited for a purchase of the plan as it is stored. */
export const isNotBought = (error: unknown): error is NotBought =>
  [EsimsIssuing, SoldOut, NoBalance, SpendingLimited, TelcoRefused].some((one) => error instanceof one)

/** How often a request asks what has become of a purchase that another process makes, in ms. */
const ASKED = 100

/** How often it asks if the clock stands: what this process makes goes on between two times. */
const TURNS = 1_000

/** When a caller asks again, if the supplier does not say so, in seconds. */
const AGAIN = 5

/** How many purchases a request awaits, one after the other, if others take what comes. */
const MOST = 10

const refusalOf = ({ refused }: Job.Job, load: string): NotBought => {
  const message = refused?.message ?? ""
  switch (refused?.reason) {
    case "sold_out":
      return new SoldOut({ load })
    case "no_balance":
      return new NoBalance({ load })
    default:
      return new TelcoRefused({ message })
  }
}

/** Which eSIM is wanted, and what is bought if none is free. */
export interface Wanted {
  readonly organizationId: string
  /** The label of the eSIM. */
  readonly label: Label
  /** What it has to come with; null: nothing. */
  readonly load: string | null
  /** Whose bundle is bought; null: nothing is. */
  readonly plan: Plan | null
  /** Whether the plan is as it is stored: what is bought is paid. */
  readonly isCurrent: Effect.Effect<boolean, StorageError>
}

/** What a request would get now: an eSIM that is free, or one that is bought. */
export type Previewed =
  | { readonly sim: Sim; readonly purchase: null }
  | { readonly sim: null; readonly purchase: Bundle }

/** The eSIMs that creations of a plan get which name none, and subscriptions that move. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const telco = yield* Telco
  const clock = yield* Clocks.BusinessClock
  const commits = yield* Commits
  const ids = yield* Ids
  const tasks = yield* BackgroundTasks
  const leases = yield* Leases
  const runner = yield* JobRunner.JobRunner
  const limits = yield* PurchaseLimits.make
  const { telcoTimeoutMillis: limit } = yield* Settings
  const isStandingClock = clock.set !== null

  const issuing = ({ label }: Pick<Kind, "label">, retryAfterSeconds = AGAIN) =>
    new EsimsIssuing({ label, retryAfterSeconds })

  /** Rule P6: refuses to buy a bundle that is not sold any more as the plan has it. */
  const refuseChanged = Effect.fnUntraced(function* ({ bundle, organizationId, planId }: Plan) {
    if (bundle?.sold === undefined) return
    const problem = yield* storage.jobs.get({ organizationId, jobId: BundleCheck.problemId(planId) })
    if (problem === null || problem.endedAt === null) return
    return yield* new SoldOut({ load: bundle.load, ...(problem.refused && { why: problem.refused.message }) })
  })

  /** Rule I16: refuses to buy beyond the balance and the limits. */
  const refuseBeyond = Effect.fnUntraced(function* ({ label, organizationId }: Kind, { limit: most, load }: Bundle) {
    const of = { organizationId, label, load }
    if (!(yield* limits.isCovered(of))) return yield* new NoBalance({ load })
    const room = yield* limits.room({ ...of, most })
    if (room === "Full") return yield* issuing(of)
    if (room === "Spent") return yield* new SpendingLimited({ retryAfterSeconds: secondsOfDay(yield* clock.now) })
  })

  /** Makes one more purchase, and begins it. */
  const add = Effect.fnUntraced(function* (
    { label, organizationId, plan }: Wanted,
    bundle: NonNullable<Plan["bundle"]>
  ) {
    const now = yield* clock.now
    const purchaseId = yield* ids.next(now, organizationId)
    const lease = yield* tasks.lease
    const isLimited = yield* limits.areSet({ organizationId, label, load: bundle.load })
    const jobs = [Purchase.job(purchaseId, { label, ...plan?.terms }, bundle, now, isLimited)]
    const commit = yield* commits.prepare(organizationId, { jobs }, now, lease)
    yield* commits.retryOnConflict(commits.write(commit))
    return { commit, lease }
  })

  /**
   * An outstanding purchase of the load that this request awaits from now on, and until when; null:
   * there is none that nobody awaits.
   */
  const adopt = Effect.fnUntraced(function* ({ label, organizationId }: Kind, load: string) {
    const machineNow = yield* Clocks.monotonicNow
    const until = machineNow + limit
    const job = yield* storage.adoptPurchase({ organizationId, label, load, machineNow, until })
    return job === null ? null : { job, until }
  })

  /** Goes on with the purchase at once, unless somebody holds it or it waits for its time. */
  const goOn = Effect.fnUntraced(function* (job: Job.Job) {
    if (job.dueAt > (yield* clock.now)) return
    const lease: Lease = yield* tasks.lease
    const held = yield* leases.take(job, lease)
    if (held !== null) yield* runner.tryAll({ jobs: { put: [{ job: held, lease }] } }, lease, limit)
  })

  /** Waits until the purchase has ended, is to be tried again later, or the time is over. */
  const settled = Effect.fnUntraced(function* (job: Job.Job, until: number) {
    let found = yield* storage.jobs.get(job)
    for (let turn = 0; found !== null && found.endedAt === null && !Job.isWaiting(found); turn++) {
      if (isStandingClock ? turn === TURNS : (yield* Clocks.monotonicNow) >= until) break
      yield* isStandingClock ? Effect.yieldNow : Effect.sleep(ASKED)
      found = yield* storage.jobs.get(job)
    }
    return found
  })

  /** Refuses what the supplier has refused of the load, if what was awaited is gone. */
  const refuseUnsold = Effect.fnUntraced(function* ({ label, organizationId }: Kind, load: string) {
    for (const jobId of Purchase.problemIds({ organizationId, label, load })) {
      const problem = yield* storage.jobs.get({ organizationId, jobId })
      if (problem !== null && problem.endedAt !== null) return yield* refusalOf(problem, load)
    }
  })

  /** Awaits a purchase. Whether it is gone: there is a SIM, or a problem of the load. */
  const awaitOne = Effect.fnUntraced(function* (
    kind: Kind,
    load: string,
    wanted: Wanted,
    until: number
  ): Effect.fn.Return<boolean, NoFreeSim | NotBought | StorageError> {
    const { organizationId } = kind
    const { plan } = wanted
    const bundle = plan?.bundle ?? null
    if (plan === null || bundle === null || !(yield* wanted.isCurrent)) return yield* new NoFreeSim(kind)
    yield* refuseChanged(plan)
    const known = yield* adopt(kind, load)
    if (known === null) yield* refuseBeyond(kind, bundle)
    const begun = known === null ? yield* add(wanted, bundle) : null
    const adopted = known ?? (yield* adopt(kind, load))
    if (begun !== null) yield* runner.tryAll(begun.commit, begun.lease, limit)
    // Another request was quicker to adopt what this one has added, or it has come.
    if (adopted === null) return false
    const { job } = adopted
    const ended = Effect.gen(function* () {
      if (begun === null) yield* goOn(job)
      const found = yield* settled(job, until)
      if (found === null) return true
      if (found.endedAt !== null) return yield* refusalOf(found, load)
      const seconds = Math.ceil((found.dueAt - (yield* clock.now)) / 1_000)
      return yield* issuing(kind, Job.isWaiting(found) ? Math.max(1, seconds) : AGAIN)
    })
    const leave = storage.leavePurchase({ organizationId, jobId: job.jobId, until: adopted.until })
    // Failure: the wait ends by itself.
    return yield* Effect.ensuring(ended, Effect.ignore(leave))
  })

  const kindOf = ({ label, load, organizationId }: Wanted, now: Instant): Kind => ({
    ...{ organizationId, label, purpose: "subscription" },
    load: load === null ? null : Purchase.wantedLoad(load, now)
  })

  const isBuying = ({ load, plan }: Wanted): boolean =>
    load !== null && plan?.bundle != null && telco.buySim !== undefined

  return {
    /**
     * Rule I16: refuses an order of the plan on a SIM that is charged, since the SIM was not bought
     * with it, or is in service, beyond what a day may cost.
     */
    refuseTopUp: Effect.fnUntraced(function* ({ sim, subscription }: SimAggregate, plan: Plan) {
      const { bundle, terms } = plan
      if (bundle === null || (subscription === null && sim.purchase?.load === bundle.load)) return
      const { limit: most, load, topUpLoad } = bundle
      const of = { organizationId: sim.organizationId, label: terms.label, load: sim.purchase?.load ?? load }
      const topUp = subscription === null ? load : (topUpLoad ?? load)
      const room = yield* limits.roomToTopUp({ ...of, topUp, most })
      if (room === "Room") return
      // A commit for a plan that is not as it is stored is decided anew.
      if ((yield* storage.plans.get(plan))?.version !== plan.version) return
      // What is outstanding may be refused yet.
      return yield* new SpendingLimited({
        retryAfterSeconds: room === "Full" ? AGAIN : secondsOfDay(yield* clock.now)
      })
    }),
    /** The refusal of a request while one is bought. */
    issuing: (of: Pick<Kind, "label">) => issuing(of),
    /** For an attachment of the plan, which may be another bundle by now if it is a cached one. */
    forPlan: (organizationId: string, plan: Plan): Wanted => ({
      organizationId,
      label: plan.terms.label,
      load: plan.bundle?.load ?? null,
      plan,
      isCurrent: Effect.map(storage.plans.get(plan), (stored) => stored?.version === plan.version)
    }),
    /**
     * For a subscription that moves (rule S8): what its plan was when it was attached is bought
     * only while the plan is that still, for what it may cost.
     */
    forMove: Effect.fnUntraced(function* (
      { label, organizationId }: Pick<Sim, "label" | "organizationId">,
      moved: Replacement.Wanted | null
    ): Effect.fn.Return<Wanted, StorageError> {
      const of = { organizationId, label, isCurrent: Effect.succeed(true) }
      if (moved === null) return { ...of, load: null, plan: null }
      const { load, planId } = moved
      const plan = yield* storage.plans.get({ organizationId, planId })
      const isSold = plan !== null && plan.deletedAt === null && plan.bundle?.load === load
      return { ...of, load, plan: isSold ? plan : null }
    }),
    /**
     * Reserves an eSIM (rule S2). If none is free, a bundle is wanted and the telco sells SIMs, one
     * is bought.
     */
    reserve: Effect.fnUntraced(function* (
      reserve: Reserve,
      wanted: Wanted
    ): Effect.fn.Return<Sim, Shortage | NotBought> {
      const kind = kindOf(wanted, yield* clock.now)
      if (kind.load === null || !isBuying(wanted)) return yield* reserve(kind)
      const { load } = kind.load
      const until = (yield* Clocks.monotonicNow) + limit
      let isGone = false
      for (let awaited = 0; awaited < MOST; awaited++) {
        // Failure: one is bought.
        const sim = yield* Effect.catchTags(reserve(kind), {
          NoFreeSim: () => Effect.succeed(null),
          SimsReleasing: () => Effect.succeed(null)
        })
        if (sim !== null) return sim
        if (isGone) yield* refuseUnsold(kind, load)
        isGone = yield* Effect.provideContext(awaitOne(kind, load, wanted, until), unattended)
        if ((yield* Clocks.monotonicNow) >= until) break
      }
      return yield* issuing(kind)
    }),
    /**
     * The eSIM that such a request would get now, or the bundle that one would be bought with.
     * Nothing is bought.
     */
    preview: Effect.fnUntraced(function* (
      wanted: Wanted
    ): Effect.fn.Return<Previewed, Shortage | EsimsIssuing | SoldOut | NoBalance | SpendingLimited> {
      const kind = kindOf(wanted, yield* clock.now)
      const free = unreserved(storage)(kind)
      const { plan } = wanted
      const bundle = plan?.bundle ?? null
      if (plan === null || bundle === null || !isBuying(wanted)) return { sim: yield* free, purchase: null }
      // Failure: one would be bought.
      const sim = yield* Effect.catchTags(free, {
        NoFreeSim: () => Effect.succeed(null),
        SimsReleasing: () => Effect.succeed(null)
      })
      if (sim !== null) return { sim, purchase: null }
      yield* refuseChanged(plan)
      yield* refuseBeyond(kind, bundle)
      return { sim: null, purchase: bundle }
    })
  }
})
