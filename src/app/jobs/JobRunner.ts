/**
 * Doing jobs: the worker runs those that are due; a request runs the job that its answer depends
 * on.
 *
 * A request under an idempotency key may have left its attempt without an answer of the telco
 * (rule S5). The same request comes again, takes the attempt's job, and repeats its calls. So an
 * order holds one SIM at most.
 */
import { Cause, Context, Effect, Exit, Fiber, Layer, Option, Result } from "effect"
import type { Job, Work as JobWork } from "../../domain/Job.ts"
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import type { MobilePlanStatus } from "../../domain/MobilePlan.ts"
import type { Decision } from "../../domain/Decision.ts"
import type { Interrupted } from "../../domain/Idempotency.ts"
import { RequestInProgress, type TelcoRefused, type TelcoUnavailable } from "../../domain/Refusal.ts"
import type { Sent } from "../../domain/SmsSegments.ts"
import type { Created } from "../../domain/Subscription.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import * as Storage from "../../ports/Storage.ts"
import type { Telco } from "../../ports/Telco.ts"
import { Caller } from "../../ports/TelcoPorts.ts"
import { Commits } from "../commit/Commits.ts"
import { CurrentIdempotency, putRecord, unattended } from "../commit/Served.ts"
import type { NamedTypes } from "../commit/Caused.ts"
import type { Ids } from "../commit/Ids.ts"
import { type Done, finishing, type LeasedJob, type NotTaken, notTaken } from "../telco/TelcoCall.ts"
import * as BuySim from "./BuySim.ts"
import * as CheckBundle from "./CheckBundle.ts"
import * as ReturnSim from "./ReturnSim.ts"
import * as ChangeMobilePlan from "./ChangeMobilePlan.ts"
import * as CorrectDifference from "./CorrectDifference.ts"
import * as Notifications from "./Notifications.ts"
import * as Provision from "./Provision.ts"
import * as SendSms from "./SendSms.ts"
import * as SetService from "./SetService.ts"
import * as Packages from "./Packages.ts"
import * as Leases from "./Leases.ts"
import * as Metrics from "../Metrics.ts"
import * as Rates from "../Rates.ts"
import { Recovery } from "../telco/Recovery.ts"
import type { SoldBundles } from "../telco/SoldBundles.ts"
import { Settings } from "../Settings.ts"

type Needs = Storage.Storage | Telco | BusinessClock | Commits | Ids | NamedTypes | SoldBundles

/** The work of a tag. */
type Of<Tag extends JobWork["_tag"]> = Extract<JobWork, { _tag: Tag }>

const isOf = <Tag extends JobWork["_tag"]>(work: JobWork, tag: Tag): work is Of<Tag> => work._tag === tag

/**
 * The work that is one call of the telco, or one read of the storage; a command is a use case
 * (`RunCommand`).
 */
export type OneStep = Exclude<JobWork, Of<"RunCommand">>

/** A kind of attempt: the work of its job, and what its jobs are called. */
export interface Attempt<Tag extends JobWork["_tag"]> {
  readonly tag: Tag
  readonly jobId: (attemptId: string) => string
  readonly undoJobId: (attemptId: string) => string
}

/** What goes on with an attempt, decided on what is stored. */
export interface Continuation<A> {
  readonly decision: Decision
  readonly value: A
}

/** An attempt that the request goes on with: its job, and what `decide` has returned. */
export interface Resumed<Tag extends JobWork["_tag"], A> {
  readonly held: LeasedJob
  readonly work: Of<Tag>
  readonly value: A
}

/** What comes of a job that a request waits for. */
type Outcome<A, E = TelcoRefused | TelcoUnavailable> = Effect.Effect<Result.Result<A, E>, Storage.StorageError>

export class JobRunner extends Context.Service<
  JobRunner,
  {
    /** Does one job to its end, its commit included. The caller holds the lease. */
    readonly perform: (held: LeasedJob, work: OneStep) => Effect.Effect<void, Storage.StorageError>
    /** For a request that knows the aggregate as the commit left it. */
    readonly provision: (held: LeasedJob, work: Of<"Provision">, aggregate: SimAggregate) => Outcome<Created, NotTaken>
    readonly sendSms: (held: LeasedJob, work: Of<"SendSms">) => Outcome<Sent>
    readonly changeMobilePlan: (held: LeasedJob, work: Of<"ChangeMobilePlan">) => Outcome<MobilePlanStatus>
    /**
     * Begins all jobs that the commit puts under the lease, and waits so many milliseconds for them
     * at most: so that what they do is usually done when the answer arrives. They do not need the
     * caller. On a clock that stands still they have their turns one after the other, as a worker's
     * jobs do, so that a simulation is the same on every storage.
     */
    readonly tryAll: (commit: Storage.Commit, lease: Storage.Lease, withinMillis: number) => Effect.Effect<void>
    /**
     * What goes on with the attempt of the current request's key. Null if there is none, or
     * if it was undone: then the request begins anew. While it is being undone the request is
     * refused, and so it is while another one goes on with it. `decide` returns null if the
     * attempt is not there any more.
     */
    readonly resume: <Tag extends JobWork["_tag"], A>(
      attempt: Attempt<Tag>,
      decide: (left: Interrupted) => Effect.Effect<Continuation<A> | null, Storage.StorageError>
    ) => Effect.Effect<Resumed<Tag, A> | null, TelcoUnavailable | RequestInProgress | Storage.StorageError>
  }
>()("simplan/JobRunner") {}

/** The outcome of one try; of a job that a request waits for, the answer to the request. */
export type TryOutcome = Done | Result.Result<unknown, NotTaken>

/** Whether another process has taken over what a try was to write. */
export const isLost = (cause: Cause.Cause<unknown>): boolean =>
  Option.getOrNull(Cause.findErrorOption(cause)) instanceof Storage.LeaseLost

const outcomeOf = (exit: Exit.Exit<TryOutcome, Storage.StorageError>): string => {
  if (Exit.isFailure(exit)) {
    if (Cause.hasInterruptsOnly(exit.cause)) return "handed_back"
    return isLost(exit.cause) ? "lost" : "failed"
  }
  if (typeof exit.value === "string") return exit.value
  if (Result.isSuccess(exit.value)) return "done"
  const { _tag } = exit.value.failure
  return _tag === "TelcoRefused" || _tag === "PackagesListed" ? "refused" : "unavailable"
}

/** The outcomes of tries that have not failed. */
const UNFAILED: ReadonlySet<string> = new Set(["done", "handed_back", "lost"])

/** Whether the job may be there still. */
const isRetried = (outcome: TryOutcome): boolean =>
  typeof outcome === "string"
    ? outcome === "retried"
    : Result.isFailure(outcome) && outcome.failure._tag === "TelcoUnavailable"

/**
 * Measures one try of a job. One whose lease was lost is logged here, and nowhere else: it is no
 * failure.
 */
export const measured = <A extends TryOutcome>(
  { job: { jobId, organizationId, work } }: LeasedJob,
  effect: Effect.Effect<A, Storage.StorageError>
) => {
  const kind = work._tag
  const attributes = { "simplan.job_id": jobId, "simplan.organization_id": organizationId }
  const logged = Effect.tapError(effect, (error) =>
    error instanceof Storage.LeaseLost
      ? Effect.logInfo("another process has taken over a job: nothing of this try was written", { jobId, kind })
      : Effect.void
  )
  return Metrics.timed(Metrics.traced(`job ${kind}`, { attributes }, logged), (exit, seconds, context) => {
    const outcome = outcomeOf(exit)
    Metrics.jobs({ kind, outcome })(1, context)
    Rates.count("jobs", !UNFAILED.has(outcome), context)
    Metrics.jobDuration({ kind })(seconds, context)
  })
}

/** The job that the commit puts, for a caller that begins it at once. */
export const heldBy = (commit: Storage.Commit, lease: Storage.Lease): LeasedJob => {
  const job: Job | undefined = commit.jobs?.put?.[0]?.job
  if (job === undefined) throw new Error("the commit leaves no job")
  return { job, token: lease.token }
}

export const layer: Layer.Layer<JobRunner, never, Needs | Leases.BackgroundTasks | Leases.Leases | Recovery> =
  Layer.effect(
    JobRunner,
    Effect.gen(function* () {
      const storage = yield* Storage.Storage
      const clock = yield* BusinessClock
      const commits = yield* Commits
      const tasks = yield* Leases.BackgroundTasks
      const leases = yield* Leases.Leases
      const recovery = yield* Recovery
      const { telcoTimeoutMillis: withinMillis } = yield* Settings
      const isStandingClock = clock.set !== null
      const provision = yield* Provision.make
      const packages = yield* Packages.make
      const sendSms = yield* SendSms.make
      const changeMobilePlan = yield* ChangeMobilePlan.make
      const setService = yield* SetService.make
      const correctDifference = yield* CorrectDifference.make
      const notifyAttachment = yield* Notifications.one
      const notifyAttachments = yield* Notifications.all
      const checkStock = yield* Notifications.checkStock
      const buySim = yield* BuySim.make
      const checkBundle = yield* CheckBundle.make
      const returnSim = yield* ReturnSim.make

      const dispatched = (held: LeasedJob, of: OneStep): Effect.Effect<TryOutcome, Storage.StorageError> => {
        switch (of._tag) {
          case "Provision":
            return provision(held, of)
          case "CreatePackage":
            return packages.create(held, of)
          case "ReplacePackage":
            return packages.replace(held, of)
          case "SuspendPackages":
            return packages.suspend(held, of)
          case "CancelPackages":
            return packages.cancel(held, of)
          case "SendSms":
            return sendSms(held, of)
          case "ChangeMobilePlan":
            return changeMobilePlan(held, of, false)
          case "SetService":
            return setService(held, of)
          case "NotifyAttachment":
            return notifyAttachment(held, of)
          case "NotifyAttachments":
            return notifyAttachments(held, of)
          case "CheckStock":
            return checkStock(held, of)
          case "BuySim":
            return buySim(held, of)
          case "CheckBundle":
            return checkBundle(held, of)
          case "ReturnSim":
            return returnSim(held, of)
          case "CorrectDifference":
          case "UsageDiffers":
            return correctDifference(held, of)
          case "ReviewPackage":
          case "ReviewAccount":
          case "HandleEvent":
            // The retry of a finding (rule S6): the next comparison of both books adds it again if
            // it still finds it.
            return Effect.as(commits.retryOnConflict(commits.write(finishing(held, {}))), "done" as const)
        }
      }

      /** The calls that an effect makes for the job's organization (rule W13). */
      const calling = <A, E>({ job: { organizationId } }: LeasedJob, isAwaited: boolean, effect: Effect.Effect<A, E>) =>
        Effect.provideService(effect, Caller, { organizationId, isAwaited, withinMillis })

      const perform = (held: LeasedJob, of: OneStep) =>
        Effect.tap(measured(held, calling(held, false, dispatched(held, of))), (outcome) =>
          recovery.tried(held.job, isRetried(outcome))
        )

      // A job goes on when the request that began it is gone, and carries that request's
      // idempotency key, or its command, in itself.
      const begin = <A, E>({ job, token }: LeasedJob, effect: Effect.Effect<A, E>) => {
        const lease = Leases.ofJob(job, token)
        const leased = Effect.andThen(leases.hold([lease]), Effect.ensuring(effect, leases.release(lease)))
        return tasks.begin(Effect.provideContext(leased, unattended))
      }
      // No request waits for the attempt of a command (rule H1).
      const awaited = <A, E>(held: LeasedJob, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.flatMap(begin(held, calling(held, held.job.command === null, effect)), Fiber.join)

      const resume = Effect.fnUntraced(function* <Tag extends JobWork["_tag"], A>(
        attempt: Attempt<Tag>,
        decide: (left: Interrupted) => Effect.Effect<Continuation<A> | null, Storage.StorageError>
      ): Effect.fn.Return<Resumed<Tag, A> | null, TelcoUnavailable | RequestInProgress | Storage.StorageError> {
        const context = yield* CurrentIdempotency
        if (context === null || context.interrupted === null) return null
        const { interrupted, request } = context
        const { attemptId } = interrupted
        const { key, organizationId } = request
        const job = yield* storage.jobs.get({ organizationId, jobId: attempt.jobId(attemptId) })
        if (job === null) {
          const undoing = yield* storage.jobs.get({ organizationId, jobId: attempt.undoJobId(attemptId) })
          // One among the problems is an operator's: nothing of the order is on its way (rule S5).
          return undoing === null || undoing.endedAt !== null ? null : yield* notTaken()
        }
        const lease = yield* tasks.lease
        const taken = yield* leases.take(job, lease)
        if (taken === null || !isOf(taken.work, attempt.tag)) return yield* new RequestInProgress({ key })
        const { attempts, jobId } = taken
        const value = yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const continued = yield* decide(interrupted)
            if (continued === null) {
              // The attempt is undone by its job, at once and not after this lease.
              yield* leases.handBack([Leases.ofJob(taken, lease.token)])
              return yield* notTaken()
            }
            const now = yield* clock.now
            const commit = yield* commits.prepare(organizationId, continued.decision, now)
            // Guarded by the lease: whoever has taken the job meanwhile undoes the attempt.
            const retried = [{ organizationId, jobId, token: lease.token, attempts, dueAt: now, lease }]
            const put = putRecord(context, { _tag: "Pending", attemptId }, now)
            yield* commits.write({ ...commit, jobs: { ...commit.jobs, retried }, idempotency: { put } })
            return continued.value
          })
        )
        context.done.current = true
        return { held: { job: taken, token: lease.token }, work: taken.work, value }
      })

      return JobRunner.of({
        resume,
        perform: (held, of) => Effect.asVoid(perform(held, of)),
        provision: (held, of, aggregate) => awaited(held, measured(held, provision(held, of, aggregate))),
        sendSms: (held, of) => awaited(held, measured(held, sendSms(held, of))),
        changeMobilePlan: (held, of) => awaited(held, measured(held, changeMobilePlan(held, of, true))),
        tryAll: Effect.fnUntraced(function* (commit, { token }, withinMillis) {
          const tries: Array<Fiber.Fiber<TryOutcome, Storage.StorageError>> = []
          const ended = Effect.suspend(() => Effect.timeoutOption(Fiber.awaitAll(tries), withinMillis))
          for (const { job, lease } of commit.jobs?.put ?? []) {
            const { work } = job
            if (lease?.token !== token || work._tag === "RunCommand") continue
            const held = { job, token }
            tries.push(yield* begin(held, perform(held, work)))
            if (isStandingClock) yield* ended
          }
          yield* ended
        })
      })
    })
  )
