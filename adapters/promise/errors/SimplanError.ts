/**
 * What all errors that calls reject with have in common. `code` and `status` are those of the HTTP
 * API (rule W1). A `message` names the method's field, or the resource and its id, and is never
 * empty.
 */
import type { RefusalCode } from "./printed/RefusalCode.ts"

/**
 * The stable names of errors, for programs. Those of refusals are the codes of the HTTP API
 * (rule W1).
 */
export type ErrorCode =
  | RefusalCode
  | "internal_error"
  | "invalid_idempotency_key"
  | "not_ready"
  | "storage_unavailable"
  | "timeout"
  | "transaction_conflict"
  | "transaction_unusable"

/** What an error has beside its message. */
export interface ErrorDetails {
  /** The stable name of the error, for programs. */
  readonly code: ErrorCode
  /** The HTTP status that goes with the code. */
  readonly status: number
  /** What is wrong, for people. */
  readonly message: string
  /** The field that is wrong; a path such as `recurrence.frequency`. */
  readonly field?: string | undefined
  /** The id under which the log tells more, or the host's own. */
  readonly requestId?: string | undefined
  /** After how many seconds to try again. */
  readonly retryAfterSeconds?: number | undefined
  /** What caused it. */
  readonly cause?: unknown
}

/**
 * Every error of simplan. One that is no subclass is a fault of simplan or of an adapter: `code` is
 * `internal_error`.
 */
export class SimplanError extends Error {
  // On the prototype, where a name is no field of each error; and as a text, since bundlers give
  // classes other names.
  static {
    this.prototype.name = "SimplanError"
  }

  /** The stable name of the error, for programs, such as `plan_not_found`. */
  readonly code: ErrorCode
  /** The HTTP status that goes with the code. */
  readonly status: number
  /** The field that is wrong; a path such as `recurrence.frequency`. */
  declare readonly field?: string
  /** The id under which the log tells more, or the host's own. */
  declare readonly requestId?: string

  constructor(details: ErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = details.code
    this.status = details.status
    if (details.field !== undefined) this.field = details.field
    if (details.requestId !== undefined) this.requestId = details.requestId
  }
}

/** What is asked for does not fit what there is now: 409, and the subclasses. */
export class ConflictError extends SimplanError {
  static {
    this.prototype.name = "ConflictError"
  }
}
