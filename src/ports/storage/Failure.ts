/**
 * How the storage port fails.
 */
import { Data } from "effect"

/** The storage is out of reach, full or broken. Whether a commit that failed so was made is unknown. */
export class StorageError extends Data.TaggedError("StorageError")<{
  /** A sentence for logs. */
  readonly message: string
  /** What the database or its client said. */
  readonly cause?: unknown
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
    | "idempotency key"
    | "command"
}> {}
