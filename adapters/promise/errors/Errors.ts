/**
 * The errors that calls reject with: one class for each refusal of the service, which are printed
 * from their catalogue, and for what can go wrong around it.
 */
import { ConflictError, type ErrorDetails, SimplanError } from "./SimplanError.ts"

export * from "./printed/Refused.ts"
export type * from "./printed/RefusalCode.ts"
export * from "./SimplanError.ts"

/**
 * The transaction that `simplan.within` was given cannot be used: none is open on the connection,
 * as on a pool and after a commit, or it has failed, is read-only, is one of another database, or
 * took longer than a setting of the host's lets it. Nothing was done: `transaction_unusable`, 409.
 */
export class TransactionError extends ConflictError {
  static {
    this.prototype.name = "TransactionError"
  }

  /** The database's SQLSTATE, such as `25P01`; absent if it has said nothing. */
  declare readonly sqlState?: string
  /**
   * Whether the transaction as a whole can be tried again: after `statement_timeout` (57014),
   * `idle_in_transaction_session_timeout` (25P03) and `transaction_timeout` (25P04).
   */
  readonly retryable: boolean

  constructor(details: ErrorDetails & { readonly sqlState: string | null; readonly retryable?: boolean }) {
    super(details)
    this.retryable = details.retryable ?? false
    if (details.sqlState !== null) this.sqlState = details.sqlState
  }
}

/**
 * The host's transaction met a deadlock, a serialization failure, or a lock that it may not wait
 * for any longer. Nothing was done: roll the transaction back, and begin it anew.
 * `transaction_conflict`, 409.
 */
export class TransactionConflictError extends ConflictError {
  static {
    this.prototype.name = "TransactionConflictError"
  }

  /**
   * The database's SQLSTATE: `40001`, a serialization failure, `40P01`, a deadlock, or `55P03`, a
   * lock.
   */
  readonly sqlState: string
  /** The transaction as a whole can be tried again. */
  readonly retryable = true

  constructor(details: ErrorDetails & { readonly sqlState: string }) {
    super(details)
    this.sqlState = details.sqlState
  }
}

/**
 * The database is out of reach, full or broken. Whether the call's change was made is unknown:
 * `storage_unavailable`, 503.
 */
export class StorageUnavailableError extends SimplanError {
  static {
    this.prototype.name = "StorageUnavailableError"
  }
}

/** The call's `timeout` has passed. What is not committed does not happen: `timeout`, 504. */
export class TimeoutError extends SimplanError {
  static {
    this.prototype.name = "TimeoutError"
  }
}

/** `close` was called: `not_ready`, 503. */
export class ClosedError extends SimplanError {
  static {
    this.prototype.name = "ClosedError"
  }
}

/** An adapter's answer that is final: thrown by a function of the telco, it refuses the call. */
export class TelcoRefused extends Error {
  static {
    this.prototype.name = "TelcoRefused"
  }
}

/**
 * The telco could not be reached, or did not answer in time: thrown by a function of the telco, it
 * makes the call be tried again with the same key, not before `retryAfterSeconds`.
 */
export class TelcoUnavailable extends Error {
  static {
    this.prototype.name = "TelcoUnavailable"
  }

  /** After how many seconds the telco can be tried again. */
  declare readonly retryAfterSeconds?: number
  /**
   * False: the telco has certainly not done it, and will not, so that nothing of it has to be
   * undone (rule S5).
   */
  declare readonly isDone?: false

  constructor(
    message: string,
    options?: { readonly retryAfterSeconds?: number; readonly isDone?: false; readonly cause?: unknown }
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    if (options?.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds
    if (options?.isDone === false) this.isDone = false
  }
}
