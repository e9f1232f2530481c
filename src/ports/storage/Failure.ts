/**
 * How the storage port fails.
 */
import { Data } from "effect"

/** What is the matter with a transaction of the host (rule H1). */
export interface HostTransactionFailure {
  /**
   * `unusable`: nothing can be done in it, because it is not open, has failed, is read-only, or is one of another database.
   * `in conflict`: it met a deadlock, a serialization failure or a lock that it may not wait for any longer, so the host has
   * to roll it back, and begin it anew. `timed out`: likewise, because it or a statement in it took longer than the host lets it.
   */
  readonly is: "unusable" | "in conflict" | "timed out"
  /** Of the database; null where the database has said nothing. */
  readonly sqlState: string | null
}

/**
 * The storage is out of reach, full or broken. Whether a commit that failed so was made is unknown. With `transaction` the
 * storage is well, and nothing was made.
 */
export class StorageError extends Data.TaggedError("StorageError")<{
  /** A sentence for logs. */
  readonly message: string
  /** What the database or its client said. */
  readonly cause?: unknown
  /** Where it is the host's transaction that failed. */
  readonly transaction?: HostTransactionFailure
}> {}

/**
 * The commit changed nothing, because something that it relies on has changed. The use case loads and decides again.
 *
 * `version`: the stored version of a guarded row is another one. `lease`: a job or delivery is not, or no longer, leased
 * with the token. The others name a unique key that is taken. Where several guards fail, any one of them is named.
 */
export class Conflict extends Data.TaggedError("Conflict")<{
  /** What did not fit: a version, a unique key, a lease. */
  readonly on:
    | "version"
    | "lease"
    | "iccid"
    | "region name"
    | "region countries"
    | "api key"
    | "operator token"
    | "operator name"
    | "idempotency key"
    | "command"
}> {}
