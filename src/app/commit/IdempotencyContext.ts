/**
 * The idempotency key of the current request, and how its record gets into the commit (rule W2). Internal to `src/app`.
 */
import { Context, Data } from "effect"
import { type Answer, type Interrupted, type Outcome, type RequestKey, RETENTION } from "../../domain/Idempotency.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Commit } from "../../ports/Storage.ts"

/** The current request, and whether a commit has written its record. */
export interface IdempotencyContext {
  readonly request: RequestKey
  /** The attempt that an earlier request under the key has left (rule S5); null: none. */
  readonly interrupted: Interrupted | null
  readonly done: { current: boolean }
}

/** Null if the request has no key. */
export const Current = Context.Reference<IdempotencyContext | null>("simplan/IdempotencyContext", {
  defaultValue: () => null
})

/** Another request has used the key meanwhile. `IdempotencyKeys.once` answers with the outcome of that request. */
export class KeyTaken extends Data.TaggedError("KeyTaken")<{}> {}

/** What a commit writes into the record: the answer, or that a job will add it later. */
export type RecordedOutcome = Answer | "later"

/** Writes the record of a request, in place of one that is too old or that was interrupted. */
export const put = (
  { interrupted, request }: Pick<IdempotencyContext, "interrupted" | "request">,
  outcome: Outcome,
  now: Instant
): NonNullable<NonNullable<Commit["idempotency"]>["put"]> => [
  {
    record: { ...request, createdAt: now, outcome },
    replaces: now - RETENTION,
    ...(interrupted !== null && { insteadOf: interrupted.attemptId })
  }
]

/** The commit with the record of its request. */
export const withRecord = (
  commit: Commit,
  context: IdempotencyContext,
  recorded: RecordedOutcome,
  now: Instant
): Commit => {
  const outcome: Outcome = recorded === "later" ? { _tag: "Pending" } : { _tag: "Succeeded", answer: recorded }
  return { ...commit, idempotency: { ...commit.idempotency, put: put(context, outcome, now) } }
}
