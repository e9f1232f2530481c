/**
 * The jobs port: handing out durable work. Jobs are written and finished by `Storage.commit`; here they are claimed.
 *
 * A job is given to one worker at a time: a claim holds it until `until` (machine time; at that instant it is over),
 * and a commit under a lease that was lost changes nothing.
 */
import { Context, type Effect } from "effect"
import type { Job } from "../domain/Job.ts"
import type { Instant } from "../domain/Time.ts"
import type { StorageError } from "./Storage.ts"

/** How to claim due work; `now` is business time, `machineNow` and `until` machine time. */
export interface Claim {
  readonly now: Instant
  readonly machineNow: Instant
  readonly until: Instant
  readonly token: string
  readonly limit: number
}

/** Jobs under the token that they are held with, and the machine time at which their leases are to end. */
export interface Renewal {
  readonly held: ReadonlyArray<{ readonly jobId: string; readonly token: string }>
  readonly until: Instant
}

/** What there is to wait for. */
export interface Pending {
  /** Business time at which the next unheld piece of work is due, even if long past; null where there is none. */
  readonly dueAt: Instant | null
  /** How many pieces of work are held by someone. */
  readonly held: number
}

/** How much work there is. What is counted is counted up to 10,000: more need not be told apart. */
export interface Backlog {
  /** Pieces of work that are due and that nobody holds. */
  readonly due: number
  readonly held: number
  /** Business time at which the oldest of those fell due; null where none is due. */
  readonly oldestDueAt: Instant | null
}

export class Jobs extends Context.Service<
  Jobs,
  {
    /** Due jobs that nobody holds, by due time and id. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Job>, StorageError>
    /** Moves the ends of leases. A job that is not, or no longer, held with that token stays as it is. */
    readonly renew: (of: Renewal) => Effect.Effect<void, StorageError>
    readonly pending: (at: { readonly machineNow: Instant }) => Effect.Effect<Pending, StorageError>
    /** For watching; the cost must not grow with what is not due. */
    readonly backlog: (at: {
      readonly now: Instant
      readonly machineNow: Instant
    }) => Effect.Effect<Backlog, StorageError>
    /** Ends every lease: for the start of a process that is known to be the only one. */
    readonly release: Effect.Effect<void, StorageError>
    /** Ends every lease whose token begins with `<holder>-`: for a process that stops. */
    readonly handBack: (of: { readonly holder: string }) => Effect.Effect<void, StorageError>
  }
>()("simplan/Jobs") {}
