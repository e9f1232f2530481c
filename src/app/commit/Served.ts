/**
 * What the running fiber serves: a request, perhaps with an idempotency key, or a command, or
 * neither. The first commit of a request with a key carries that key's record (rule W2), and that
 * of a command ends the command's job (rule H1). What a host sets of it is `RequestContext`.
 */
import { Context, Data, Effect } from "effect"
import { HOST, type Origin } from "../../domain/AuditEntry.ts"
import { type Answer, type Interrupted, type Outcome, type RequestKey, RETENTION } from "../../domain/Idempotency.ts"
import type * as Job from "../../domain/Job.ts"
import { InsideTransaction } from "../../domain/Refusal.ts"
import type { Instant } from "../../domain/Time.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import type { JobLease } from "../../ports/Jobs.ts"
import type * as Storage from "../../ports/Storage.ts"
import * as RequestContext from "../RequestContext.ts"

/** Where a change by this request comes from. */
export const originOf = ({
  actor = HOST,
  address,
  reason = null,
  requestId
}: RequestContext.RequestContext): Origin => ({ actor, address, requestId, reason })

/** The idempotency key of the request, and whether a commit has written its record. */
export interface ServedKey {
  readonly request: RequestKey
  /**
   * The attempt that an earlier request under the key has left (rule S5), or that this one holds
   * the record by; null: none.
   */
  interrupted: Interrupted | null
  readonly done: { current: boolean }
}

/** Null if the request has no key. */
export const CurrentIdempotency = Context.Reference<ServedKey | null>("simplan/Commits/CurrentIdempotency", {
  defaultValue: () => null
})

/**
 * Another request has used the key meanwhile. `IdempotencyKeys.once` answers with the outcome of
 * that request.
 */
export class KeyTaken extends Data.TaggedError("KeyTaken")<{}> {}

/**
 * What a commit records for the request or command: the answer, that a job will add it later, or
 * the attempt by which a request of many commits holds its key. No command has such a one.
 */
export type RecordedOutcome = Answer | "later" | Interrupted

/** Writes the record of a request, in place of one that is too old or that was interrupted. */
export const putRecord = (
  { interrupted, request: { fingerprint, key, organizationId } }: Pick<ServedKey, "interrupted" | "request">,
  outcome: Outcome | Interrupted,
  now: Instant
): NonNullable<NonNullable<Storage.Commit["idempotency"]>["put"]> => [
  {
    record: { organizationId, key, fingerprint, createdAt: now, outcome },
    replaces: now - RETENTION,
    ...(interrupted !== null && { insteadOf: interrupted.attemptId })
  }
]

export const isHold = (recorded: RecordedOutcome): recorded is Interrupted => recorded !== "later" && "_tag" in recorded

const succeeded = (answer: Answer): Outcome => ({ _tag: "Succeeded", answer })

/** The commit with the record of its request. */
export const withRecord = (
  commit: Storage.Commit,
  idempotency: ServedKey,
  recorded: RecordedOutcome,
  now: Instant
): Storage.Commit => {
  const outcome =
    recorded === "later" ? { _tag: "Pending" as const } : isHold(recorded) ? recorded : succeeded(recorded)
  return { ...commit, idempotency: { ...commit.idempotency, put: putRecord(idempotency, outcome, now) } }
}

/**
 * The command that the fiber carries out. The first commit of the use case ends the command's job.
 * It either settles the command, or it leaves a job that the command waits for, and that job's last
 * commit settles the command or leaves the job of its next attempt. So there is always exactly one
 * job to go on with, at any moment that a process may die.
 */
export interface ServedCommand {
  readonly organizationId: string
  readonly waiting: Job.WaitingCommand
  /** The lease of the command's job. */
  readonly lease: JobLease
  /** Whether a commit has ended the command's job. */
  readonly done: { current: boolean }
}

/** Null if the fiber carries out no command. */
export const CurrentCommand = Context.Reference<ServedCommand | null>("simplan/Commits/CurrentCommand", {
  defaultValue: () => null
})

/**
 * The commit, extended to end the command's job, and to settle the command unless a job will do
 * that later.
 */
export const endingCommand = (
  commit: Storage.Commit,
  command: ServedCommand,
  recorded: Exclude<RecordedOutcome, Interrupted>,
  now: Instant
): Storage.Commit => {
  const { lease, organizationId, waiting } = command
  const jobs = { ...commit.jobs, finished: [...(commit.jobs?.finished ?? []), lease] }
  if (recorded === "later") return { ...commit, jobs }
  const { commandId } = waiting
  const outcome = { _tag: "Succeeded" as const, answer: recorded }
  return { ...commit, jobs, commands: { settled: [{ organizationId, commandId, outcome, settledAt: now }] } }
}

/** All that the running fiber serves. */
export const serving = Effect.withFiber((fiber) =>
  Effect.succeed({
    idempotency: fiber.getRef(CurrentIdempotency),
    command: fiber.getRef(CurrentCommand),
    origin: originOf(fiber.getRef(RequestContext.Current))
  })
)

/** Serves no request with an idempotency key, and no command. */
export const unattended = Context.make(CurrentIdempotency, null).pipe(Context.add(CurrentCommand, null))

/**
 * Refuses an operation that calls the telco with `InsideTransaction` if the calling fiber runs
 * inside a transaction of the host (rule H1): a rollback would not undo what the telco has done.
 */
export const makeRefuseInside = Effect.map(
  HostTransaction,
  (inTransaction) =>
    (operation: string): Effect.Effect<void, InsideTransaction> =>
      Effect.flatMap(inTransaction, (isInside) =>
        isInside
          ? Effect.fail(
              new InsideTransaction({
                operation,
                message: `${operation} calls the telco, so it cannot run inside a database transaction: submit a command there instead (Commands.submit, simplan.within)`
              })
            )
          : Effect.void
      )
)
