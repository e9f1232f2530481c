/**
 * Handing the first packages of an attachment to the telco, and committing what came of it (rule S5).
 *
 * Whoever holds the job may do it, the request that left it or, after a crash, a worker: each package is asked for by
 * its own id, so that asking again creates none twice. Either all are there and the attachment shows, or nothing
 * remains and a job undoes what the telco may have done.
 */
import { Effect, Result } from "effect"
import * as Activation from "../../domain/Activation.ts"
import * as AuditEntry from "../../domain/AuditEntry.ts"
import type { Attachment } from "../../domain/Attachment.ts"
import type { Work } from "../../domain/Job.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import { packageId } from "../../domain/Package.ts"
import * as Provisioning from "../../domain/Provisioning.ts"
import * as Recurrence from "../../domain/Recurrence.ts"
import { TelcoRefused, type TelcoUnavailable } from "../../domain/Refusal.ts"
import type { Created } from "../../domain/Subscription.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits, cachedThenReload } from "../commit/Commits.ts"
import { answering, type LeasedJob, makeInTime, notTaken, refusing } from "../telco/TelcoCall.ts"

/** What the telco said of all packages together. */
type Answer =
  | { readonly _tag: "Taken"; readonly outcomes: ReadonlyArray<Provisioning.Outcome> }
  | {
      readonly _tag: "NotTaken"
      readonly refusal: TelcoRefused | TelcoUnavailable
      /** The occurrences that the telco has, or may have. */
      readonly ordered: ReadonlyArray<number>
    }

/** A package whose period is over by now, perhaps because a crash was in between, is not asked for (rule T5). */
const makeAsk = Effect.gen(function* () {
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const clock = yield* BusinessClock
  return Effect.fnUntraced(function* (attachment: Attachment) {
    const now = yield* clock.now
    const { attachmentId, iccid, terms } = attachment
    const outcomes: Array<Provisioning.Outcome> = []
    const ordered: Array<number> = []
    for (const { occurrence, over, window } of Activation.initialPackages(attachment)) {
      if (over || (window !== null && Recurrence.isOver(window, now))) {
        outcomes.push({ occurrence, telcoPackageId: null, activationAt: null, expirationAt: null })
        continue
      }
      const order = { packageId: packageId(attachmentId, occurrence), iccid, window, terms }
      const answer = yield* Effect.result(inTime("createPackage", telco.createPackage(order)))
      if (Result.isSuccess(answer)) {
        ordered.push(occurrence)
        outcomes.push({ occurrence, ...answer.success })
      } else if (answer.failure._tag === "Telco.Refused") {
        const refusal = new TelcoRefused({ message: answer.failure.message })
        return { _tag: "NotTaken", refusal, ordered } satisfies Answer
      } else {
        const refusal = notTaken(answer.failure)
        return { _tag: "NotTaken", refusal, ordered: [...ordered, occurrence] } satisfies Answer
      }
    }
    return { _tag: "Taken", outcomes } satisfies Answer
  })
})

const unconfirmed = (aggregate: SimAggregate.SimAggregate | null, attachmentId: string) => {
  const of = aggregate === null ? undefined : SimAggregate.attachment(aggregate, attachmentId)
  return aggregate === null || of === undefined || of.attachment.confirmed
    ? null
    : { aggregate, attachment: of.attachment }
}

/**
 * What does the job; the outcome is for the request that waits for it, if one does, and that knows the aggregate as its
 * commit left it.
 */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const ask = yield* makeAsk
  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { attachmentId, iccid }: Extract<Work, { _tag: "Provision" }>,
    known?: SimAggregate.SimAggregate
  ) {
    const { organizationId } = held.job
    const load = storage.simAggregates.get({ organizationId, iccid })
    const aggregate = known ?? (yield* load)
    const present = cachedThenReload<SimAggregate.SimAggregate | null, StorageError>(aggregate, load)
    const first = unconfirmed(aggregate, attachmentId)
    const answer = first === null ? null : yield* ask(first.attachment)
    return yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const loaded = unconfirmed(yield* present, attachmentId)
        const now = yield* clock.now
        if (loaded === null || answer === null) {
          const refusal = notTaken()
          yield* commits.write(refusing(held, {}, refusal, now))
          return Result.fail(refusal)
        }
        const { attachment, aggregate } = loaded
        if (answer._tag === "NotTaken") {
          const decision = Provisioning.undo(aggregate, attachment, answer.ordered, now)
          const undone = yield* commits.of(organizationId, decision, now)
          yield* commits.write(refusing(held, undone, answer.refusal, now))
          return Result.fail(answer.refusal)
        }
        const { created, decision } = Provisioning.confirm(aggregate, attachment, answer.outcomes, now)
        const decided = yield* commits.of(organizationId, decision, now)
        const change = AuditEntry.creation(attachment, aggregate.subscription?.status === "Pending")
        const commit = yield* commits.audited(decided, change, now, held.job.origin)
        yield* commits.write(answering(held, commit, { kind: "Created", value: created }, now))
        return Result.succeed<Created>(created)
      })
    )
  })
})
