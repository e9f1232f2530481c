/**
 * The refusals of the service. Each one is a tagged error with the fields that a caller needs to act on it. Its HTTP
 * status is set in `adapters/fields` alone (rule W1). Fields are plain data, so a refusal can be stored under an
 * idempotency key and replayed (rule W2).
 */
import { type Cause, Data } from "effect"
import type { Label } from "./Label.ts"
import type * as Withdrawal from "./Withdrawal.ts"

/** A field of the request has an invalid value. */
export class InvalidField extends Data.TaggedError("InvalidField")<{
  /** The field in camel case, with the path to it, such as `activePeriod.start`. */
  readonly field: string
  /** What it has to be; it goes on after the field's name. */
  readonly message: string
}> {}

const notFoundCodes = {
  plan: "plan_not_found",
  sim: "sim_not_found",
  subscription: "subscription_not_found",
  "plan attachment": "plan_attachment_not_found",
  "coverage profile": "coverage_profile_not_found",
  operator: "operator_not_found",
  organization: "organization_not_found",
  "api key": "api_key_not_found",
  "webhook endpoint": "webhook_endpoint_not_found",
  delivery: "delivery_not_found",
  job: "job_not_found",
  problem: "problem_not_found",
  command: "command_not_found",
  "event handler": "event_handler_not_found",
  "activation code": "activation_code_not_found"
} as const

/** The kinds of things that may not be found. */
export type Resource = keyof typeof notFoundCodes

/** The caller sees no resource of this kind with this id. */
export class NotFound extends Data.TaggedError("NotFound")<{
  /** What was looked for. */
  readonly resource: Resource
  /** As the caller sent it. */
  readonly id: string
}> {}

/** No eSIM of the label is free (rule S2), or none without a mobile plan (rule I6). */
export class NoFreeSim extends Data.TaggedError("NoFreeSim")<{
  /** The label of the eSIM that was wanted. */
  readonly label: Label
}> {}

/** No eSIM of the label is free now, but some are on their way back to stock (rule S5). */
export class SimsReleasing extends Data.TaggedError("SimsReleasing")<{
  /** The label of the eSIM that was wanted. */
  readonly label: Label
  /** When to ask again; at least 1. */
  readonly retryAfterSeconds: number
}> {}

/** An archived plan takes no new attachments (rule P2). */
export class PlanArchived extends Data.TaggedError("PlanArchived")<{
  /** The plan that was to be attached. */
  readonly planId: string
}> {}

/** The SIM is being put into service or released. Until that ends it is neither free nor usable (rule S5). */
export class SimBusy extends Data.TaggedError("SimBusy")<{
  /** The ICCID of the SIM that is under way. */
  readonly iccid: string
}> {}

/** A subscription holds the SIM, so its label stays, and it cannot be withdrawn (rule I9). */
export class SimInUse extends Data.TaggedError("SimInUse")<{
  /** The ICCID of the SIM. */
  readonly iccid: string
}> {}

/** The SIM is withdrawn, so no subscription gets it (rule I9). */
export class SimWithdrawn extends Data.TaggedError("SimWithdrawn")<{
  /** The ICCID of the SIM. */
  readonly iccid: string
  /** Why it is withdrawn. */
  readonly reason: Withdrawal.Reason
}> {}

/** The telco lists packages of ours on a SIM that is free, or would be (rules S5 and S6). */
export class PackagesListed extends Data.TaggedError("PackagesListed")<{
  /** The SIM that is not free. */
  readonly iccid: string
  /** What the telco calls them. */
  readonly packageIds: ReadonlyArray<string>
}> {}

/** The subscription's attachments would be too large to be read at once (rule W9). */
export class SubscriptionFull extends Data.TaggedError("SubscriptionFull")<{
  /** The subscription that takes no more attachments. */
  readonly subscriptionId: string
}> {}

/** The SIM's label differs from the plan's or the request's (rules S1 and I6). */
export class LabelMismatch extends Data.TaggedError("LabelMismatch")<{
  /** The SIM that was named. */
  readonly iccid: string
  /** The label that the SIM has. */
  readonly simLabel: Label
  /** The one that it would have to have. */
  readonly label: Label
}> {}

/** The eSIM shows a sign of a download, so its subscription cannot be deleted (rule S3). */
export class EsimInstalled extends Data.TaggedError("EsimInstalled")<{
  /** The ICCID of the eSIM that is in a device, or was. */
  readonly iccid: string
}> {}

/** An expired attachment cannot be suspended (rule T7). */
export class AttachmentExpired extends Data.TaggedError("AttachmentExpired")<{
  /** The attachment that was to be suspended. */
  readonly attachmentId: string
}> {}

/** Somebody has changed it since the version that the edit is of (rule W16). */
export class ChangedMeanwhile extends Data.TaggedError("ChangedMeanwhile")<{
  /** What was to be edited. */
  readonly resource: "sim" | "webhook endpoint" | "catalogue"
  /** The one that is there now. */
  readonly version: number
}> {}

/** An operator of the service has that name already (rule W14). */
export class OperatorNameTaken extends Data.TaggedError("OperatorNameTaken")<{
  /** Trimmed, as it was asked for. */
  readonly operatorName: string
}> {}

/** The organization has a region of that name already (rule I4). */
export class RegionNameTaken extends Data.TaggedError("RegionNameTaken")<{
  /** Trimmed, as it was asked for. */
  readonly regionName: string
  /** Those of the request that have no operator under the label; none if all have. */
  readonly missingIso2: ReadonlyArray<string>
}> {}

/** Some of the country codes have no operator under the label (rule I4). */
export class RegionUncovered extends Data.TaggedError("RegionUncovered")<{
  /** Those without an operator under the label, upper case. */
  readonly missingIso2: ReadonlyArray<string>
}> {}

/** A profile with exactly these countries exists (rule I4). */
export class RegionExists extends Data.TaggedError("RegionExists")<{
  /** The id of the profile that exists. */
  readonly coverageId: string
  /** The region code of the profile that exists. */
  readonly regionCode: string
  /** The name of the profile that exists. */
  readonly regionName: string
  /** The countries that both have. */
  readonly iso2List: ReadonlyArray<string>
}> {}

/** A disabled endpoint gets no deliveries (rule W7). */
export class EndpointDisabled extends Data.TaggedError("EndpointDisabled")<{
  /** The endpoint that was to be sent to. */
  readonly endpointId: string
}> {}

/** No telco carries a plan of these terms (rule P4). */
export class TermsRefused extends Data.TaggedError("TermsRefused")<{
  /** What is missing, and how the operator sets it. */
  readonly message: string
}> {}

/** The telco of the SIM cannot do that, so it is not asked (rule S7). */
export class NotSupported extends Data.TaggedError("NotSupported")<{
  /** What is not supported, as a sentence. */
  readonly message: string
}> {}

/** The telco refused for good; nothing remains (rule S5). */
export class TelcoRefused extends Data.TaggedError("TelcoRefused")<{
  /** What the telco says. */
  readonly message: string
}> {}

/** The telco could not be reached in time; what it may have done is undone (rule S5). */
export class TelcoUnavailable extends Data.TaggedError("TelcoUnavailable")<{
  /** When to ask again; at least 1. */
  readonly retryAfterSeconds: number
  /** Which telco it is, where there are several. */
  readonly telco?: string
}> {}

/** The organization has as many of a kind as it may have (rule W13). */
export class QuotaExceeded extends Data.TaggedError("QuotaExceeded")<{
  /** Of what it has too many. */
  readonly kind: "plans" | "regions" | "webhookEndpoints" | "apiKeys"
  /** How many it may have. */
  readonly quota: number
}> {}

/** The organization has sent the SIM as many SMS as it may for now (rule W13). */
export class SmsLimited extends Data.TaggedError("SmsLimited")<{
  /** The SIM that was to be sent to. */
  readonly iccid: string
  /** When to send again; at least 1. */
  readonly retryAfterSeconds: number
}> {}

/** The idempotency key was used with another request (rule W2). */
export class IdempotencyKeyReused extends Data.TaggedError("IdempotencyKeyReused")<{
  /** As the caller sent it. */
  readonly key: string
}> {}

/** The first request with this idempotency key is still under way (rule W2). */
export class RequestInProgress extends Data.TaggedError("RequestInProgress")<{
  /** As the caller sent it. */
  readonly key: string
}> {}

/** The clock cannot be advanced: it is the system's, or another advance is under way. */
export class ClockRefused extends Data.TaggedError("ClockRefused")<{
  /** `already advancing` ends by itself; the system's clock is never advanced. */
  readonly reason: "system clock" | "already advancing"
}> {}

/** The call cannot be made inside a transaction of the host, because it calls the telco (rule H1). */
export class InsideTransaction extends Data.TaggedError("InsideTransaction")<{
  /** The operation that was called, such as `subscriptions.create`. */
  readonly operation: string
  /** What to call in its place. */
  readonly message: string
}> {}

/** A command that has begun, or was carried out, cannot be cancelled (rule H1). */
export class CommandBegun extends Data.TaggedError("CommandBegun")<{
  /** The command that was to be cancelled. */
  readonly commandId: string
}> {}

/** The host has cancelled the command before it began (rule H1). */
export class CommandCancelled extends Data.TaggedError("CommandCancelled")<{
  /** The command that is not carried out. */
  readonly commandId: string
}> {}

/** The API key is malformed, unknown, revoked or expired (rule W3). The caller does not learn which. */
export class KeyRefused extends Data.TaggedError("KeyRefused")<{}> {}

const clockCodes = {
  "system clock": "clock_is_system",
  "already advancing": "clock_advancing"
} as const satisfies Readonly<Record<ClockRefused["reason"], string>>

/** Each refusal, by its tag, with its stable name (rule W1); two have one for each kind. */
const catalogue = {
  InvalidField: { refusal: InvalidField, code: "invalid_field" },
  NotFound: { refusal: NotFound, code: notFoundCodes },
  NoFreeSim: { refusal: NoFreeSim, code: "no_free_esim" },
  SimsReleasing: { refusal: SimsReleasing, code: "esims_releasing" },
  PlanArchived: { refusal: PlanArchived, code: "plan_archived" },
  SimBusy: { refusal: SimBusy, code: "sim_busy" },
  SimInUse: { refusal: SimInUse, code: "sim_in_use" },
  SimWithdrawn: { refusal: SimWithdrawn, code: "sim_withdrawn" },
  PackagesListed: { refusal: PackagesListed, code: "packages_listed" },
  SubscriptionFull: { refusal: SubscriptionFull, code: "subscription_full" },
  LabelMismatch: { refusal: LabelMismatch, code: "label_mismatch" },
  EsimInstalled: { refusal: EsimInstalled, code: "esim_installed" },
  AttachmentExpired: { refusal: AttachmentExpired, code: "attachment_expired" },
  ChangedMeanwhile: { refusal: ChangedMeanwhile, code: "changed_meanwhile" },
  OperatorNameTaken: { refusal: OperatorNameTaken, code: "operator_name_taken" },
  RegionNameTaken: { refusal: RegionNameTaken, code: "region_name_taken" },
  RegionUncovered: { refusal: RegionUncovered, code: "region_uncovered" },
  RegionExists: { refusal: RegionExists, code: "region_exists" },
  EndpointDisabled: { refusal: EndpointDisabled, code: "webhook_endpoint_disabled" },
  TermsRefused: { refusal: TermsRefused, code: "terms_refused" },
  NotSupported: { refusal: NotSupported, code: "not_supported" },
  TelcoRefused: { refusal: TelcoRefused, code: "telco_refused" },
  TelcoUnavailable: { refusal: TelcoUnavailable, code: "telco_unavailable" },
  QuotaExceeded: { refusal: QuotaExceeded, code: "quota_exceeded" },
  SmsLimited: { refusal: SmsLimited, code: "sms_limited" },
  IdempotencyKeyReused: { refusal: IdempotencyKeyReused, code: "idempotency_key_reused" },
  RequestInProgress: { refusal: RequestInProgress, code: "request_in_progress" },
  ClockRefused: { refusal: ClockRefused, code: clockCodes },
  InsideTransaction: { refusal: InsideTransaction, code: "inside_transaction" },
  CommandBegun: { refusal: CommandBegun, code: "command_begun" },
  CommandCancelled: { refusal: CommandCancelled, code: "command_cancelled" },
  KeyRefused: { refusal: KeyRefused, code: "key_invalid" }
} as const

/** Every refusal there is. */
export type Refusal = InstanceType<(typeof catalogue)[keyof typeof catalogue]["refusal"]>

/** Whether a failure is one of the refusals above. */
export const isRefusal = (error: unknown): error is Refusal =>
  Object.values(catalogue).some(({ refusal }) => error instanceof refusal)

/**
 * A refusal as plain data: its tag, its fields and a message, which may be empty. Every refusal is one of these too.
 */
export type Plain = {
  [Tag in keyof typeof catalogue]: Omit<
    InstanceType<(typeof catalogue)[Tag]["refusal"]>,
    Exclude<keyof Cause.YieldableError, "message"> | "_tag"
  > & { readonly _tag: Tag }
}[keyof typeof catalogue]

/** A refusal's tag and fields as plain data, without the stack and the methods of an error. */
export const toPlain = (refusal: Refusal): Plain => ({ ...refusal, message: refusal.message })

/** The stable name of a refusal, for programs (rule W1). */
export type Code =
  | Exclude<(typeof catalogue)[keyof typeof catalogue]["code"], object>
  | (typeof notFoundCodes)[Resource]
  | (typeof clockCodes)[keyof typeof clockCodes]

/** The stable name of the refusal: the same over HTTP, in errors of Promise hosts and in events (rules W1 and E1). */
export const code = (refusal: Plain): Code => {
  if (refusal._tag === "NotFound") return notFoundCodes[refusal.resource]
  if (refusal._tag === "ClockRefused") return clockCodes[refusal.reason]
  return catalogue[refusal._tag].code
}

const ofQuota = {
  plans: "plans",
  regions: "custom regions",
  webhookEndpoints: "webhook endpoints",
  apiKeys: "API keys"
} as const satisfies Readonly<Record<QuotaExceeded["kind"], string>>

/** What is wrong, as a sentence for people. Fields have their names in the domain. */
export const sentence = (refusal: Plain): string => {
  switch (refusal._tag) {
    case "InvalidField":
      return `${refusal.field} ${refusal.message}`
    case "NotFound":
      return `There is no ${refusal.resource} with the id ${JSON.stringify(refusal.id)}`
    case "NoFreeSim":
      return `No free eSIM with label ${refusal.label} is left`
    case "SimsReleasing":
      return `No eSIM with label ${refusal.label} is free now, but some are being released; try again later`
    case "QuotaExceeded":
      return `The organization has ${refusal.quota} ${ofQuota[refusal.kind]}, and may have no more of them`
    case "SmsLimited":
      return `Too many SMS were sent to the SIM ${refusal.iccid}; try again later`
    case "PlanArchived":
      return "The plan is archived"
    case "SimBusy":
      return "The SIM is being put into service or released; try again shortly"
    case "SimInUse":
      return `A subscription holds the SIM ${refusal.iccid}: it keeps its label, and cannot be withdrawn`
    case "SimWithdrawn":
      return `The SIM ${refusal.iccid} is withdrawn: it is ${refusal.reason}`
    case "PackagesListed": {
      const { iccid, packageIds } = refusal
      return `The telco still lists packages on the SIM ${iccid}: ${packageIds.join(", ")}. Cancel them there, or retry`
    }
    case "SubscriptionFull":
      return "The subscription has too many plan attachments to take another"
    case "LabelMismatch":
      return `iccid names a SIM with label ${refusal.simLabel}, not ${refusal.label}`
    case "EsimInstalled":
      return "Cannot delete a subscription whose esim was installed on a device"
    case "EndpointDisabled":
      return "The webhook endpoint is disabled"
    case "AttachmentExpired":
      return "The plan attachment has expired"
    case "ChangedMeanwhile":
      return `Somebody has changed the ${refusal.resource === "sim" ? "SIM" : refusal.resource} meanwhile: its version is ${refusal.version} now`
    case "OperatorNameTaken":
      return `name is taken: an operator named ${JSON.stringify(refusal.operatorName)} exists already`
    case "RegionNameTaken":
      return `regionName is taken: a custom region named "${refusal.regionName}" exists already`
    case "RegionUncovered":
      return `iso2List names countries without an operator: ${refusal.missingIso2.join(", ")}`
    case "RegionExists":
      return "A coverage profile with exactly these countries exists already"
    case "TelcoRefused":
      return `The telco refused: ${refusal.message}`
    case "TelcoUnavailable":
      return "The telco could not be reached in time; try again later"
    case "IdempotencyKeyReused":
      return "The idempotency key was used with another request"
    case "RequestInProgress":
      return "The first request with this idempotency key is not done yet"
    case "ClockRefused":
      return refusal.reason === "system clock"
        ? "The clock is the machine's and cannot be moved"
        : "The clock is being moved already"
    case "CommandBegun":
      return "The command has begun, so it cannot be cancelled"
    case "CommandCancelled":
      return "The command was cancelled before it began"
    case "KeyRefused":
      return "Unauthorized: API key is not valid"
    case "TermsRefused":
    case "NotSupported":
    case "InsideTransaction":
      return refusal.message
  }
}

/** Why work waits that was refused like this: a sentence, and the telco's name where the refusal has one. */
export const reasonOf = (refusal: Refusal): { readonly message: string; readonly telco?: string } => ({
  message: sentence(toPlain(refusal)),
  ...(refusal._tag === "TelcoUnavailable" && refusal.telco !== undefined && { telco: refusal.telco })
})
