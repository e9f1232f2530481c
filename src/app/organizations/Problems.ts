/**
 * Problems: jobs that ended because the telco refuses them, what comparisons of both books find, and events that hold up
 * their SIM because a handler fails at them (rules S6 and E2). They stand here until an operator retries them, or has done
 * the work by hand and resolves them.
 */
import { Context, Effect, Layer } from "effect"
import type * as Attachment from "../../domain/Attachment.ts"
import type { Action } from "../../domain/AuditEntry.ts"
import type { Job } from "../../domain/Job.ts"
import * as Delivery from "../../domain/Delivery.ts"
import * as Problem from "../../domain/Problem.ts"
import {
  type InsideTransaction,
  NotFound,
  PackagesListed,
  TelcoRefused,
  type TelcoUnavailable
} from "../../domain/Refusal.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type Commit, type CreatedCursor, type Keyset, Storage, type StorageError } from "../../ports/Storage.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits, makeRefuseInside } from "../commit/Commits.ts"
import * as Paging from "../Paging.ts"
import { makeInTime, notTaken } from "../telco/TelcoCall.ts"

interface OfProblem {
  readonly problemId: string
}

/** Lists what an operator has to see to, retries it and resolves it (rule S6). */
export class Problems extends Context.Service<
  Problems,
  {
    /** Of all organizations, oldest job first. */
    readonly page: (of: Keyset<CreatedCursor>) => Effect.Effect<Paging.Page<Job, CreatedCursor>, StorageError>
    /**
     * Has the telco asked again, at once and up to three times, or the handler called again at once. A problem that is being retried already stays as it is.
     */
    readonly retry: (of: OfProblem) => Effect.Effect<void, NotFound | StorageError>
    /**
     * The operator has done at the telco by hand what the job was to do. The job is gone, and what follows from it is
     * done: a SIM that waited for it is free. An event is given up, so that later ones about its SIM go on. A SIM is free
     * only when its telco lists nothing of ours on it (rule S5), or cannot list; with `force` the telco is not asked.
     */
    readonly resolve: (
      of: OfProblem & { readonly force?: boolean }
    ) => Effect.Effect<
      void,
      NotFound | PackagesListed | InsideTransaction | TelcoRefused | TelcoUnavailable | StorageError
    >
    /**
     * Whose the packages are that the telco may list on a SIM, for a comparison with that list (rule S5). None where the SIM
     * is free. Null while the SIM is being sold or released, and where nobody has it: there is nothing to compare then.
     */
    readonly owners: (of: {
      readonly iccid: string
    }) => Effect.Effect<ReadonlyArray<Attachment.WithPackages> | null, StorageError>
    /**
     * Adds what a comparison of the telco's books with ours has found. One that is there already stays as it is; one
     * about a SIM that nobody has is left out.
     */
    readonly add: (of: { readonly findings: ReadonlyArray<Problem.Finding> }) => Effect.Effect<void, StorageError>
  }
>()("simplan/Problems") {}

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<Problems, never, Storage | BusinessClock | Commits | Telco> = Layer.effect(
  Problems,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const telco = yield* Telco
    const inTime = yield* makeInTime
    const refuseInside = yield* makeRefuseInside

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

    /** The problem of an event is gone, and the event with it as `next` has it, unless it is not pending any more. */
    const ofEvent = Effect.fnUntraced(function* (
      action: Action,
      job: Job & { readonly endedAt: Instant },
      deliveryId: string,
      next: (delivery: Delivery.Delivery, now: Instant) => Delivery.Delivery
    ) {
      const { endedAt, jobId, organizationId } = job
      const found = yield* storage.eventHandlers.delivery({ organizationId, deliveryId })
      const now = yield* clock.now
      const isPending = found?.delivery.status === "Pending"
      const commit: Commit = {
        jobs: { resolved: [{ jobId, endedAt }] },
        ...(isPending && { deliveries: { replayed: [next(found.delivery, now)] } })
      }
      yield* audited(action, job, commit, now)
    })

    return Problems.of({
      owners: Effect.fn("Problems.owners")(function* ({ iccid }) {
        const owner = yield* storage.simAggregates.owner(iccid)
        if (owner === null) return null
        const { organizationId } = owner
        const aggregate = yield* storage.simAggregates.get({ organizationId, iccid })
        return aggregate === null ? null : SimAggregate.owners(aggregate)
      }),
      add: Effect.fn("Problems.add")(function* ({ findings }) {
        if (findings.length === 0) return
        const now = yield* clock.now
        const iccids = [...new Set(findings.map(({ iccid }) => iccid))]
        const found = yield* storage.simAggregates.forReports({
          iccids: iccids.map((iccid) => ({ iccid, since: now, packageIds: [], reportIds: [] })),
          seenSince: now
        })
        const owners = new Map(found.map(({ aggregate: { sim } }) => [sim.iccid, sim.organizationId]))
        const put = findings.flatMap((finding) => {
          const owner = owners.get(finding.iccid)
          return owner === undefined ? [] : [{ job: Problem.found(finding, owner, now), lease: null }]
        })
        if (put.length > 0) yield* commits.retryOnConflict(commits.write({ jobs: { put } }))
      }),
      page: Effect.fn("Problems.page")(function* ({ after, limit }) {
        const found = yield* storage.problems.page({ after, limit: limit + 1 })
        return Paging.page(found, limit, ({ createdAt, jobId }) => ({ createdAt, id: jobId }))
      }),
      retry: Effect.fn("Problems.retry")((of) =>
        commits.retryOnConflict(
          Effect.gen(function* () {
            const job = yield* storage.jobs.get(of.problemId)
            if (job !== null && Problem.isRetried(job)) return
            if (job === null || job.endedAt === null) return yield* missing(of)
            const { endedAt, jobId, work } = job
            if (work._tag === "HandleEvent") {
              return yield* ofEvent("problem.retry", { ...job, endedAt }, work.deliveryId, Delivery.dueAgain)
            }
            const now = yield* clock.now
            const commit = { jobs: { reopened: [{ jobId, endedAt, ...Problem.retried(now) }] } }
            yield* audited("problem.retry", job, commit, now)
          })
        )
      ),
      resolve: Effect.fn("Problems.resolve")((of) =>
        commits.retryOnConflict(
          Effect.gen(function* () {
            const job = yield* storage.jobs.get(of.problemId)
            if (job === null || job.endedAt === null) return yield* missing(of)
            const { endedAt, jobId, organizationId, work } = job
            if (work._tag === "HandleEvent") {
              return yield* ofEvent("problem.resolve", { ...job, endedAt }, work.deliveryId, Delivery.resolved)
            }
            const sim = "iccid" in work ? yield* storage.sims.get({ organizationId, iccid: work.iccid }) : null
            const decision = Problem.done(work, sim)
            if (decision.sim !== undefined && of.force !== true) yield* nothingListed(decision.sim.loaded.sim.iccid)
            const now = yield* clock.now
            const commit = yield* commits.prepare(organizationId, decision, now)
            yield* audited(
              "problem.resolve",
              job,
              { ...commit, jobs: { ...commit.jobs, resolved: [{ jobId, endedAt }] } },
              now
            )
          })
        )
      )
    })
  })
)
