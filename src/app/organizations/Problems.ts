/**
 * Jobs for the operator of the service.
 *
 * - Those that were tried and wait for their next try: while a telco is down, the work of all
 *   organizations that waits for it.
 * - Problems: jobs that ended because the telco refuses them for good, what comparisons of both
 *   books find, and events that hold up their SIM because a handler fails at them (rules S6 and
 *   E2). They stand here until an operator retries them, or has done the work by hand and resolves
 *   them.
 */
import { Context, Effect, Layer } from "effect"
import type * as Attachment from "../../domain/Attachment.ts"
import type { Action } from "../../domain/AuditEntry.ts"
import { isWaiting, type Job, type WaitingFilter, type WaitingJob } from "../../domain/Job.ts"
import * as Delivery from "../../domain/Delivery.ts"
import * as Package from "../../domain/Package.ts"
import * as Pause from "../../domain/Pause.ts"
import * as Correction from "../../domain/Correction.ts"
import * as Problem from "../../domain/Problem.ts"
import * as Provisioning from "../../domain/Provisioning.ts"
import {
  type InsideTransaction,
  NotFound,
  NotSupported,
  PackagesListed,
  TelcoRefused,
  type TelcoUnavailable
} from "../../domain/Refusal.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type Commit, type CreatedCursor, type Keyset, Storage, type StorageError } from "../../ports/Storage.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { makeRefuseInside } from "../commit/Served.ts"
import { Ids } from "../commit/Ids.ts"
import * as SetService from "../jobs/SetService.ts"
import * as Paging from "../Paging.ts"
import { makeInTime, notTaken } from "../telco/TelcoCall.ts"

/** If an organization is named, what belongs to another one is not found (rule W14). */
interface Within {
  readonly organizationId?: string | null
}

interface OfProblem extends Within {
  readonly problemId: string
}

const ofProblem = ({ organizationId, problemId }: OfProblem) => ({
  jobId: problemId,
  ...(organizationId != null && { organizationId })
})

const isWithin = ({ organizationId = null }: Within, job: Job): boolean =>
  organizationId === null || organizationId === job.organizationId

/** What is had here of a SIM. */
export interface Expected {
  /** Whose the packages are that the telco may list. */
  readonly owners: ReadonlyArray<Attachment.WithPackages>
  /**
   * Since when it is paused; null: it is to have service. Absent: it is not in service, or that is
   * being changed.
   */
  readonly pausedAt?: Instant | null
  /** Whether the mobile plan is applied. Absent: that is being changed. */
  readonly hasMobilePlan?: boolean
}

/** Lists what an operator has to see to, retries it and resolves it (rule S6). */
export class Problems extends Context.Service<
  Problems,
  {
    /** Of an organization, or of all, oldest job first. */
    readonly page: (of: Keyset<CreatedCursor> & Within) => Effect.Effect<Paging.Page<Job, CreatedCursor>, StorageError>
    /**
     * Has the telco asked again, at once and up to three times, or the handler called again at
     * once. A problem that is being retried already stays as it is.
     */
    readonly retry: (of: OfProblem) => Effect.Effect<void, NotFound | StorageError>
    /**
     * The operator has done at the telco by hand what the job was to do. The job is gone, and what
     * follows from it is done: a SIM that waited for it is free. An event is given up, so that
     * later ones about its SIM go on. A SIM is free only when its telco lists nothing of ours on it
     * (rule S5), or cannot list; with `force` the telco is not asked.
     */
    readonly resolve: (
      of: OfProblem & { readonly force?: boolean }
    ) => Effect.Effect<
      void,
      NotFound | PackagesListed | InsideTransaction | TelcoRefused | TelcoUnavailable | StorageError
    >
    /**
     * Has the telco asked for what is had here, if a problem says what differs (rule S6): the
     * problem is gone, and a job asks at once, for what is wanted by then. On a SIM that waits for
     * its release, what the telco lists is cancelled, whoever uses it. `NotSupported` if the
     * telco cannot be asked for it.
     */
    readonly correct: (of: OfProblem) => Effect.Effect<void, NotFound | NotSupported | StorageError>
    /**
     * What is had here of a SIM, for a comparison with what the telco has (rules S5 to S7). Null as
     * `owners` is.
     */
    readonly expected: (of: { readonly iccid: string }) => Effect.Effect<Expected | null, StorageError>
    /**
     * Whose the packages are that the telco may list on a SIM, for a comparison with that list
     * (rule S5). None if the SIM is free. Null while the SIM is being sold or released, and
     * if nobody has it: there is nothing to compare then.
     */
    readonly owners: (of: {
      readonly iccid: string
    }) => Effect.Effect<ReadonlyArray<Attachment.WithPackages> | null, StorageError>
    /**
     * Adds what a comparison of the telco's books with ours has found. One that is there already
     * stays as it is, unless it is about usage and has other figures; one about a SIM that nobody
     * has is left out, and so is a package whose creation is being undone (rule S5). Returns those
     * that were not there.
     */
    readonly add: (of: {
      readonly findings: ReadonlyArray<Problem.Finding>
    }) => Effect.Effect<ReadonlyArray<Problem.Finding>, StorageError>
    /**
     * Adds what was found of accounts at suppliers, which belongs to no organization. One that is
     * there already stays as it is. Returns those that were not there.
     */
    readonly addOfAccounts: (of: {
      readonly findings: ReadonlyArray<Problem.AccountFinding>
    }) => Effect.Effect<ReadonlyArray<Problem.AccountFinding>, StorageError>
    /**
     * Takes back findings that a later comparison does not confirm. One that is not there, or is
     * tried again, stays so.
     */
    readonly withdraw: (of: { readonly findingIds: ReadonlyArray<string> }) => Effect.Effect<void, StorageError>
  }
>()("simplan/Problems") {}

/** How far a retry of many jobs has come. */
export interface Retried {
  /** How many jobs are due now. */
  readonly retried: number
  /** Where to go on; null: none are left. */
  readonly next: CreatedCursor | null
}

/** Lists jobs between two tries, and has them tried at once. */
export class WaitingJobs extends Context.Service<
  WaitingJobs,
  {
    /** Of all organizations, oldest job first. */
    readonly page: (
      of: Keyset<CreatedCursor> & WaitingFilter
    ) => Effect.Effect<Paging.Page<WaitingJob, CreatedCursor>, StorageError>
    /** Has the job tried at once. Its waits go on as they were if it is given back again. */
    readonly retry: (of: Within & { readonly jobId: string }) => Effect.Effect<void, NotFound | StorageError>
    /**
     * Has all jobs that the filter takes tried at once, oldest first. It stops after 10,000: `next`
     * is where to go on. The engine tries as many at a time as ever.
     */
    readonly retryAll: (
      of: WaitingFilter & { readonly after: CreatedCursor | null }
    ) => Effect.Effect<Retried, StorageError>
  }
>()("simplan/WaitingJobs") {}

const NOT_CORRECTABLE =
  "The telco cannot be asked for what is had here of this problem; see to it there, and resolve it"

/** How many jobs one commit makes due, and how many commits one request makes. */
const RETRIED_AT_ONCE = 1_000
const RETRIES = 10

const cursorOf = ({ createdAt, jobId }: Job): CreatedCursor => ({ createdAt, id: jobId })

const problemsLayer: Layer.Layer<Problems, never, Storage | BusinessClock | Commits | Ids | Telco> = Layer.effect(
  Problems,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const telco = yield* Telco
    const inTime = yield* makeInTime
    const refuseInside = yield* makeRefuseInside
    const ids = yield* Ids
    const ending = yield* SetService.makeEnding

    const missing = ({ problemId }: OfProblem) => new NotFound({ resource: "problem", id: problemId })

    const audited = (action: Action, { jobId, organizationId, work }: Job, commit: Commit, now: Instant) =>
      Effect.flatMap(
        commits.audited(
          commit,
          { organizationId, action, resourceId: jobId, iccid: "iccid" in work ? work.iccid : null },
          now
        ),
        (whole) => commits.write(whole)
      )

    /** Rule S5: refuses while the telco lists anything of ours on a SIM that is to be free. */
    const nothingListed = Effect.fnUntraced(function* (iccid: string) {
      yield* refuseInside("Problems.resolve")
      if (telco.listPackages === undefined) return
      const listed = yield* Effect.mapError(inTime("listPackages", telco.listPackages({ iccid })), (failure) =>
        failure._tag === "Telco.Refused" ? new TelcoRefused({ message: failure.message }) : notTaken(failure)
      )
      if (listed !== null && listed.length > 0) return yield* new PackagesListed({ iccid, packageIds: listed })
    })

    /**
     * The problem of an event is gone, and the event with it as `next` has it, unless it is not
     * pending any more.
     */
    const ofEvent = Effect.fnUntraced(function* (
      action: Action,
      job: Job & { readonly endedAt: Instant },
      deliveryId: string,
      next: (delivery: Delivery.Delivery, now: Instant) => Delivery.Delivery
    ) {
      const { endedAt, jobId, organizationId } = job
      const found = yield* storage.eventHandlers.delivery({ organizationId, deliveryId })
      const now = yield* clock.now
      const isPending = found !== null && Delivery.isPending(found.delivery)
      const commit: Commit = {
        jobs: { resolved: [{ organizationId, jobId, endedAt }] },
        ...(isPending && { deliveries: { replayed: [next(found.delivery, now)] } })
      }
      yield* audited(action, job, commit, now)
    })

    /** Removes the problem of a finding, unless it is to stay. */
    const withdraw = (findingId: string, isToStay: (job: Job) => boolean = () => false) =>
      commits.retryOnConflict(
        Effect.gen(function* () {
          const job = yield* storage.jobs.get({ jobId: Problem.findingJobId(findingId) })
          if (job === null || job.endedAt === null || isToStay(job)) return
          const { endedAt, jobId, organizationId } = job
          yield* commits.write({ jobs: { resolved: [{ organizationId, jobId, endedAt }] } })
        })
      )

    /** Rule S5: the undoing of a creation is listed by itself if the telco keeps its package. */
    const isBeingUndone = Effect.fnUntraced(function* (finding: Problem.Finding) {
      const packageId = Problem.cancelled(finding)
      if (packageId === null) return false
      const job = yield* storage.jobs.get({ jobId: Provisioning.undoJobId(Package.attachmentIdOf(packageId)) })
      return job !== null && Problem.isCancelledBy(packageId, job)
    })

    const isNew = ({ findingId }: Pick<Problem.Finding, "findingId">) =>
      Effect.map(storage.jobs.get({ jobId: Problem.findingJobId(findingId) }), (job) => job === null)

    const expected = Effect.fnUntraced(function* (iccid: string): Effect.fn.Return<Expected | null, StorageError> {
      const owner = yield* storage.simAggregates.owner(iccid)
      if (owner === null) return null
      const { organizationId } = owner
      const aggregate = yield* storage.simAggregates.get({ organizationId, iccid })
      const owners = aggregate && SimAggregate.owners(aggregate)
      if (aggregate === null || owners === null) return null
      const service = Correction.serviceWanted(aggregate.sim)
      const hasMobilePlan = Correction.mobilePlanWanted(aggregate.sim)
      return { owners, ...service, ...(hasMobilePlan !== null && { hasMobilePlan }) }
    })

    return Problems.of({
      withdraw: Effect.fn("Problems.withdraw")(({ findingIds }) =>
        Effect.forEach(findingIds, (findingId) => withdraw(findingId), { discard: true })
      ),
      owners: Effect.fn("Problems.owners")(function* ({ iccid }) {
        return (yield* expected(iccid))?.owners ?? null
      }),
      expected: Effect.fn("Problems.expected")(({ iccid }) => expected(iccid)),
      correct: Effect.fn("Problems.correct")((of) =>
        commits.retryOnConflict(
          Effect.gen(function* () {
            const job = yield* storage.jobs.get(ofProblem(of))
            if (job === null || job.endedAt === null || !isWithin(of, job)) return yield* missing(of)
            const { endedAt, jobId, organizationId, work } = job
            const next = Problem.corrected(work)
            if (next === null) return yield* new NotSupported({ message: NOT_CORRECTABLE })
            const now = yield* clock.now
            const commit = {
              jobs: { reopened: [{ organizationId, jobId, endedAt, ...Problem.retried(now), work: next }] }
            }
            yield* audited("problem.correct", job, commit, now)
          })
        )
      ),
      add: Effect.fn("Problems.add")(function* ({ findings: all }) {
        const findings: Array<Problem.Finding> = []
        for (const finding of all) if (!(yield* isBeingUndone(finding))) findings.push(finding)
        for (const finding of findings)
          if (finding.usage !== undefined) yield* withdraw(finding.findingId, (job) => Problem.isOf(finding, job))
        const fresh = yield* Effect.filter(findings, isNew)
        if (fresh.length === 0) return []
        const now = yield* clock.now
        const iccids = [...new Set(fresh.map(({ iccid }) => iccid))]
        const found = yield* storage.simAggregates.forReports({
          iccids: iccids.map((iccid) => ({ iccid, since: now, packageIds: [], reportIds: [] })),
          seenSince: now
        })
        const owners = new Map(found.map(({ aggregate: { sim } }) => [sim.iccid, sim.organizationId]))
        const added = fresh.flatMap((finding) => {
          const owner = owners.get(finding.iccid)
          return owner === undefined ? [] : [{ finding, job: Problem.found(finding, owner, now) }]
        })
        const put = added.map(({ job }) => ({ job, lease: null }))
        if (put.length > 0) yield* commits.retryOnConflict(commits.write({ jobs: { put } }))
        return added.map(({ finding }) => finding)
      }),
      addOfAccounts: Effect.fn("Problems.addOfAccounts")(function* ({ findings }) {
        const fresh = yield* Effect.filter(findings, isNew)
        const now = yield* clock.now
        const put = fresh.map((finding) => ({ job: Problem.foundOfAccount(finding, now), lease: null }))
        if (put.length > 0) yield* commits.retryOnConflict(commits.write({ jobs: { put } }))
        return fresh
      }),
      page: Effect.fn("Problems.page")(function* ({ after, limit, organizationId = null }) {
        const found = yield* storage.problems.page({
          after,
          limit: limit + 1,
          ...(organizationId !== null && { organizationId })
        })
        return Paging.page(found, limit, ({ createdAt, jobId }) => ({ createdAt, id: jobId }))
      }),
      retry: Effect.fn("Problems.retry")((of) =>
        commits.retryOnConflict(
          Effect.gen(function* () {
            const job = yield* storage.jobs.get(ofProblem(of))
            if (job === null || !isWithin(of, job)) return yield* missing(of)
            if (Problem.isRetried(job)) return
            if (job.endedAt === null) return yield* missing(of)
            const { endedAt, jobId, organizationId, work } = job
            if (work._tag === "HandleEvent") {
              return yield* ofEvent("problem.retry", { ...job, endedAt }, work.deliveryId, Delivery.dueAgain)
            }
            const now = yield* clock.now
            const commit = { jobs: { reopened: [{ organizationId, jobId, endedAt, ...Problem.retried(now) }] } }
            yield* audited("problem.retry", job, commit, now)
          })
        )
      ),
      resolve: Effect.fn("Problems.resolve")((of) =>
        commits.retryOnConflict(
          Effect.gen(function* () {
            const job = yield* storage.jobs.get(ofProblem(of))
            if (job === null || job.endedAt === null || !isWithin(of, job)) return yield* missing(of)
            const { endedAt, jobId, organizationId, work } = job
            if (work._tag === "HandleEvent") {
              return yield* ofEvent("problem.resolve", { ...job, endedAt }, work.deliveryId, Delivery.resolved)
            }
            const now = yield* clock.now
            const sim = "iccid" in work ? yield* storage.sims.get({ organizationId, iccid: work.iccid }) : null
            const paused = work._tag === "SetService" && sim !== null ? Pause.underWay(sim, work.changeId) : null
            let commit: Commit
            if (sim !== null && paused !== null) {
              const nextId = yield* ids.next(now, organizationId)
              commit = yield* ending(sim, Pause.made(sim, paused, nextId, now), now)
            } else {
              const decision = Problem.done(work, sim, null)
              if (decision.sim !== undefined && of.force !== true) yield* nothingListed(decision.sim.loaded.sim.iccid)
              commit = yield* commits.prepare(organizationId, decision, now)
            }
            yield* audited(
              "problem.resolve",
              job,
              { ...commit, jobs: { ...commit.jobs, resolved: [{ organizationId, jobId, endedAt }] } },
              now
            )
          })
        )
      )
    })
  })
)

const waitingLayer: Layer.Layer<WaitingJobs, never, Paging.FilteredLists | Storage | BusinessClock | Commits> =
  Layer.effect(
    WaitingJobs,
    Effect.gen(function* () {
      const storage = yield* Storage
      const clock = yield* BusinessClock
      const commits = yield* Commits
      const lists = yield* Paging.FilteredLists

      /** Rule W11: an entry for the one job, or for each organization of several. */
      const hasten = Effect.fnUntraced(function* (jobs: ReadonlyArray<WaitingJob>) {
        const now = yield* clock.now
        const hastened = jobs.map(({ jobId, organizationId }) => ({ organizationId, jobId, dueAt: now }))
        let commit: Commit = { jobs: { hastened } }
        const action = "job.retry"
        const [first] = jobs
        if (jobs.length === 1 && first !== undefined) {
          const { jobId: resourceId, organizationId, work } = first
          const iccid = "iccid" in work ? work.iccid : null
          commit = yield* commits.audited(commit, { organizationId, action, resourceId, iccid }, now)
        } else {
          for (const organizationId of new Set(jobs.map((job) => job.organizationId)))
            commit = yield* commits.audited(commit, { organizationId, action, resourceId: "*", iccid: null }, now)
        }
        yield* commits.retryOnConflict(commits.write(commit))
      })

      // The service's own turns: jobs of all organizations are scanned, whichever the filter takes.
      const page = (of: Keyset<CreatedCursor> & WaitingFilter) =>
        lists.page({ ...of, organizationId: "" }, (step) => storage.jobs.waiting({ ...of, ...step }), cursorOf)

      return WaitingJobs.of({
        page: Effect.fn("WaitingJobs.page")(function* (of) {
          return yield* page(of)
        }),
        retry: Effect.fn("WaitingJobs.retry")(function* (of) {
          const { jobId } = of
          const job = yield* storage.jobs.get({ jobId })
          if (job === null || !isWaiting(job) || !isWithin(of, job))
            return yield* new NotFound({ resource: "job", id: jobId })
          yield* hasten([job])
        }),
        retryAll: Effect.fn("WaitingJobs.retryAll")(function* ({ after, ...filter }) {
          let next = after
          let retried = 0
          for (let step = 0; step < RETRIES; step++) {
            const found: Paging.Page<WaitingJob, CreatedCursor> = yield* page({
              ...filter,
              after: next,
              limit: RETRIED_AT_ONCE
            })
            if (found.items.length > 0) yield* hasten(found.items)
            retried += found.items.length
            next = found.next
            if (next === null) break
          }
          return { retried, next }
        })
      })
    })
  )

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<
  Problems | WaitingJobs,
  never,
  Paging.FilteredLists | Storage | BusinessClock | Commits | Ids | Telco
> = Layer.merge(problemsLayer, waitingLayer)
