/**
 * How the answer to a request with an idempotency key gets into its commit (rule W2): internal to `src/app`.
 */
import { Context, Data } from "effect"
import { type Answer, type Outcome, type RequestKey, RETENTION } from "../../domain/Idempotency.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Commit } from "../../ports/Storage.ts"

/** The request that is being served, and whether a commit has carried its record already. */
export interface IdempotencyContext {
  readonly request: RequestKey
  readonly done: { current: boolean }
}

/** Null where the request has no key. */
export const Current = Context.Reference<IdempotencyContext | null>("simplan/IdempotencyContext", {
  defaultValue: () => null
})

/** A defect that `IdempotencyKeys.once` turns into the twin's answer: another request has used the key meanwhile. */
export class KeyTaken extends Data.TaggedError("KeyTaken")<{}> {}

/** What a commit tells the record: the answer, or that a job will tell it. */
export type RecordedOutcome = Answer | "later"

/** The commit with the record of its request. */
export const withRecord = (commit: Commit, request: RequestKey, told: RecordedOutcome, now: Instant): Commit => {
  const outcome: Outcome = told === "later" ? { _tag: "Pending" } : { _tag: "Succeeded", answer: told }
  return {
    ...commit,
    idempotency: {
      ...commit.idempotency,
      put: [{ record: { ...request, createdAt: now, outcome }, replaces: now - RETENTION }]
    }
  }
}
