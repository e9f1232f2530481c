/**
 * The idempotency key of the current request, and how its record gets into the commit (rule W2). Internal to `src/app`.
 */
import { Context, Data } from "effect"
import { type Answer, type Outcome, type RequestKey, RETENTION } from "../../domain/Idempotency.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Commit } from "../../ports/Storage.ts"

/** The current request, and whether a commit has written its record. */
export interface IdempotencyContext {
  readonly request: RequestKey
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
