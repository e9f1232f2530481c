/**
 * The refusals of the service. Each one is a tagged error with the fields that a caller needs to
 * act on it. Its HTTP status is set in `adapters/fields` alone (rule W1). Fields are plain data, so
 * a refusal can be stored under an idempotency key and replayed (rule W2).
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
  /** Another field, whose name ends the sentence. */
  readonly other?: string
}> {}

const notFoundCodes = {
  plan: "plan_not_found",
  sim: "sim_not_found",
  subscription: "subscription_not_found",
  "plan attachment": "plan_attachment_not_found",
  "coverage profile": "coverage_profile_not_found",
  telco: "telco_not_found",
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

/**
 * No eSIM with the plan's load is free now, but one is being bought of the supplier (rule I15). It
 * comes into the stock as soon as the supplier has it.
 */
export class EsimsIssuing extends Data.TaggedError("EsimsIssuing")<{
  /** The label of the eSIM that was wanted. */
  readonly label: Label
  /** When to ask again; at least 1. */
  readonly retryAfterSeconds: number
}> {}

/**
 * The supplier has no more eSIMs with the plan's load (rule I15), or sells it otherwise than the
 * plan has it (rule P6).
 */
export class SoldOut extends Data.TaggedError("SoldOut")<{
  /** The supplier's code of the bundle. */
  readonly load: string
  /** How it is sold by now, as a sentence. Absent: there are no more. */
  readonly why?: string
}> {}

/** The account at the supplier has not enough money for an eSIM with the plan's load (rule I15). */
export class NoBalance extends Data.TaggedError("NoBalance")<{
  /** The supplier's code of the bundle. */
  readonly load: string
}> {}

/**
 * The organization has spent in this UTC day at the supplier what it may, or what the eSIM or the
 * top-up costs is not known (rule I16).
 */
export class SpendingLimited extends Data.TaggedError("SpendingLimited")<{
  /** When the next day begins, or a purchase may have been refused; at least 1. */
  readonly retryAfterSeconds: number
}> {}

/** An archived plan takes no new attachments (rule P2). */
export class PlanArchived extends Data.TaggedError("PlanArchived")<{
  /** The plan that was to be attached. */
  readonly planId: string
}> {}

/**
 * The SIM is being put into service or released. Until that ends it is neither free nor usable
 * (rule S5).
 */
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
  /** Which telco it is, if there are several. */
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

/**
 * The call cannot be made inside a transaction of the host, because it calls the telco (rule H1).
 */
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

/**
 * The API key is malformed, unknown, revoked or expired (rule W3). The caller does not learn which.
 */
export class KeyRefused extends Data.TaggedError("KeyRefused")<{}> {}

const clockCodes = {
  "system clock": "clock_is_system",
  "already advancing": "clock_advancing"
} as const satisfies Readonly<Record<ClockRefused["reason"], string>>

/**
 * Whether the same request may succeed later (rules W2 and H1): by itself, or after something has
 * changed.
 */
export type Retry = "Never" | "OnChange" | "Soon"

/** The name of a field, given in camel case with the path to it, as somebody knows it. */
export type NameOf = (field: string) => string

/** What a field has to be, as it goes on after the field's name. */
export const requirement = ({ message, other }: Pick<InvalidField, "message" | "other">, name: NameOf): string =>
  other === undefined ? message : `${message} ${name(other)}`

interface Row<A> {
  /** What is wrong, for people. */
  readonly sentence: (of: A, name: NameOf) => string
  /** Never by default. */
  readonly retry?: Retry
  /** When to ask again; at least 1. */
  readonly retryAfterSeconds?: (of: A) => number
  /** The field of the request that is wrong, in camel case. */
  readonly field?: string
}

type Fields<A> = Omit<A, Exclude<keyof Cause.YieldableError, "message"> | "_tag">

interface OfClass<Class extends new (fields: never) => object, Code extends string>
  extends Row<Fields<InstanceType<Class>>> {
  readonly class: Class
  /** The stable name of the refusal, for programs (rule W1). */
  readonly code: Code | ((of: Fields<InstanceType<Class>>) => Code)
}

const row = <Class extends new (fields: never) => object, const Code extends string>(
  one: Class,
  code: OfClass<Class, Code>["code"],
  more: Row<Fields<InstanceType<Class>>>
): OfClass<Class, Code> => ({ class: one, code, ...more })

const ofQuota = {
  plans: "plans",
  regions: "custom regions",
  webhookEndpoints: "webhook endpoints",
  apiKeys: "API keys"
} as const satisfies Readonly<Record<QuotaExceeded["kind"], string>>

/**
 * Each refusal, by its tag. Every face reads it from here: HTTP, hosts, the documents, the
 * timeline.
 */
const catalogue = {
  InvalidField: row(InvalidField, "invalid_field", {
    sentence: (of, name) => `${name(of.field)} ${requirement(of, name)}`
  }),
  NotFound: row(NotFound, ({ resource }) => notFoundCodes[resource], {
    sentence: ({ id, resource }) => `There is no ${resource} with the id ${JSON.stringify(id)}`
  }),
  NoFreeSim: row(NoFreeSim, "no_free_esim", {
    sentence: ({ label }) => `No free eSIM with label ${label} is left`,
    retry: "OnChange"
  }),
  SimsReleasing: row(SimsReleasing, "esims_releasing", {
    sentence: ({ label }) => `No eSIM with label ${label} is free now, but some are being released; try again later`,
    retry: "Soon",
    retryAfterSeconds: ({ retryAfterSeconds }) => retryAfterSeconds
  }),
  EsimsIssuing: row(EsimsIssuing, "esims_issuing", {
    sentence: ({ label }) =>
      `No eSIM with label ${label} is free now; the supplier issues one, which takes a moment: try again`,
    retry: "Soon",
    retryAfterSeconds: ({ retryAfterSeconds }) => retryAfterSeconds
  }),
  SoldOut: row(SoldOut, "sold_out", {
    sentence: ({ load, why = `The supplier has no more eSIMs with ${load}` }) => why,
    retry: "OnChange"
  }),
  NoBalance: row(NoBalance, "no_balance", {
    sentence: ({ load }) => `The balance at the supplier is too low for an eSIM with ${load}`,
    retry: "OnChange"
  }),
  SpendingLimited: row(SpendingLimited, "spending_limited", {
    sentence: () =>
      "The organization may buy no such eSIM or top-up today: its spending at the supplier is limited by day",
    retry: "Soon",
    retryAfterSeconds: ({ retryAfterSeconds }) => retryAfterSeconds
  }),
  PlanArchived: row(PlanArchived, "plan_archived", {
    sentence: () => "The plan is archived"
  }),
  SimBusy: row(SimBusy, "sim_busy", {
    sentence: () => "The SIM is being put into service or released; try again shortly",
    retry: "Soon"
  }),
  SimInUse: row(SimInUse, "sim_in_use", {
    sentence: ({ iccid }) => `A subscription holds the SIM ${iccid}: it keeps its label, and cannot be withdrawn`
  }),
  SimWithdrawn: row(SimWithdrawn, "sim_withdrawn", {
    sentence: ({ iccid, reason }) => `The SIM ${iccid} is withdrawn: it is ${reason}`
  }),
  PackagesListed: row(PackagesListed, "packages_listed", {
    sentence: ({ iccid, packageIds }) =>
      `The telco still lists packages on the SIM ${iccid}: ${packageIds.join(", ")}. Cancel them there, or retry`,
    retry: "OnChange"
  }),
  SubscriptionFull: row(SubscriptionFull, "subscription_full", {
    sentence: () => "The subscription has too many plan attachments to take another"
  }),
  LabelMismatch: row(LabelMismatch, "label_mismatch", {
    sentence: ({ label, simLabel }, name) => `${name("iccid")} names a SIM with label ${simLabel}, not ${label}`,
    field: "iccid"
  }),
  EsimInstalled: row(EsimInstalled, "esim_installed", {
    sentence: () => "Cannot delete a subscription whose esim was installed on a device"
  }),
  AttachmentExpired: row(AttachmentExpired, "attachment_expired", {
    sentence: () => "The plan attachment has expired"
  }),
  ChangedMeanwhile: row(ChangedMeanwhile, "changed_meanwhile", {
    sentence: ({ resource, version }) =>
      `Somebody has changed the ${resource === "sim" ? "SIM" : resource} meanwhile: its version is ${version} now`
  }),
  OperatorNameTaken: row(OperatorNameTaken, "operator_name_taken", {
    sentence: ({ operatorName }, name) =>
      `${name("name")} is taken: an operator named ${JSON.stringify(operatorName)} exists already`,
    field: "name"
  }),
  RegionNameTaken: row(RegionNameTaken, "region_name_taken", {
    sentence: ({ regionName }, name) =>
      `${name("regionName")} is taken: a custom region named "${regionName}" exists already`,
    field: "regionName"
  }),
  RegionUncovered: row(RegionUncovered, "region_uncovered", {
    sentence: ({ missingIso2 }, name) =>
      `${name("iso2List")} names countries without an operator: ${missingIso2.join(", ")}`,
    field: "iso2List"
  }),
  RegionExists: row(RegionExists, "region_exists", {
    sentence: () => "A coverage profile with exactly these countries exists already"
  }),
  EndpointDisabled: row(EndpointDisabled, "webhook_endpoint_disabled", {
    sentence: () => "The webhook endpoint is disabled"
  }),
  TermsRefused: row(TermsRefused, "terms_refused", {
    sentence: ({ message }) => message
  }),
  NotSupported: row(NotSupported, "not_supported", {
    sentence: ({ message }) => message
  }),
  TelcoRefused: row(TelcoRefused, "telco_refused", {
    sentence: ({ message }) => `The telco refused: ${message}`,
    retry: "OnChange"
  }),
  TelcoUnavailable: row(TelcoUnavailable, "telco_unavailable", {
    sentence: () => "The telco could not be reached in time; try again later",
    retry: "Soon",
    retryAfterSeconds: ({ retryAfterSeconds }) => retryAfterSeconds
  }),
  QuotaExceeded: row(QuotaExceeded, "quota_exceeded", {
    sentence: ({ kind, quota }) => `The organization has ${quota} ${ofQuota[kind]}, and may have no more of them`,
    retry: "OnChange"
  }),
  SmsLimited: row(SmsLimited, "sms_limited", {
    sentence: ({ iccid }) => `Too many SMS were sent to the SIM ${iccid}; try again later`,
    retry: "Soon",
    retryAfterSeconds: ({ retryAfterSeconds }) => retryAfterSeconds
  }),
  IdempotencyKeyReused: row(IdempotencyKeyReused, "idempotency_key_reused", {
    sentence: () => "The idempotency key was used with another request",
    field: "idempotencyKey"
  }),
  RequestInProgress: row(RequestInProgress, "request_in_progress", {
    sentence: () => "The first request with this idempotency key is not done yet",
    retry: "Soon",
    retryAfterSeconds: () => 1,
    field: "idempotencyKey"
  }),
  ClockRefused: row(ClockRefused, ({ reason }) => clockCodes[reason], {
    sentence: ({ reason }) =>
      reason === "system clock" ? "The clock is the machine's and cannot be moved" : "The clock is being moved already"
  }),
  InsideTransaction: row(InsideTransaction, "inside_transaction", {
    sentence: ({ message }) => message
  }),
  CommandBegun: row(CommandBegun, "command_begun", {
    sentence: () => "The command has begun, so it cannot be cancelled"
  }),
  CommandCancelled: row(CommandCancelled, "command_cancelled", {
    sentence: () => "The command was cancelled before it began"
  }),
  KeyRefused: row(KeyRefused, "key_invalid", {
    sentence: () => "Unauthorized: API key is not valid"
  })
}

/** What refuses a decision, beside what is not found and fields that are wrong. */
const decisions = {
  creation: [LabelMismatch, NotSupported, PlanArchived, SimBusy, SimWithdrawn, SubscriptionFull],
  deletion: [EsimInstalled, SimBusy],
  replacement: [SimBusy, NotSupported],
  suspension: [AttachmentExpired, NotSupported],
  correction: [SimInUse, SimBusy, SimWithdrawn],
  return: [SimInUse, SimBusy, NotSupported],
  mobilePlan: [LabelMismatch, NotSupported, SimBusy, SimWithdrawn]
} as const

/** The refusals of a decision. */
export type Refusing<Decision extends keyof typeof decisions> = InstanceType<(typeof decisions)[Decision][number]>

/** Every refusal there is. */
export type Refusal = InstanceType<(typeof catalogue)[keyof typeof catalogue]["class"]>

/** Whether a failure is one of the refusals above. */
export const isRefusal = (error: unknown): error is Refusal =>
  Object.values(catalogue).some((one) => error instanceof one.class)

/** The stable name of a refusal, for programs (rule W1). */
export type Code =
  | ReturnType<Extract<Rows[keyof Rows]["code"], (of: never) => string>>
  | Extract<Rows[keyof Rows]["code"], string>

/** The stable names of all refusals. */
export const codes: ReadonlyArray<Code> = [
  ...Object.values(notFoundCodes),
  ...Object.values(clockCodes),
  ...Object.values(catalogue).flatMap(({ code }) => (typeof code === "string" ? [code] : []))
]

/** The stable names of the refusals of a decision, for documents. */
export const codesOf = (decision: keyof typeof decisions): ReadonlyArray<Code> =>
  decisions[decision].flatMap((refusing) =>
    Object.values(catalogue).flatMap(({ class: one, code }) =>
      one === refusing && typeof code === "string" ? [code] : []
    )
  )

type Rows = typeof catalogue

type FieldsOf = { readonly [Tag in keyof Rows]: Fields<InstanceType<Rows[Tag]["class"]>> }

/**
 * A refusal as plain data: its tag, its fields and a message, which may be empty. Every refusal is
 * one of these too.
 */
export type Plain<Tag extends keyof Rows = keyof Rows> = { [One in Tag]: FieldsOf[One] & { readonly _tag: One } }[Tag]

/** A refusal's tag and fields as plain data, without the stack and the methods of an error. */
export const toPlain = (refusal: Refusal): Plain => ({ ...refusal, message: refusal.message })

const rows: {
  readonly [Tag in keyof Rows]: Row<FieldsOf[Tag]> & { readonly code: Code | ((of: FieldsOf[Tag]) => Code) }
} = catalogue

/**
 * The stable name of the refusal: the same over HTTP, in errors of Promise hosts and in events
 * (rules W1 and E1).
 */
export const code = <Tag extends keyof Rows>(refusal: Plain<Tag>): Code => {
  const { code } = rows[refusal._tag]
  return typeof code === "string" ? code : code(refusal)
}

/**
 * What is wrong, as a sentence for people. Fields have their names in the domain, unless `name` has
 * others.
 */
export const sentence = <Tag extends keyof Rows>(refusal: Plain<Tag>, name: NameOf = (field) => field): string =>
  rows[refusal._tag].sentence(refusal, name)

/** Whether the same request may succeed later. */
export const retry = (refusal: Pick<Plain, "_tag">): Retry => rows[refusal._tag].retry ?? "Never"

/** After how many seconds to ask again, at least 1; undefined if nobody knows. */
export const retryAfterSeconds = <Tag extends keyof Rows>(refusal: Plain<Tag>): number | undefined =>
  rows[refusal._tag].retryAfterSeconds?.(refusal)

/** The field of the request that is wrong, in camel case; undefined if it is none, or not known. */
export const field = (refusal: Pick<Plain, "_tag">): string | undefined => rows[refusal._tag].field

/**
 * Why work waits that was refused like this: a sentence, and the telco's name if the refusal has
 * one.
 */
export const reasonOf = (refusal: Refusal): { readonly message: string; readonly telco?: string } => ({
  message: sentence(toPlain(refusal)),
  ...(refusal._tag === "TelcoUnavailable" && refusal.telco !== undefined && { telco: refusal.telco })
})
