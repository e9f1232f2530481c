/**
 * Handing the first packages of an attachment to the telco, and committing what came of it
 * (rule S5).
 *
 * Whoever holds the job may do it, the request that left it or, after a crash, a worker: each
 * package is asked for by its own id, so that asking again creates none twice. Either all are there
 * and the attachment shows, or nothing remains. If the telco gives no answer, it depends on who
 * asked:
 *
 * - A request without a key fails, and a job undoes what the telco may have done.
 * - A request with a key may come again. Its attempt is interrupted: it waits for the request, and
 *   is undone later.
 * - A command is tried again with the same attempt until the telco answers (rule H1), and so is,
 *   without a key, what a crash has left: its packages may be there, and be used.
 */
import { Effect, Result } from "effect"
import * as Activation from "../../domain/Activation.ts"
import type { Attachment } from "../../domain/Attachment.ts"
import * as Idempotency from "../../domain/Idempotency.ts"
import type { Work } from "../../domain/Job.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import { packageId } from "../../domain/Package.ts"
import { orderedLoad } from "../../domain/Plan.ts"
import * as Problem from "../../domain/Problem.ts"
import * as Provisioning from "../../domain/Provisioning.ts"
import * as Recurrence from "../../domain/Recurrence.ts"
import { PackagesListed, SimsReleasing, TelcoRefused } from "../../domain/Refusal.ts"
import { type Created, isPending } from "../../domain/Subscription.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { type Refused, Telco, type Unavailable } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { cachedThenReload } from "../commit/CommittedCache.ts"
import { AGAIN } from "../telco/OccupiedSims.ts"
import {
  answering,
  finishing,
  interrupting,
  listing,
  type LeasedJob,
  makeInTime,
  logNotTaken,
  notTaken,
  refusing,
  retrying
} from "../telco/TelcoCall.ts"

/** What the telco said of all packages together. */
type Answer =
  | { readonly _tag: "Taken"; readonly outcomes: ReadonlyArray<Provisioning.Outcome> }
  | {
      readonly _tag: "NotTaken"
      readonly failure: Refused | Unavailable
      /** The occurrences that the telco has, or may have, from this attempt. */
      readonly ordered: ReadonlyArray<number>
    }
  /** The request has not come again: the telco is not asked. */
  | { readonly _tag: "GivenUp" }

/**
 * A package whose period is over by now, perhaps because a crash was in between, is not asked for
 * (rule T5).
 */
const makeAsk = Effect.gen(function* () {
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const clock = yield* BusinessClock
  return Effect.fnUntraced(function* (
    attachment: Attachment,
    onlyAttachments: ReadonlyArray<string> | null
  ): Effect.fn.Return<Answer> {
    const now = yield* clock.now
    const { attachmentId, iccid, terms } = attachment
    const outcomes: Array<Provisioning.Outcome> = []
    const ordered: Array<number> = []
    for (const { occurrence, over, window } of Activation.initialPackages(attachment)) {
      if (over || (window !== null && Recurrence.isOver(window, now))) {
        outcomes.push({ occurrence, telcoPackageId: null, activationAt: null, expirationAt: null })
        continue
      }
      const order = {
        ...{ packageId: packageId(attachmentId, occurrence), iccid, window, terms },
        ...orderedLoad(terms, onlyAttachments !== null && ordered.length === 0),
        ...(onlyAttachments !== null && { onlyAttachments })
      }
      const answer = yield* Effect.result(inTime("createPackage", telco.createPackage(order)))
      if (Result.isFailure(answer)) {
        const { failure } = answer
        const mayHave = failure._tag === "Telco.Unavailable" && failure.isDone !== false
        return { _tag: "NotTaken", failure, ordered: mayHave ? [...ordered, occurrence] : ordered }
      }
      ordered.push(occurrence)
      outcomes.push({ occurrence, ...answer.success })
    }
    return { _tag: "Taken", outcomes }
  })
})

const unconfirmed = (aggregate: SimAggregate.SimAggregate | null, attachmentId: string) => {
  const own = aggregate === null ? undefined : SimAggregate.attachment(aggregate, attachmentId)
  return aggregate === null || own === undefined || own.attachment.confirmed
    ? null
    : { aggregate, attachment: own.attachment }
}

/**
 * What does the job; the outcome is for the request that waits for it, if one does, and that knows
 * the aggregate as its commit left it. The request that begins a creation makes the first attempt,
 * and knows what it ordered. Any later attempt goes on with one that may have ordered every
 * package.
 */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const ask = yield* makeAsk

  /** Whether the attempt was interrupted and its request has not come again since. */
  const isGivenUp = Effect.fnUntraced(function* ({ job }: LeasedJob, attachmentId: string) {
    const { attempts, idempotencyKey: key, organizationId } = job
    if (attempts === 0 || key === null) return false
    return !Idempotency.isResumed(yield* storage.idempotencyRecords.get({ organizationId, key }), attachmentId)
  })

  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { attachmentId, iccid, isNamed }: Extract<Work, { _tag: "Provision" }>,
    known?: SimAggregate.SimAggregate
  ) {
    const { attempts, command, idempotencyKey: key, organizationId } = held.job
    const load = Effect.suspend(() => storage.simAggregates.get({ organizationId, iccid }))
    const isFirst = known !== undefined && attempts === 0
    const aggregate = known ?? (yield* load)
    const present = cachedThenReload<SimAggregate.SimAggregate | null, StorageError>(aggregate, load)
    const first = unconfirmed(aggregate, attachmentId)
    const asked = ({ aggregate, attachment }: NonNullable<typeof first>) =>
      ask(attachment, SimAggregate.soleOwners(aggregate))
    const isOver = known === undefined && (yield* isGivenUp(held, attachmentId))
    const answer: Answer | null = first === null ? null : isOver ? { _tag: "GivenUp" } : yield* asked(first)

    /** The commit of an attempt that the telco did not take, and what its request is answered. */
    const notDone = Effect.fnUntraced(function* (
      { aggregate, attachment }: { readonly aggregate: SimAggregate.SimAggregate; readonly attachment: Attachment },
      answer: Extract<Answer, { _tag: "NotTaken" | "GivenUp" }>
    ) {
      const now = yield* clock.now
      const ordered = isFirst && answer._tag === "NotTaken" ? answer.ordered : Provisioning.orderable(attachment)
      const undo = commits.prepare(organizationId, Provisioning.undo(aggregate, attachment, ordered, now), now)
      if (answer._tag === "GivenUp") return { commit: finishing(held, yield* undo), refusal: notTaken() }
      const { failure } = answer
      if (failure._tag === "Telco.Refused" && failure.occupiedBy !== undefined) {
        const { occupiedBy: packageIds } = failure
        const { label } = aggregate.sim
        const occupied = Provisioning.undo(aggregate, attachment, ordered, now, true)
        // A SIM that was to be sold is a problem of its release.
        const findings = isPending(aggregate.subscription) ? [] : [Problem.occupied(iccid, failure.message)]
        const refusal =
          isNamed === true
            ? new PackagesListed({ iccid, packageIds })
            : new SimsReleasing({ label, retryAfterSeconds: AGAIN })
        yield* Effect.logWarning("the telco has packages of nobody's on a SIM that was to be sold: it is not", {
          ...{ organizationId, iccid, packageIds, answer: failure.message }
        })
        const commit = listing(held, yield* commits.prepare(organizationId, occupied, now), findings, now)
        return { commit: refusing(held, commit, refusal, now), refusal }
      }
      if (failure._tag === "Telco.Refused") {
        const refusal = new TelcoRefused({ message: failure.message })
        // The order begins anew when that is undone, so that it holds one SIM at most.
        const undone = ordered.length === 0 ? null : { iccid, attemptId: attachmentId }
        return { commit: refusing(held, yield* undo, refusal, now, undone), refusal }
      }
      const refusal = yield* logNotTaken(held, "an order", failure)
      // Whoever asked before a crash was told nothing: the creation is finished, as that of a
      // command is.
      const isFinished = command !== null || (key === null && !isFirst)
      if (ordered.length === 0 || (!isFinished && key === null)) {
        return { commit: refusing(held, yield* undo, refusal, now), refusal }
      }
      if (key === null) return { commit: retrying(held, now, failure), refusal }
      const interrupted = yield* commits.prepare(organizationId, Provisioning.interrupt(aggregate), now)
      return { commit: interrupting(held, interrupted, { iccid, attemptId: attachmentId }, failure, now), refusal }
    })

    return yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const loaded = unconfirmed(yield* present, attachmentId)
        const now = yield* clock.now
        if (loaded === null || answer === null) {
          const refusal = notTaken()
          yield* commits.write(refusing(held, {}, refusal, now))
          return Result.fail(refusal)
        }
        if (answer._tag !== "Taken") {
          const { commit, refusal } = yield* notDone(loaded, answer)
          yield* commits.write(commit)
          return Result.fail(refusal)
        }
        const { attachment, aggregate } = loaded
        const { created, decision } = Provisioning.confirm(aggregate, attachment, answer.outcomes, now)
        const decided = yield* commits.prepare(organizationId, decision, now)
        const change = Provisioning.change(attachment, isPending(aggregate.subscription))
        const commit = yield* commits.audited(decided, change, now, held.job.origin)
        yield* commits.write(answering(held, commit, { kind: "Created", value: created }, now))
        return Result.succeed<Created>(created)
      })
    )
  })
})
