/** Printed from the catalogue of refusals by `npm run print`: the error of each refusal. */
import { ConflictError, type ErrorDetails, SimplanError } from "../SimplanError.ts"
import type { Resource } from "./RefusalCode.ts"

/** A field of the request has an invalid value. `invalid_field`, 400. */
export class InvalidFieldError extends SimplanError {
  static {
    this.prototype.name = "InvalidFieldError"
  }
}

/** The caller sees no resource of this kind with this id. `plan_not_found` and the like, 404. */
export class NotFoundError extends SimplanError {
  static {
    this.prototype.name = "NotFoundError"
  }

  /** What was looked for. */
  readonly resource: Resource
  /** As the caller sent it. */
  readonly id: string

  constructor(details: ErrorDetails & { readonly resource: Resource; readonly id: string }) {
    super(details)
    this.resource = details.resource
    this.id = details.id
  }
}

/**
 * No eSIM of the label is free (rule S2), or none without a mobile plan (rule I6). `no_free_esim`,
 * 404.
 */
export class NoFreeSimError extends SimplanError {
  static {
    this.prototype.name = "NoFreeSimError"
  }

  /** The label of the eSIM that was wanted. */
  readonly label: "Green" | "Aqua" | "Blue" | "Voilet" | "Red" | "Grey" | "Orange"

  constructor(
    details: ErrorDetails & { readonly label: "Green" | "Aqua" | "Blue" | "Voilet" | "Red" | "Grey" | "Orange" }
  ) {
    super(details)
    this.label = details.label
  }
}

/**
 * No eSIM of the label is free now, but some are on their way back to stock (rule S5).
 * `esims_releasing`, 503.
 */
export class SimsReleasingError extends SimplanError {
  static {
    this.prototype.name = "SimsReleasingError"
  }

  /** The label of the eSIM that was wanted. */
  readonly label: "Green" | "Aqua" | "Blue" | "Voilet" | "Red" | "Grey" | "Orange"
  /** When to ask again; at least 1. */
  readonly retryAfterSeconds: number

  constructor(
    details: ErrorDetails & {
      readonly label: "Green" | "Aqua" | "Blue" | "Voilet" | "Red" | "Grey" | "Orange"
      readonly retryAfterSeconds: number
    }
  ) {
    super(details)
    this.label = details.label
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/**
 * No eSIM with the plan's load is free now, but one is being bought of the supplier (rule I15). It
 * comes into the stock as soon as the supplier has it. `esims_issuing`, 503.
 */
export class EsimsIssuingError extends SimplanError {
  static {
    this.prototype.name = "EsimsIssuingError"
  }

  /** The label of the eSIM that was wanted. */
  readonly label: "Green" | "Aqua" | "Blue" | "Voilet" | "Red" | "Grey" | "Orange"
  /** When to ask again; at least 1. */
  readonly retryAfterSeconds: number

  constructor(
    details: ErrorDetails & {
      readonly label: "Green" | "Aqua" | "Blue" | "Voilet" | "Red" | "Grey" | "Orange"
      readonly retryAfterSeconds: number
    }
  ) {
    super(details)
    this.label = details.label
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/**
 * The supplier has no more eSIMs with the plan's load (rule I15), or sells it otherwise than the
 * plan has it (rule P6). `sold_out`, 409.
 */
export class SoldOutError extends ConflictError {
  static {
    this.prototype.name = "SoldOutError"
  }

  /** The supplier's code of the bundle. */
  readonly load: string
  /** How it is sold by now, as a sentence. Absent: there are no more. */
  declare readonly why?: string

  constructor(details: ErrorDetails & { readonly load: string; readonly why?: string }) {
    super(details)
    this.load = details.load
    if (details.why !== undefined) this.why = details.why
  }
}

/**
 * The account at the supplier has not enough money for an eSIM with the plan's load (rule I15).
 * `no_balance`, 503.
 */
export class NoBalanceError extends SimplanError {
  static {
    this.prototype.name = "NoBalanceError"
  }

  /** The supplier's code of the bundle. */
  readonly load: string

  constructor(details: ErrorDetails & { readonly load: string }) {
    super(details)
    this.load = details.load
  }
}

/**
 * The organization has spent in this UTC day at the supplier what it may, or what the eSIM or the
 * top-up costs is not known (rule I16). `spending_limited`, 503.
 */
export class SpendingLimitedError extends SimplanError {
  static {
    this.prototype.name = "SpendingLimitedError"
  }

  /** When the next day begins, or a purchase may have been refused; at least 1. */
  readonly retryAfterSeconds: number

  constructor(details: ErrorDetails & { readonly retryAfterSeconds: number }) {
    super(details)
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** The organization has as many of a kind as it may have (rule W13). `quota_exceeded`, 409. */
export class QuotaExceededError extends ConflictError {
  static {
    this.prototype.name = "QuotaExceededError"
  }

  /** Of what it has too many. */
  readonly kind: "plans" | "regions" | "webhookEndpoints" | "apiKeys"
  /** How many it may have. */
  readonly quota: number

  constructor(
    details: ErrorDetails & {
      readonly kind: "plans" | "regions" | "webhookEndpoints" | "apiKeys"
      readonly quota: number
    }
  ) {
    super(details)
    this.kind = details.kind
    this.quota = details.quota
  }
}

/**
 * The organization has sent the SIM as many SMS as it may for now (rule W13). `sms_limited`, 429.
 */
export class SmsLimitedError extends SimplanError {
  static {
    this.prototype.name = "SmsLimitedError"
  }

  /** The SIM that was to be sent to. */
  readonly iccid: string
  /** When to send again; at least 1. */
  readonly retryAfterSeconds: number

  constructor(details: ErrorDetails & { readonly iccid: string; readonly retryAfterSeconds: number }) {
    super(details)
    this.iccid = details.iccid
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** An archived plan takes no new attachments (rule P2). `plan_archived`, 409. */
export class PlanArchivedError extends ConflictError {
  static {
    this.prototype.name = "PlanArchivedError"
  }

  /** The plan that was to be attached. */
  readonly planId: string

  constructor(details: ErrorDetails & { readonly planId: string }) {
    super(details)
    this.planId = details.planId
  }
}

/**
 * The SIM is being put into service or released. Until that ends it is neither free nor usable
 * (rule S5). `sim_busy`, 409.
 */
export class SimBusyError extends ConflictError {
  static {
    this.prototype.name = "SimBusyError"
  }

  /** The ICCID of the SIM that is under way. */
  readonly iccid: string

  constructor(details: ErrorDetails & { readonly iccid: string }) {
    super(details)
    this.iccid = details.iccid
  }
}

/**
 * The telco lists packages of ours on a SIM that is free, or would be (rules S5 and S6).
 * `packages_listed`, 409.
 */
export class PackagesListedError extends ConflictError {
  static {
    this.prototype.name = "PackagesListedError"
  }

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

/**
 * A command that has begun, or was carried out, cannot be cancelled (rule H1). `command_begun`,
 * 409.
 */
export class CommandBegunError extends ConflictError {
  static {
    this.prototype.name = "CommandBegunError"
  }

  /** The command that was to be cancelled. */
  readonly commandId: string

  constructor(details: ErrorDetails & { readonly commandId: string }) {
    super(details)
    this.commandId = details.commandId
  }
}

/** The host has cancelled the command before it began (rule H1). `command_cancelled`, 409. */
export class CommandCancelledError extends ConflictError {
  static {
    this.prototype.name = "CommandCancelledError"
  }

  /** The command that is not carried out. */
  readonly commandId: string

  constructor(details: ErrorDetails & { readonly commandId: string }) {
    super(details)
    this.commandId = details.commandId
  }
}

/**
 * The SIM's label differs from the plan's or the request's (rules S1 and I6). `label_mismatch`,
 * 400.
 */
export class LabelMismatchError extends SimplanError {
  static {
    this.prototype.name = "LabelMismatchError"
  }

  /** The SIM that was named. */
  readonly iccid: string
  /** The label that the SIM has. */
  readonly simLabel: "Green" | "Aqua" | "Blue" | "Voilet" | "Red" | "Grey" | "Orange"
  /** The one that it would have to have. */
  readonly label: "Green" | "Aqua" | "Blue" | "Voilet" | "Red" | "Grey" | "Orange"

  constructor(
    details: ErrorDetails & {
      readonly iccid: string
      readonly simLabel: "Green" | "Aqua" | "Blue" | "Voilet" | "Red" | "Grey" | "Orange"
      readonly label: "Green" | "Aqua" | "Blue" | "Voilet" | "Red" | "Grey" | "Orange"
    }
  ) {
    super(details)
    this.iccid = details.iccid
    this.simLabel = details.simLabel
    this.label = details.label
  }
}

/**
 * The eSIM shows a sign of a download, so its subscription cannot be deleted (rule S3).
 * `esim_installed`, 403.
 */
export class EsimInstalledError extends SimplanError {
  static {
    this.prototype.name = "EsimInstalledError"
  }

  /** The ICCID of the eSIM that is in a device, or was. */
  readonly iccid: string

  constructor(details: ErrorDetails & { readonly iccid: string }) {
    super(details)
    this.iccid = details.iccid
  }
}

/** An expired attachment cannot be suspended (rule T7). `attachment_expired`, 409. */
export class AttachmentExpiredError extends ConflictError {
  static {
    this.prototype.name = "AttachmentExpiredError"
  }

  /** The attachment that was to be suspended. */
  readonly attachmentId: string

  constructor(details: ErrorDetails & { readonly attachmentId: string }) {
    super(details)
    this.attachmentId = details.attachmentId
  }
}

/**
 * Somebody has changed it since the version that the edit is of (rule W16). `changed_meanwhile`,
 * 412.
 */
export class ChangedMeanwhileError extends SimplanError {
  static {
    this.prototype.name = "ChangedMeanwhileError"
  }

  /** What was to be edited. */
  readonly resource: "sim" | "webhook endpoint" | "catalogue"
  /** The one that is there now. */
  readonly version: number

  constructor(
    details: ErrorDetails & { readonly resource: "sim" | "webhook endpoint" | "catalogue"; readonly version: number }
  ) {
    super(details)
    this.resource = details.resource
    this.version = details.version
  }
}

/** An operator of the service has that name already (rule W14). `operator_name_taken`, 409. */
export class OperatorNameTakenError extends ConflictError {
  static {
    this.prototype.name = "OperatorNameTakenError"
  }

  /** Trimmed, as it was asked for. */
  readonly operatorName: string

  constructor(details: ErrorDetails & { readonly operatorName: string }) {
    super(details)
    this.operatorName = details.operatorName
  }
}

/** The organization has a region of that name already (rule I4). `region_name_taken`, 400. */
export class RegionNameTakenError extends SimplanError {
  static {
    this.prototype.name = "RegionNameTakenError"
  }

  /** Trimmed, as it was asked for. */
  readonly regionName: string
  /** Those of the request that have no operator under the label; none if all have. */
  readonly missingIso2: ReadonlyArray<string>

  constructor(details: ErrorDetails & { readonly regionName: string; readonly missingIso2: ReadonlyArray<string> }) {
    super(details)
    this.regionName = details.regionName
    this.missingIso2 = details.missingIso2
  }
}

/**
 * Some of the country codes have no operator under the label (rule I4). `region_uncovered`, 400.
 */
export class RegionUncoveredError extends SimplanError {
  static {
    this.prototype.name = "RegionUncoveredError"
  }

  /** Those without an operator under the label, upper case. */
  readonly missingIso2: ReadonlyArray<string>

  constructor(details: ErrorDetails & { readonly missingIso2: ReadonlyArray<string> }) {
    super(details)
    this.missingIso2 = details.missingIso2
  }
}

/** A profile with exactly these countries exists (rule I4). `region_exists`, 409. */
export class RegionExistsError extends ConflictError {
  static {
    this.prototype.name = "RegionExistsError"
  }

  /** The id of the profile that exists. */
  readonly coverageId: string
  /** The region code of the profile that exists. */
  readonly regionCode: string
  /** The name of the profile that exists. */
  readonly regionName: string
  /** The countries that both have. */
  readonly iso2List: ReadonlyArray<string>

  constructor(
    details: ErrorDetails & {
      readonly coverageId: string
      readonly regionCode: string
      readonly regionName: string
      readonly iso2List: ReadonlyArray<string>
    }
  ) {
    super(details)
    this.coverageId = details.coverageId
    this.regionCode = details.regionCode
    this.regionName = details.regionName
    this.iso2List = details.iso2List
  }
}

/** A disabled endpoint gets no deliveries (rule W7). `webhook_endpoint_disabled`, 409. */
export class EndpointDisabledError extends ConflictError {
  static {
    this.prototype.name = "EndpointDisabledError"
  }

  /** The endpoint that was to be sent to. */
  readonly endpointId: string

  constructor(details: ErrorDetails & { readonly endpointId: string }) {
    super(details)
    this.endpointId = details.endpointId
  }
}

/** No telco carries a plan of these terms (rule P4). `terms_refused`, 422. */
export class TermsRefusedError extends SimplanError {
  static {
    this.prototype.name = "TermsRefusedError"
  }
}

/** The telco of the SIM cannot do that, so it is not asked (rule S7). `not_supported`, 422. */
export class NotSupportedError extends SimplanError {
  static {
    this.prototype.name = "NotSupportedError"
  }
}

/** The telco refused for good; nothing remains (rule S5). `telco_refused`, 502. */
export class TelcoRefusedError extends SimplanError {
  static {
    this.prototype.name = "TelcoRefusedError"
  }
}

/**
 * The telco could not be reached in time; what it may have done is undone (rule S5).
 * `telco_unavailable`, 503.
 */
export class TelcoUnavailableError extends SimplanError {
  static {
    this.prototype.name = "TelcoUnavailableError"
  }

  /** When to ask again; at least 1. */
  readonly retryAfterSeconds: number
  /** Which telco it is, if there are several. */
  declare readonly telco?: string

  constructor(details: ErrorDetails & { readonly retryAfterSeconds: number; readonly telco?: string }) {
    super(details)
    this.retryAfterSeconds = details.retryAfterSeconds
    if (details.telco !== undefined) this.telco = details.telco
  }
}

/** The idempotency key was used with another request (rule W2). `idempotency_key_reused`, 422. */
export class IdempotencyKeyReusedError extends SimplanError {
  static {
    this.prototype.name = "IdempotencyKeyReusedError"
  }

  /** As the caller sent it. */
  readonly key: string

  constructor(details: ErrorDetails & { readonly key: string }) {
    super(details)
    this.key = details.key
  }
}

/**
 * The first request with this idempotency key is still under way (rule W2). `request_in_progress`,
 * 409.
 */
export class RequestInProgressError extends ConflictError {
  static {
    this.prototype.name = "RequestInProgressError"
  }

  /** As the caller sent it. */
  readonly key: string

  constructor(details: ErrorDetails & { readonly key: string }) {
    super(details)
    this.key = details.key
  }
}

/**
 * The clock cannot be advanced: it is the system's, or another advance is under way.
 * `clock_is_system` or `clock_advancing`, 409.
 */
export class ClockRefusedError extends ConflictError {
  static {
    this.prototype.name = "ClockRefusedError"
  }

  /** `already advancing` ends by itself; the system's clock is never advanced. */
  readonly reason: "system clock" | "already advancing"

  constructor(details: ErrorDetails & { readonly reason: "system clock" | "already advancing" }) {
    super(details)
    this.reason = details.reason
  }
}

/**
 * A subscription holds the SIM, so its label stays, and it cannot be withdrawn (rule I9).
 * `sim_in_use`, 409.
 */
export class SimInUseError extends ConflictError {
  static {
    this.prototype.name = "SimInUseError"
  }

  /** The ICCID of the SIM. */
  readonly iccid: string

  constructor(details: ErrorDetails & { readonly iccid: string }) {
    super(details)
    this.iccid = details.iccid
  }
}

/** The SIM is withdrawn, so no subscription gets it (rule I9). `sim_withdrawn`, 409. */
export class SimWithdrawnError extends ConflictError {
  static {
    this.prototype.name = "SimWithdrawnError"
  }

  /** The ICCID of the SIM. */
  readonly iccid: string
  /** Why it is withdrawn. */
  readonly reason: "broken" | "lost" | "replaced" | "returned"

  constructor(
    details: ErrorDetails & { readonly iccid: string; readonly reason: "broken" | "lost" | "replaced" | "returned" }
  ) {
    super(details)
    this.iccid = details.iccid
    this.reason = details.reason
  }
}

/**
 * The subscription's attachments would be too large to be read at once (rule W9).
 * `subscription_full`, 409.
 */
export class SubscriptionFullError extends ConflictError {
  static {
    this.prototype.name = "SubscriptionFullError"
  }

  /** The subscription that takes no more attachments. */
  readonly subscriptionId: string

  constructor(details: ErrorDetails & { readonly subscriptionId: string }) {
    super(details)
    this.subscriptionId = details.subscriptionId
  }
}

/**
 * The call cannot be made inside a transaction of the host, because it calls the telco (rule H1).
 * `inside_transaction`, 409.
 */
export class InsideTransactionError extends ConflictError {
  static {
    this.prototype.name = "InsideTransactionError"
  }

  /** The operation that was called, such as `subscriptions.create`. */
  readonly operation: string

  constructor(details: ErrorDetails & { readonly operation: string }) {
    super(details)
    this.operation = details.operation
  }
}

/**
 * The API key is malformed, unknown, revoked or expired (rule W3). The caller does not learn
 * which. `key_invalid`, 401.
 */
export class KeyRefusedError extends SimplanError {
  static {
    this.prototype.name = "KeyRefusedError"
  }
}
