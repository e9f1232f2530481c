/**
 * The errors that calls reject with: one class for each refusal of the service, and for what can go wrong around it.
 *
 * `code` and `status` are those of the HTTP API (rule W1). A `message` names the method's field, or the resource and its
 * id, and is never empty.
 */

/** The stable names of errors, for programs. Those of refusals are the codes of the HTTP API (rule W1). */
export type ErrorCode =
  | "api_key_not_found"
  | "attachment_expired"
  | "changed_meanwhile"
  | "clock_advancing"
  | "clock_is_system"
  | "command_begun"
  | "command_cancelled"
  | "command_not_found"
  | "coverage_profile_not_found"
  | "delivery_not_found"
  | "esim_installed"
  | "esims_releasing"
  | "event_handler_not_found"
  | "activation_code_not_found"
  | "idempotency_key_reused"
  | "inside_transaction"
  | "internal_error"
  | "invalid_field"
  | "invalid_idempotency_key"
  | "key_invalid"
  | "label_mismatch"
  | "no_free_esim"
  | "not_ready"
  | "operator_not_found"
  | "packages_listed"
  | "organization_not_found"
  | "plan_archived"
  | "plan_attachment_not_found"
  | "plan_not_found"
  | "job_not_found"
  | "problem_not_found"
  | "operator_name_taken"
  | "quota_exceeded"
  | "region_exists"
  | "region_name_taken"
  | "region_uncovered"
  | "request_in_progress"
  | "sim_busy"
  | "sim_in_use"
  | "sim_not_found"
  | "sim_withdrawn"
  | "sms_limited"
  | "storage_unavailable"
  | "subscription_full"
  | "subscription_not_found"
  | "telco_refused"
  | "telco_unavailable"
  | "terms_refused"
  | "not_supported"
  | "timeout"
  | "transaction_conflict"
  | "transaction_unusable"
  | "webhook_endpoint_disabled"
  | "webhook_endpoint_not_found"

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

/** Every error of simplan. One that is no subclass is a fault of simplan or of an adapter: `code` is `internal_error`. */
export class SimplanError extends Error {
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

/** A field of a request or an option has a wrong value, or is not known: `invalid_field`, 400. */
export class InvalidFieldError extends SimplanError {}

/** A kind of thing that may not be there. */
export type Resource =
  | "organization"
  | "plan"
  | "sim"
  | "subscription"
  | "plan attachment"
  | "coverage profile"
  | "operator"
  | "api key"
  | "webhook endpoint"
  | "delivery"
  | "job"
  | "problem"
  | "command"
  | "event handler"
  | "activation code"

/** There is no such thing in the organization: `plan_not_found` and the like, 404. */
export class NotFoundError extends SimplanError {
  /** The kind of thing. */
  readonly resource: Resource
  /** The id that was asked for. */
  readonly id: string

  constructor(details: ErrorDetails & { readonly resource: Resource; readonly id: string }) {
    super(details)
    this.resource = details.resource
    this.id = details.id
  }
}

/** No eSIM of the label is free (rule S2), or none without a mobile plan (rule I6): `no_free_esim`, 404. */
export class NoFreeSimError extends SimplanError {}

/**
 * No eSIM of the label is free now, but some are on their way back to stock (rule S5): `esims_releasing`, 503. Try again
 * after `retryAfterSeconds`.
 */
export class SimsReleasingError extends SimplanError {
  /** When to try again; at least 1. */
  readonly retryAfterSeconds: number
  constructor(details: ErrorDetails & { readonly retryAfterSeconds: number }) {
    super(details)
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/**
 * The organization has sent the SIM as many SMS as it may for now (rule W13): `sms_limited`, 429. Send again after
 * `retryAfterSeconds`.
 */
export class SmsLimitedError extends SimplanError {
  /** When to send again; at least 1. */
  readonly retryAfterSeconds: number
  constructor(details: ErrorDetails & { readonly retryAfterSeconds: number }) {
    super(details)
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** What is asked for does not fit what there is now: 409, and the classes below. */
export class ConflictError extends SimplanError {}

/** An archived plan takes no new attachments (rule P2): `plan_archived`, 409. */
export class PlanArchivedError extends ConflictError {}

/** The SIM is being put into service or released (rule S5); try again shortly: `sim_busy`, 409. */
export class SimBusyError extends ConflictError {}

/** A subscription holds the SIM, so it keeps its label and cannot be withdrawn (rule I9): `sim_in_use`, 409. */
export class SimInUseError extends ConflictError {}

/** The SIM is withdrawn, so no subscription gets it (rule I9): `sim_withdrawn`, 409. */
export class SimWithdrawnError extends ConflictError {}

/**
 * The telco lists packages of ours on the SIM that a resolved problem would free (rule S6): `packages_listed`, 409. Cancel them
 * there, retry, or resolve by force.
 */
export class PackagesListedError extends ConflictError {
  /** The SIM that is not free. */
  readonly iccid: string
  /** What the telco calls them. */
  readonly packageIds: ReadonlyArray<string>

  constructor(details: ErrorDetails & { readonly iccid: string; readonly packageIds: ReadonlyArray<string> }) {
    super(details)
    this.iccid = details.iccid
    this.packageIds = details.packageIds
  }
}

/** The subscription's attachments would be too large together (rule W9): `subscription_full`, 409. */
export class SubscriptionFullError extends ConflictError {}

/** The organization has as many of a kind as it may have (rule W13): `quota_exceeded`, 409. */
export class QuotaExceededError extends ConflictError {}

/** An operator of the service has that name (rule W14): `operator_name_taken`, 409. */
export class OperatorNameTakenError extends ConflictError {}

/** An expired attachment cannot be suspended (rule T7): `attachment_expired`, 409. */
export class AttachmentExpiredError extends ConflictError {}

/** A profile with exactly these countries exists (rule I4): `region_exists`, 409. */
export class RegionExistsError extends ConflictError {
  /** The id of the profile. */
  readonly coverageId: string

  constructor(details: ErrorDetails & { readonly coverageId: string }) {
    super(details)
    this.coverageId = details.coverageId
  }
}

/** A disabled endpoint gets no deliveries (rule W7): `webhook_endpoint_disabled`, 409. */
export class EndpointDisabledError extends ConflictError {}

/** The first call with the idempotency key is still under way (rule W2): `request_in_progress`, 409. */
export class RequestInProgressError extends ConflictError {}

/** The clock is the machine's (`clock_is_system`), or is being moved already (`clock_advancing`): 409. */
export class ClockRefusedError extends ConflictError {}

/**
 * The call cannot be made inside a database transaction of the host, because it calls the telco (rule H1): use
 * `simplan.within` there. `inside_transaction`, 409.
 */
export class InsideTransactionError extends ConflictError {}

/** A command that has begun, or was carried out, cannot be cancelled (rule H1): `command_begun`, 409. */
export class CommandBegunError extends ConflictError {}

/** The command was cancelled before it began (rule H1): `command_cancelled`, 409. */
export class CommandCancelledError extends ConflictError {}

/**
 * The transaction that `simplan.within` was given cannot be used: none is open on the connection, as on a pool and after a
 * commit, or it has failed, is read-only, is one of another database, or took longer than a setting of the host's lets it.
 * Nothing was done: `transaction_unusable`, 409.
 */
export class TransactionError extends ConflictError {
  /** The database's SQLSTATE, such as `25P01`; absent where it has said nothing. */
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
 * The host's transaction met a deadlock, a serialization failure, or a lock that it may not wait for any longer. Nothing was
 * done: roll the transaction back, and begin it anew. `transaction_conflict`, 409.
 */
export class TransactionConflictError extends ConflictError {
  /** The database's SQLSTATE: `40001`, a serialization failure, `40P01`, a deadlock, or `55P03`, a lock. */
  readonly sqlState: string
  /** The transaction as a whole can be tried again. */
  readonly retryable = true

  constructor(details: ErrorDetails & { readonly sqlState: string }) {
    super(details)
    this.sqlState = details.sqlState
  }
}

/** Somebody has changed it since the version that `ifVersion` names (rule W16): `changed_meanwhile`, 412. */
export class ChangedMeanwhileError extends SimplanError {
  /** The version that is there now. */
  readonly version: number

  constructor(details: ErrorDetails & { readonly version: number }) {
    super(details)
    this.version = details.version
  }
}

/** The idempotency key was used with another request (rule W2): `idempotency_key_reused`, 422. */
export class IdempotencyKeyReusedError extends SimplanError {}

/** The SIM's label is not the plan's, or not the requested one (rules S1 and I6): `label_mismatch`, 400. */
export class LabelMismatchError extends SimplanError {}

/** The organization has a region of that name (rule I4): `region_name_taken`, 400. */
export class RegionNameTakenError extends SimplanError {}

/** Some of the countries have no operator under the label (rule I4): `region_uncovered`, 400. */
export class RegionUncoveredError extends SimplanError {
  /** The countries. */
  readonly missingIso2: ReadonlyArray<string>

  constructor(details: ErrorDetails & { readonly missingIso2: ReadonlyArray<string> }) {
    super(details)
    this.missingIso2 = details.missingIso2
  }
}

/** The eSIM was installed on a device, so its subscription cannot be deleted (rule S3): `esim_installed`, 403. */
export class EsimInstalledError extends SimplanError {}

/** No telco carries a plan of these terms (rule P4): `terms_refused`, 422. */
export class TermsRefusedError extends SimplanError {}

/** The telco of the SIM cannot do that (rule S7): `not_supported`, 422. */
export class NotSupportedError extends SimplanError {}

/** The API key is not valid (rule W3): `key_invalid`, 401. */
export class KeyRefusedError extends SimplanError {}

/** The telco refused for good; nothing remains of the call (rule S5): `telco_refused`, 502. */
export class TelcoRefusedError extends SimplanError {}

/** The telco could not be reached in time; what it may have done is undone (rule S5): `telco_unavailable`, 503. */
export class TelcoUnavailableError extends SimplanError {
  /** After how many seconds to try again. */
  readonly retryAfterSeconds: number

  constructor(details: ErrorDetails) {
    super(details)
    this.retryAfterSeconds = details.retryAfterSeconds ?? 1
  }
}

/** The database is out of reach, full or broken. Whether the call's change was made is unknown: `storage_unavailable`, 503. */
export class StorageUnavailableError extends SimplanError {}

/** The call's `timeout` has passed. What is not committed does not happen: `timeout`, 504. */
export class TimeoutError extends SimplanError {}

/** `close` was called: `not_ready`, 503. */
export class ClosedError extends SimplanError {}

/** An adapter's answer that is final: thrown by a function of the telco, it refuses the call. */
export class TelcoRefused extends Error {}

/**
 * The telco could not be reached, or did not answer in time: thrown by a function of the telco, it makes the call be tried
 * again with the same key, not before `retryAfterSeconds`.
 */
export class TelcoUnavailable extends Error {
  /** After how many seconds the telco can be tried again. */
  declare readonly retryAfterSeconds?: number
  /** False: the telco has certainly not done it, and will not, so that nothing of it has to be undone (rule S5). */
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

// On the prototypes, where a name is no field of each error; and as texts, since bundlers give classes other names.
for (const [name, { prototype }] of Object.entries({
  SimplanError,
  InvalidFieldError,
  NotFoundError,
  NoFreeSimError,
  SimsReleasingError,
  SmsLimitedError,
  ConflictError,
  PlanArchivedError,
  SimBusyError,
  SimInUseError,
  SimWithdrawnError,
  PackagesListedError,
  SubscriptionFullError,
  QuotaExceededError,
  OperatorNameTakenError,
  AttachmentExpiredError,
  RegionExistsError,
  EndpointDisabledError,
  RequestInProgressError,
  ClockRefusedError,
  InsideTransactionError,
  CommandBegunError,
  CommandCancelledError,
  TransactionError,
  TransactionConflictError,
  ChangedMeanwhileError,
  IdempotencyKeyReusedError,
  LabelMismatchError,
  RegionNameTakenError,
  RegionUncoveredError,
  EsimInstalledError,
  TermsRefusedError,
  NotSupportedError,
  KeyRefusedError,
  TelcoRefusedError,
  TelcoUnavailableError,
  StorageUnavailableError,
  TimeoutError,
  ClosedError,
  TelcoRefused,
  TelcoUnavailable
})) {
  prototype.name = name
}
