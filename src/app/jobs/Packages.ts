/**
 * The jobs about the packages of attachments after their creation: the next occurrence, what is
 * left after a move to another SIM, a suspension, and a cancellation. A refusal of a suspension or
 * cancellation ends the job (rule S6).
 */
import { Effect, Result } from "effect"
import * as Cost from "../../domain/Cost.ts"
import type { Decision } from "../../domain/Decision.ts"
import * as Deletion from "../../domain/Deletion.ts"
import type { Work } from "../../domain/Job.ts"
import * as Occurrence from "../../domain/Occurrence.ts"
import { attachmentIdOf, canonicalId, idOf, isAtTelco, packageId } from "../../domain/Package.ts"
import * as Pause from "../../domain/Pause.ts"
import { orderedLoad } from "../../domain/Plan.ts"
import * as Problem from "../../domain/Problem.ts"
import * as Provisioning from "../../domain/Provisioning.ts"
import * as Replacement from "../../domain/Replacement.ts"
import * as Sim from "../../domain/Sim.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import type { ForOccurrence } from "../../domain/SimAggregate.ts"
import { isPending } from "../../domain/Subscription.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Refused, Telco, Unavailable } from "../../ports/Telco.ts"
import * as TelcoAnswers from "../../ports/TelcoAnswers.ts"
import { cachedThenReload } from "../commit/CommittedCache.ts"
import { Commits } from "../commit/Commits.ts"
import { makePresent } from "../Stays.ts"
import * as Settlements from "../telco/Settlements.ts"
import {
  awaiting,
  type Done,
  ending,
  finishing,
  listing,
  type LeasedJob,
  logRefused,
  makeGiveBack,
  makeInTime,
  retrying
} from "../telco/TelcoCall.ts"

type Of<Tag extends Work["_tag"]> = Extract<Work, { _tag: Tag }>

const NOT_LISTED = Effect.succeed(null)

/** Why a move waits (rule S8). */
const uncounted = ({ isAsked, message, retryAfterSeconds, telco }: Unavailable): Unavailable =>
  new Unavailable({
    message: `The telco has not said how much was used on the SIM before: ${message}`,
    ...(isAsked !== undefined && { isAsked }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(telco !== undefined && { telco })
  })

/** What a telco says of an order that it refuses. */
interface Said {
  readonly message: string
  readonly occupiedBy?: Refused["occupiedBy"] | undefined
}

/**
 * What an operator reads of an order that was refused: for good, or since others have packages
 * there.
 */
const findingOf =
  (id: string, iccid: string, { message, occupiedBy }: Said) =>
  ({ attachments: [{ attachment }] }: ForOccurrence): ReadonlyArray<Problem.Finding> => [
    occupiedBy === undefined ? Problem.refusedPackage(attachment, id, message) : Problem.occupied(iccid, message)
  ]

/** What does the jobs. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const giveBack = yield* makeGiveBack
  const presentOf = yield* makePresent
  const settle = yield* Settlements.make

  /**
   * What the job of a package goes by, as it is stored; null once its attachment is gone or has
   * moved on.
   */
  const load = (
    { job: { organizationId } }: LeasedJob,
    work: Of<"CreatePackage" | "ReplacePackage">
  ): Effect.Effect<ForOccurrence | null, StorageError> => {
    const { attachmentId, iccid, occurrence } = work
    const asked = { organizationId, iccid, attachmentId, occurrence }
    return Effect.map(storage.simAggregates.forOccurrence(asked), Occurrence.stillOf(work))
  }

  /**
   * Rule C1: what an order costs that the telco has taken, whether or not its attachment is there
   * still.
   */
  const charged = Effect.fnUntraced(function* (
    { job: { organizationId } }: LeasedJob,
    { attachmentId, iccid }: Of<"CreatePackage" | "ReplacePackage">,
    ordered: Cost.Ordered,
    answer: Cost.Answer
  ) {
    if (ordered.load === undefined) return {}
    const found = yield* storage.simAggregates.forAttachment({ organizationId, iccid, attachmentId })
    if (found === null) return {}
    const { attachment } = found.attachments[0] ?? { attachment: { attachmentId } }
    return Cost.ofPackage(found.sim, attachment, ordered, answer, yield* clock.now)
  })

  /** Ends the job with a decision on what is stored by then. */
  const record = (
    held: LeasedJob,
    present: Effect.Effect<ForOccurrence | null, StorageError>,
    decide: (present: ForOccurrence | null, now: Instant) => Decision,
    find: (present: ForOccurrence) => ReadonlyArray<Problem.Finding> = () => [],
    cost: Cost.Booking = {}
  ) =>
    commits.retryOnConflict(
      Effect.gen(function* () {
        const { organizationId } = held.job
        const known = yield* present
        const now = yield* clock.now
        const decision = { ...decide(known, now), ...Cost.booking(cost) }
        const commit = yield* commits.prepare(organizationId, decision, now)
        yield* commits.write(finishing(held, listing(held, commit, known === null ? [] : find(known), now)))
      })
    )

  /**
   * Ends the job of a package that is not wanted any more; another job cancels it at the telco,
   * which may have it.
   */
  const cancelled = Effect.fnUntraced(function* (held: LeasedJob, iccid: string, id: string, now: Instant) {
    const decision = { jobs: [Occurrence.cancellation(iccid, id, now)] }
    const commit = yield* commits.prepare(held.job.organizationId, decision, now)
    yield* commits.retryOnConflict(commits.write(finishing(held, commit)))
    return "done" as const satisfies Done
  })

  /**
   * Creates one occurrence of a recurring attachment (rule T5). The commit that ends the job writes
   * the next one's.
   */
  const create = Effect.fnUntraced(function* (held: LeasedJob, work: Of<"CreatePackage">) {
    const { organizationId } = held.job
    const { attachmentId, iccid, occurrence } = work
    const id = packageId(attachmentId, occurrence, work.replacement)
    const now = yield* clock.now
    const loaded = yield* load(held, work)
    const present = cachedThenReload(loaded, load(held, work))
    const recordOutcome = (outcome: Occurrence.Outcome, occupiedBy?: Refused["occupiedBy"], cost?: Cost.Booking) =>
      record(
        held,
        present,
        (known, now) => Occurrence.record(known, work, outcome, now),
        outcome._tag === "Refused" ? findingOf(id, iccid, { message: outcome.message, occupiedBy }) : undefined,
        cost
      )

    const step = Occurrence.step(loaded, occurrence, now)
    switch (step._tag) {
      case "Nothing":
        yield* commits.retryOnConflict(commits.write(finishing(held, {})))
        return "done" satisfies Done
      case "Gone":
        return yield* cancelled(held, iccid, id, now)
      case "Record":
        yield* recordOutcome(step.outcome)
        return "done" satisfies Done
      case "Order": {
        const { attachment, window } = step
        const sole = work.isFirst === true ? { onlyAttachments: yield* owners(held, iccid) } : {}
        const { terms } = attachment
        const load = orderedLoad(terms, work.isFirst === true)
        const order = { packageId: id, iccid, window, terms, ...load, ...sole }
        const answer = yield* Effect.result(inTime("createPackage", telco.createPackage(order)))
        if (Result.isSuccess(answer)) {
          const ordered = { packageId: id, occurrence, isFirst: work.isFirst === true, ...load }
          const cost = yield* charged(held, work, ordered, answer.success)
          yield* recordOutcome({ _tag: "Created", telco: answer.success }, undefined, cost)
          return "done" satisfies Done
        }
        if (answer.failure._tag === "Telco.Refused") {
          const { message, occupiedBy } = answer.failure
          yield* recordOutcome({ _tag: "Refused", message }, occupiedBy)
          return "refused" satisfies Done
        }
        // The next occurrence does not wait for this one.
        const following = Occurrence.next(attachment, occurrence + 1, work.isFirst)
        const { jobs } = yield* commits.prepare(
          organizationId,
          { jobs: following === undefined ? [] : [following] },
          now
        )
        const retry = retrying(held, yield* clock.now, answer.failure, window.end)
        yield* commits.retryOnConflict(commits.write({ ...retry, jobs: { ...jobs, ...retry.jobs } }))
        return "retried" satisfies Done
      }
    }
  })

  /**
   * The attachments that have packages on a SIM, which was free before its subscription moved to it
   * (rule S5).
   */
  const owners = ({ job: { organizationId } }: LeasedJob, iccid: string) =>
    Effect.map(storage.simAggregates.get({ organizationId, iccid }), (aggregate) =>
      aggregate === null ? [] : SimAggregate.attachmentIds(aggregate)
    )

  /**
   * A SIM that its subscription has left, and the one that has the subscription now; null if it
   * is gone.
   */
  const moved = Effect.fnUntraced(function* (organizationId: string, iccid: string) {
    const left = yield* storage.sims.get({ organizationId, iccid })
    const next = left === null ? null : yield* presentOf(left)
    if (left === null || next === null) return null
    const present = yield* storage.simAggregates.get({ organizationId, iccid: next })
    if (present === null || SimAggregate.live(present)?.subscription.subscriptionId !== Sim.followed(left)) return null
    return { left, present }
  })

  /** Stops packages, and asks the telco how much was used of them; null: it cannot say. */
  const stopAndRead = Effect.fnUntraced(function* ({ job }: LeasedJob, iccid: string, ids: ReadonlyArray<string>) {
    const stopped: Array<string> = []
    for (const packageId of ids) {
      const stop = telco.suspendPackage({ packageId, iccid, key: Problem.telcoKey(packageId, job) })
      const answer = yield* Effect.result(inTime("suspendPackage", stop))
      yield* settle({ organizationId: job.organizationId, iccid, packageId }, answer)
      if (Result.isSuccess(answer)) stopped.push(packageId)
      else if (answer.failure._tag === "Telco.Unavailable") return yield* answer.failure
      // Its cancellation will be refused too, which is an operator's to see to. What is left is not
      // withheld for that.
    }
    if (telco.readUsage === undefined) return null
    const read = inTime("readUsage", telco.readUsage({ iccid, stopped }))
    // Failure: the last report is taken for right, and what the old SIM still reports counts
    // (rule S8).
    return yield* Effect.catchTag(read, "Telco.Refused", ({ message }) =>
      Effect.as(
        Effect.logWarning("the telco does not say how much was used on a SIM", { iccid, answer: message }),
        null
      )
    )
  })

  /**
   * Rule S8: stops the packages on a SIM that its subscription has left, and records how much of
   * them was used there, before anything is cancelled or ordered. Once they are cancelled nobody
   * can say that, so before that it is read again, for what was charged late. Done again it changes
   * nothing else. The answer of a telco that is unavailable is returned.
   */
  const count = Effect.fnUntraced(function* (held: LeasedJob, iccid: string, isBeforeEnd = false) {
    const { organizationId } = held.job
    const known = yield* moved(organizationId, iccid)
    const ids = known === null ? [] : Replacement.uncounted(known.present, iccid)
    const isRead = ids.length > 0 || (isBeforeEnd && known !== null && Replacement.isCounted(known.present, iccid))
    if (!isRead) return null
    const read = yield* stopAndRead(held, iccid, ids).pipe(
      Effect.map((usage) => Result.succeed(usage)),
      Effect.catchTag("Telco.Unavailable", (failure) => Effect.succeed(Result.fail(failure)))
    )
    if (Result.isFailure(read)) return uncounted(read.failure)
    yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const fresh = yield* moved(organizationId, iccid)
        if (fresh === null) return
        const now = yield* clock.now
        const { decision, left, usage } = Replacement.counted(fresh.left, fresh.present, read.success, now)
        const commit = yield* commits.prepare(organizationId, decision, now)
        yield* commits.write({ ...commit, sims: [left, ...(commit.sims ?? [])], reports: { usage } })
      })
    )
    return null
  })

  /** Orders what is left of a package on the SIM that its subscription has moved to (rule S8). */
  const replace = Effect.fnUntraced(function* (
    held: LeasedJob,
    work: Of<"ReplacePackage">,
    isCounted = false
  ): Effect.fn.Return<Done, StorageError> {
    const { attachmentId, iccid, occurrence, replacement } = work
    const id = packageId(attachmentId, occurrence, replacement)
    const now = yield* clock.now
    const loaded = yield* load(held, work)
    const present = cachedThenReload(loaded, load(held, work))
    const step = Replacement.step(loaded, work, now, isCounted)
    switch (step._tag) {
      case "Count":
        for (const left of step.iccids) {
          const unavailable = yield* count(held, left)
          if (unavailable === null) continue
          yield* commits.retryOnConflict(commits.write(retrying(held, yield* clock.now, unavailable)))
          return "retried" satisfies Done
        }
        return yield* replace(held, work, true)
      case "Nothing":
        yield* commits.retryOnConflict(commits.write(finishing(held, {})))
        return "done" satisfies Done
      case "Gone":
        return yield* cancelled(held, iccid, id, now)
      case "Order": {
        const onlyAttachments = yield* owners(held, iccid)
        const { terms, window } = step
        const load = orderedLoad(terms, work.isLoad === true)
        const order = { packageId: id, iccid, window, terms, ...load, onlyAttachments }
        const answer = yield* Effect.result(inTime("createPackage", telco.createPackage(order)))
        if (Result.isFailure(answer) && answer.failure._tag === "Telco.Unavailable") {
          const retry = retrying(held, yield* clock.now, answer.failure, step.window?.end)
          yield* commits.retryOnConflict(commits.write(retry))
          return "retried" satisfies Done
        }
        const outcome: Replacement.Outcome = Result.isSuccess(answer)
          ? { _tag: "Created", telcoPackageId: answer.success.telcoPackageId }
          : { _tag: "Refused", message: answer.failure.message }
        const find = Result.isFailure(answer) ? findingOf(id, iccid, answer.failure) : undefined
        const ordered = { packageId: id, occurrence, isFirst: work.isLoad === true, ...load }
        const cost = Result.isSuccess(answer) ? yield* charged(held, work, ordered, answer.success) : {}
        yield* record(held, present, (known, now) => Replacement.record(known, work, outcome, now), find, cost)
        return Result.isSuccess(answer) ? ("done" satisfies Done) : ("refused" satisfies Done)
      }
    }
  })

  /** Sends a suspension to the telco until it has taken it (rule T7). */
  const suspend = Effect.fnUntraced(function* (held: LeasedJob, { attachmentId, iccid }: Of<"SuspendPackages">) {
    const { organizationId } = held.job
    const aggregate = yield* storage.simAggregates.forAttachment({ organizationId, iccid, attachmentId })
    const now = yield* clock.now
    for (const pack of aggregate?.attachments[0]?.packages ?? []) {
      if (!isAtTelco(pack, now)) continue
      const id = idOf(pack)
      const call = telco.suspendPackage({ packageId: id, iccid, key: Problem.telcoKey(id, held.job) })
      const answer = yield* Effect.result(inTime("suspendPackage", call))
      yield* settle({ organizationId, iccid, packageId: id }, answer)
      if (Result.isFailure(answer)) return yield* giveBack(held, "suspension", answer.failure)
    }
    yield* commits.retryOnConflict(commits.write(finishing(held, {})))
    return "done" satisfies Done
  })

  /**
   * Of the packages that were listed on a SIM that is released, those that this job has not
   * cancelled. The SIM is read after the list: while it is being released, or has been left by its
   * subscription, nobody owns what was listed before. If the job was lost and the SIM has been sold
   * since, what was listed may be the next subscription's, also one that is interrupted, and none
   * of it is this job's.
   */
  const ownerless = Effect.fnUntraced(function* (
    { job: { organizationId } }: LeasedJob,
    { iccid, packageIds }: Of<"CancelPackages">,
    listed: ReadonlyArray<string>
  ) {
    const left = listed.filter((id) => !packageIds.includes(canonicalId(id)))
    if (left.length === 0) return left
    const aggregate = yield* storage.simAggregates.get({ organizationId, iccid })
    if (aggregate === null || Deletion.releaseJobOf(aggregate.sim) === null) return []
    if (isPending(aggregate.subscription)) return []
    return left
  })

  /**
   * Of what the telco lists on a SIM that is released, what is of others than the attachments of
   * the job, as after a restore, or was used before its creation was undone. `Telco.Unavailable`
   * while the creation of one is being undone: that knows what was used of it.
   */
  const ofOthers = Effect.fnUntraced(function* (held: LeasedJob, work: Of<"CancelPackages">) {
    const { iccid, onlyAttachments = [] } = work
    if (telco.listPackages === undefined) return []
    const { organizationId } = held.job
    const listed = yield* inTime("listPackages", telco.listPackages({ iccid, onlyAttachments }))
    // A telco may list them all the same.
    const others = (yield* ownerless(held, work, listed ?? [])).filter(
      (id) => !onlyAttachments.includes(attachmentIdOf(id))
    )
    for (const id of others) {
      for (const one of [attachmentIdOf(id), id]) {
        const undoing = yield* storage.jobs.get({ organizationId, jobId: Provisioning.undoJobId(one) })
        if (undoing !== null && undoing.endedAt === null) {
          return yield* new Unavailable({ message: `The package ${id} is being cancelled` })
        }
      }
    }
    return others
  })

  /**
   * Rules S5 and S6: the job ends, and its SIM waits for an operator, who knows whose the packages
   * are.
   */
  const leaveToOperator = Effect.fnUntraced(function* (
    held: LeasedJob,
    iccid: string,
    packageIds: ReadonlyArray<string>
  ) {
    const message = Deletion.reviewed(iccid, packageIds)
    const { jobs } = ending(held, { message }, yield* clock.now)
    yield* commits.retryOnConflict(commits.write({ jobs }))
    return yield* logRefused(held, "release", new Refused({ message }), true)
  })

  /**
   * Rule S7: whether the SIM is to be resumed first. Then the job waits, and that change has it
   * tried at once. Else whether its profile is released; that of a SIM which is withdrawn is not
   * (rule S8).
   */
  const beforeRelease = Effect.fnUntraced(function* (held: LeasedJob, iccid: string) {
    const { organizationId } = held.job
    return yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const sim = yield* storage.sims.get({ organizationId, iccid })
        if (sim === null) return "release"
        if (Pause.isResumed(sim)) return Sim.withdrawnReason(sim) === null ? "release" : "keep"
        const now = yield* clock.now
        // Written with the SIM, so that the change which ends meanwhile sees this job wait.
        const commit = yield* commits.prepare(organizationId, { sim: { loaded: { sim }, next: { sim } } }, now)
        yield* commits.write({ ...commit, ...awaiting(held, "The SIM is not resumed yet", now) })
        return "wait"
      })
    )
  })

  /**
   * Cancels packages at the telco until it has confirmed that none is left, and then, if asked
   * for, releases the SIM (rules S3, S5 and S8). Before a SIM is released, all that its telco lists
   * on it is cancelled too: packages that nobody here knows of, as a process that died or a
   * restored backup leaves them. If they may be of somebody else (`Review`), an operator decides
   * about those that are not its subscription's. A SIM that is paused is resumed first (rule S7).
   */
  const cancel = Effect.fnUntraced(function* (held: LeasedJob, work: Of<"CancelPackages">) {
    const { jobId, organizationId } = held.job
    const { iccid, packageIds, release } = work
    // The telco may forget what was used of a package that is cancelled, also of one whose order
    // came back after the move.
    const unavailable = yield* count(held, iccid, true)
    if (unavailable !== null) return yield* giveBack(held, "cancellation", unavailable)
    const keyOf = (key: string) => Problem.telcoKey(key, held.job)
    // What an operator has tried again is cancelled, used or not.
    const isUndone = work.isUndone === true && !Problem.isRetried(held.job)
    const asked = { ...(release === "Confirmed" && { isConfirmed: true as const }), ...(isUndone && { isUndone }) }
    /** Whether what the SIM was bought with was used; the first failure ends it. */
    const cancelEach = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
      let isUsed = false
      for (const packageId of ids) {
        const call = telco.cancelPackage({ packageId, iccid, key: keyOf(packageId), ...asked })
        const answer = yield* Effect.result(inTime("cancelPackage", call))
        yield* settle({ organizationId, iccid, packageId }, answer)
        if (Result.isFailure(answer)) return Result.fail(answer.failure)
        isUsed ||= TelcoAnswers.isLoadUsed(answer.success)
      }
      return Result.succeed(isUsed)
    })
    const first = yield* cancelEach(packageIds)
    if (Result.isFailure(first)) return yield* giveBack(held, "cancellation", first.failure)
    const known = yield* Effect.result(
      release !== null && telco.listPackages ? inTime("listPackages", telco.listPackages({ iccid })) : NOT_LISTED
    )
    if (Result.isFailure(known)) return yield* giveBack(held, "cancellation", known.failure)
    const left = yield* ownerless(held, work, known.success ?? [])
    if (release === "Review" && left.length > 0) {
      const others = yield* Effect.catchTags(ofOthers(held, work), {
        "Telco.Refused": (failure) => Effect.succeed(failure),
        "Telco.Unavailable": (failure) => Effect.succeed(failure)
      })
      if ("_tag" in others) return yield* giveBack(held, "cancellation", others)
      if (others.length > 0) return yield* leaveToOperator(held, iccid, others)
    }
    if (left.length > 0) {
      const message = "the telco lists packages on a SIM that is released: they are cancelled"
      yield* Effect.logInfo(message, { organizationId, iccid, packageIds: left })
    }
    const second = yield* cancelEach(left)
    if (Result.isFailure(second)) return yield* giveBack(held, "cancellation", second.failure)
    if (release !== null) {
      const next = yield* beforeRelease(held, iccid)
      if (next === "wait") return "retried" satisfies Done
      if (next === "release") {
        const released = inTime("releaseProfile", telco.releaseProfile({ key: keyOf(jobId), iccid }))
        const third = yield* Effect.result(released)
        if (Result.isFailure(third)) return yield* giveBack(held, "cancellation", third.failure)
      }
    }
    yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const sim = release === null ? null : yield* storage.sims.get({ organizationId, iccid })
        const decision = Problem.done(work, sim, first.success || second.success)
        const commit = yield* commits.prepare(organizationId, decision, yield* clock.now)
        yield* commits.write(finishing(held, commit))
      })
    )
    return "done" satisfies Done
  })

  return { create, replace, suspend, cancel }
})
