/**
 * The refusals of the service. Each one is a tagged error with the fields that a caller needs to act on it. Its HTTP
 * status and `code` are set in `adapters/http` alone (rule W1). Fields are plain data, so a refusal can be stored under
 * an idempotency key and replayed (rule W2).
 */
import { type Cause, Data } from "effect"
import type { Label } from "./Label.ts"

/** A field of the request has an invalid value. */
export class InvalidField extends Data.TaggedError("InvalidField")<{
  /** The field in camel case, with the path to it, such as `activePeriod.start`. */
  readonly field: string
  /** What it has to be; it goes on after the field's name. */
  readonly message: string
}> {}

/** The kinds of things that may not be found. */
export type Resource =
  | "plan"
  | "sim"
  | "subscription"
  | "plan attachment"
  | "coverage profile"
  | "operator"
  | "organization"
  | "api key"
  | "webhook endpoint"
  | "delivery"
  | "problem"
  | "command"

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

/** The telco refused for good; nothing remains (rule S5). */
export class TelcoRefused extends Data.TaggedError("TelcoRefused")<{
  /** What the telco says. */
  readonly message: string
}> {}

/** The telco could not be reached in time; what it may have done is undone (rule S5). */
export class TelcoUnavailable extends Data.TaggedError("TelcoUnavailable")<{
  /** When to ask again; at least 1. */
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

/** The API key is malformed, unknown, revoked or expired (rule W3). The caller is not told which. */
export class KeyRefused extends Data.TaggedError("KeyRefused")<{}> {}

const classes = {
  InvalidField,
  NotFound,
  NoFreeSim,
  PlanArchived,
  SimBusy,
  SubscriptionFull,
  LabelMismatch,
  EsimInstalled,
  AttachmentExpired,
  RegionNameTaken,
  RegionUncovered,
  RegionExists,
  EndpointDisabled,
  TermsRefused,
  TelcoRefused,
  TelcoUnavailable,
  IdempotencyKeyReused,
  RequestInProgress,
  ClockRefused,
  InsideTransaction,
  KeyRefused
} as const

/** Every refusal there is. */
export type Refusal = InstanceType<(typeof classes)[keyof typeof classes]>

/** Whether a failure is one of the refusals above. */
export const isRefusal = (error: unknown): error is Refusal =>
  Object.values(classes).some((refusal) => error instanceof refusal)

/**
 * A refusal as plain data: its tag, its fields and a message, which may be empty. Every refusal is one of these too.
 */
export type Plain = {
  [Tag in keyof typeof classes]: Omit<
    InstanceType<(typeof classes)[Tag]>,
    Exclude<keyof Cause.YieldableError, "message"> | "_tag"
  > & { readonly _tag: Tag }
}[keyof typeof classes]

/** A refusal's tag and fields as plain data, without the stack and the methods of an error. */
export const toPlain = (refusal: Refusal): Plain => ({ ...refusal, message: refusal.message })
