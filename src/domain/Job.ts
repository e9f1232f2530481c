/**
 * Jobs: durable work that is due at an instant of business time. A job's id names its work, so the
 * same work cannot be stored twice. The telco de-duplicates its calls by keys that follow from the
 * same names.
 */
import type { Amount } from "./Amount.ts"
import type { Origin } from "./AuditEntry.ts"
import type { Correction, Sides } from "./Correction.ts"
import type { Charged } from "./Cost.ts"
import type { Label } from "./Label.ts"
import type { Instant } from "./Time.ts"
import type { Difference } from "./UsageReconciliation.ts"

/**
 * What becomes of other packages that the telco lists on a SIM that is released. `Cancel`: they are
 * cancelled. `Review`: they may be of a customer whom a restored backup does not know, so an
 * operator decides. `Confirmed`: an operator has said that they are cancelled.
 */
export type Release = "Cancel" | "Review" | "Confirmed"

/** What is to be done, and to what. */
export type Work =
  /** Hand the packages of a new attachment to the telco and commit the outcome (rule S5). */
  | {
      readonly _tag: "Provision"
      readonly iccid: string
      readonly attachmentId: string
      /** The request has named the SIM, and gets no other one. Absent: it has not. */
      readonly isNamed?: true
    }
  /** Create one occurrence of a recurring attachment (rule T5). */
  | {
      readonly _tag: "CreatePackage"
      readonly iccid: string
      readonly attachmentId: string
      readonly occurrence: number
      /** The attachment's at that time (rule S8). Absent: 0. */
      readonly replacement?: number
      /** Nothing was ordered on its SIM before (rule S5). Absent: something was. */
      readonly isFirst?: true
    }
  /** Order what is left of a package, after its subscription has moved to another SIM (rule S8). */
  | {
      readonly _tag: "ReplacePackage"
      readonly iccid: string
      readonly attachmentId: string
      readonly occurrence: number
      /** The package's. */
      readonly replacement: number
      /** It has what the SIM was bought with (rule I15). Absent: it has not. */
      readonly isLoad?: true
    }
  /** Send a suspension to the telco (rule T7). */
  | { readonly _tag: "SuspendPackages"; readonly iccid: string; readonly attachmentId: string }
  /**
   * Cancel packages at the telco, whether or not it has them. With `release` the SIM becomes free
   * after the telco has confirmed all of them (rules S3 and S5), or withdrawn for good (rule S8).
   */
  | {
      readonly _tag: "CancelPackages"
      readonly iccid: string
      readonly packageIds: ReadonlyArray<string>
      /** Null: the SIM is not released. */
      readonly release: Release | null
      /**
       * Whose packages are cancelled too, whatever the telco lists, with `Review`: the subscription
       * that has left the SIM had these attachments. Absent: nobody's.
       */
      readonly onlyAttachments?: ReadonlyArray<string>
      /**
       * The creation that may have ordered them is undone: one that was used is kept, and is a
       * problem (rules S5 and S6).
       */
      readonly isUndone?: true
    }
  | {
      readonly _tag: "SendSms"
      readonly iccid: string
      readonly messageId: string
      readonly from: string
      readonly text: string
    }
  /** Apply or remove the mobile plan of an eSIM, as its SIM's `mobilePlan` says (rule I6). */
  | { readonly _tag: "ChangeMobilePlan"; readonly iccid: string; readonly changeId: string }
  /** Pause the service of a SIM or resume it, as its SIM's `service` says (rule S7). */
  | { readonly _tag: "SetService"; readonly iccid: string; readonly changeId: string }
  /**
   * Notify what is due of an attachment from the job's instant on: its activation, coming end and
   * end (rule E1).
   */
  | { readonly _tag: "NotifyAttachment"; readonly iccid: string; readonly attachmentId: string }
  /**
   * Leave a `NotifyAttachment` job for each attachment that has something to publish yet, after
   * an endpoint has asked for it (rule E1). `after` is the subscription that was read last.
   */
  | {
      readonly _tag: "NotifyAttachments"
      readonly requestId: string
      readonly after: { readonly createdAt: Instant; readonly id: string } | null
    }
  /**
   * Review what a comparison with the telco's books has found of a SIM; it is a problem from the
   * start (rule S6).
   */
  | {
      readonly _tag: "ReviewPackage"
      readonly iccid: string
      readonly findingId: string
      /** Absent: the finding is from before both sides were kept. */
      readonly sides?: Sides
      /** Absent: the telco cannot be asked for what is had here. */
      readonly correction?: Correction
    }
  /**
   * Review what was found of an account at a supplier, which is the service's and no
   * organization's; likewise.
   */
  | {
      readonly _tag: "ReviewAccount"
      /** The supplier's name among the telcos. */
      readonly telco: string
      readonly findingId: string
      /** Absent: the finding has no two sides. */
      readonly sides?: Sides
    }
  /** Ask the telco for what is had here, if it differs and an operator has said so (rule S6). */
  | {
      readonly _tag: "CorrectDifference"
      readonly iccid: string
      readonly findingId: string
      readonly correction: Correction
    }
  /**
   * Review a day on which a SIM has used another total by the telco's book than by ours; likewise
   * (rules S6 and U1).
   */
  | { readonly _tag: "UsageDiffers"; readonly iccid: string; readonly findingId: string; readonly usage: Difference }
  /**
   * An event that a host's handler fails at, while later ones about its SIM wait; it is a problem
   * from the start (rule S6). The handler is called by the outbox, so the job itself does nothing.
   */
  | {
      readonly _tag: "HandleEvent"
      readonly iccid: string
      readonly handler: string
      readonly deliveryId: string
    }
  /** Count the free eSIMs of a label, and notify that they are below its level (rule I12). */
  | { readonly _tag: "CheckStock"; readonly label: Label }
  /** Buy an eSIM with a load of a supplier, for the stock (rule I15). */
  | {
      readonly _tag: "BuySim"
      readonly purchaseId: string
      readonly label: Label
      readonly load: string
      /** What it may cost at most; null: anything. */
      readonly limit: Amount | null
      /** Of the plan that it is bought for. Absent: that was not kept. */
      readonly regionCode?: string
      /** The supplier is not asked beyond the limits of purchases. Absent: there were none. */
      readonly isLimited?: true
    }
  /**
   * Compare the bundle that a plan is with what its telco sells now, again and again. What has
   * changed for the worse is a job of this kind that has ended from the start (rules P6 and S6).
   */
  | { readonly _tag: "CheckBundle"; readonly planId: string }
  /** Give an eSIM that was bought back to its supplier (rule I15). */
  | {
      readonly _tag: "ReturnSim"
      readonly iccid: string
      readonly purchaseId: string
      /** As what it was charged, since the ICCID may be sold again. Absent: as the SIM has it. */
      readonly charged?: Charged
    }
  /** Carry out a command that a host has submitted in its own transaction (rule H1). */
  | { readonly _tag: "RunCommand"; readonly commandId: string }

/** The kinds of work. */
export const kinds = [
  "Provision",
  "CreatePackage",
  "ReplacePackage",
  "SuspendPackages",
  "CancelPackages",
  "SendSms",
  "ChangeMobilePlan",
  "SetService",
  "NotifyAttachment",
  "NotifyAttachments",
  "ReviewPackage",
  "ReviewAccount",
  "CorrectDifference",
  "UsageDiffers",
  "HandleEvent",
  "CheckStock",
  "BuySim",
  "CheckBundle",
  "ReturnSim",
  "RunCommand"
] as const satisfies ReadonlyArray<Work["_tag"]>

/**
 * The command that waits for the outcome of a job, and how many attempts were made of the command
 * before (rule H1).
 */
export interface WaitingCommand {
  /** The command that the job's outcome settles. */
  readonly commandId: string
  /** Those of the command, which its pauses go by. */
  readonly attempts: number
}

/**
 * Why a supplier refuses to sell. `sold_out`: it has no more of it. `no_balance`: the account there
 * has not enough money. `price`: it costs more than the limit.
 */
export const unsoldReasons = ["sold_out", "no_balance", "price"] as const

/** Why a supplier refuses to sell. */
export type UnsoldReason = (typeof unsoldReasons)[number]

/** What the telco has refused of a job. */
export interface Refusals {
  /** How many attempts were refused, those before a retry by an operator included. */
  readonly times: number
  /** When the first of them was. */
  readonly since: Instant
  /** What the telco said last. */
  readonly message: string
  /** Why it has sold nothing. Absent: for another reason, or nothing was to be bought. */
  readonly reason?: UnsoldReason
  /**
   * The supplier has sold a SIM that cannot come into the stock: what the purchase is asked for by
   * again, so that it is not made twice. Absent: it has sold none.
   */
  readonly soldBy?: string
}

/**
 * What a job waits for that was tried and is to be tried again. `unavailable`: the telco did not
 * answer, or could not take the work. `held_back`: the telco was not asked, since it has too many
 * calls or did not answer others. `refused`: the telco refused, and is asked again (rule S6).
 * `busy`: what a command needs is not there yet (rule H1), or a SIM is not resumed yet (rule S7).
 */
export const waitingReasons = ["unavailable", "held_back", "refused", "busy"] as const

/** The class of a reason to wait. */
export type WaitingReason = (typeof waitingReasons)[number]

/** Why a job waits for its next try. */
export interface Waiting {
  /** The class of the reason, of which there are few. */
  readonly reason: WaitingReason
  /** What the last try met, as text for a person. */
  readonly message: string
  /** When a try first gave the job back. */
  readonly since: Instant
  /** The name of the telco that it waits for, if there are several; absent: it has none. */
  readonly telco?: string
  /** The telco asks not to be asked before; absent: it does not say. */
  readonly notBefore?: Instant
}

/** What `waitingJobs` are asked for. An absent field filters nothing. */
export interface WaitingFilter {
  /** Whose work it is. */
  readonly organizationId?: string
  /** The kind of work. */
  readonly kind?: Work["_tag"]
  /** The class of what its last try met. */
  readonly reason?: WaitingReason
  /** The name of the telco that it waits for; empty: one without a name. */
  readonly telco?: string
}

/** A piece of durable work. Storing the same work twice leaves one job. */
export interface Job {
  /** Made of what is to be done and to what, so the same work has the same id. */
  readonly jobId: string
  /** The organization that owns it. */
  readonly organizationId: string
  /**
   * What is to be done; it changes only if an operator says so of one that has ended (rule S6).
   */
  readonly work: Work
  /** Business time from which it may be claimed. A retry moves it. */
  readonly dueAt: Instant
  /**
   * How many attempts gave the job back: the telco was unavailable, or something is to be notified
   * later.
   */
  readonly attempts: number
  /** Business time. */
  readonly createdAt: Instant
  /**
   * The idempotency key of the request that waits for this job's outcome; null if no request with a
   * key does (rule W2).
   */
  readonly idempotencyKey: string | null
  /**
   * Where the request comes from that waits for this job's outcome, for the audit entry of that
   * outcome; null if no request does (rule W11).
   */
  readonly origin: Origin | null
  /** The command that waits for this job's outcome; null if none does (rule H1). */
  readonly command: WaitingCommand | null
  /** Null while the telco has refused no attempt. */
  readonly refused: Refusals | null
  /**
   * When the job ended in refusals: nobody is handed it any more (rule S6). Null while it is to be
   * done.
   */
  readonly endedAt: Instant | null
  /**
   * Why it waits for its next try; null for one that was not tried, or is only due later. It stays
   * while it is tried.
   */
  readonly waiting: Waiting | null
}

/** A job that was tried and waits for its next try. */
export interface WaitingJob extends Job {
  /** Why it waits. */
  readonly waiting: Waiting
}

/** Whether the job is an outstanding purchase (rule I15). */
export const isPurchase = ({ endedAt, work }: Job): boolean => endedAt === null && work._tag === "BuySim"

/**
 * Whether the job is an outstanding purchase of the load for the organization's label (rule I15).
 */
export const isPurchaseOf = (
  job: Job,
  of: { readonly organizationId: string; readonly label: Label; readonly load: string }
): boolean => {
  const { organizationId, work } = job
  return (
    isPurchase(job) &&
    organizationId === of.organizationId &&
    work._tag === "BuySim" &&
    work.label === of.label &&
    work.load === of.load
  )
}

/** Whether the job was tried and is to be tried again. */
export const isWaiting = (job: Job): job is WaitingJob => job.waiting !== null && job.endedAt === null

/** Whether a list with this filter has the job. */
export const isAsked = (job: WaitingJob, { kind, organizationId, reason, telco }: WaitingFilter): boolean =>
  (telco === undefined || telco === (job.waiting.telco ?? "")) &&
  (organizationId === undefined || organizationId === job.organizationId) &&
  (kind === undefined || kind === job.work._tag) &&
  (reason === undefined || reason === job.waiting.reason)

/** Why the job waits after one more try. */
export const waiting = (
  job: Job,
  reason: WaitingReason,
  { message, notBefore, telco }: Pick<Waiting, "message" | "notBefore" | "telco">,
  now: Instant
): Waiting => ({
  reason,
  message,
  since: job.waiting?.since ?? now,
  ...(telco !== undefined && { telco }),
  ...(notBefore !== undefined && { notBefore })
})

/** A job as it is first stored, for work that nobody waits for. */
export const make = (
  { dueAt, jobId, work }: Pick<Job, "jobId" | "work" | "dueAt">,
  { createdAt, organizationId }: Pick<Job, "organizationId" | "createdAt">
): Job => ({
  jobId,
  work,
  dueAt,
  organizationId,
  attempts: 0,
  createdAt,
  idempotencyKey: null,
  origin: null,
  command: null,
  refused: null,
  endedAt: null,
  waiting: null
})

/**
 * Rule W2: whether a request waits for the work's outcome. Only such a job settles the request's
 * idempotency record.
 */
export const isAwaited = (work: Work): boolean => {
  switch (work._tag) {
    case "Provision":
    case "SendSms":
    case "ChangeMobilePlan":
    case "RunCommand":
      return true
    case "CreatePackage":
    case "ReplacePackage":
    case "SuspendPackages":
    case "CancelPackages":
    case "SetService":
    case "NotifyAttachment":
    case "NotifyAttachments":
    case "ReviewPackage":
    case "ReviewAccount":
    case "CorrectDifference":
    case "UsageDiffers":
    case "HandleEvent":
    case "CheckStock":
    case "BuySim":
    case "CheckBundle":
    case "ReturnSim":
      return false
  }
}
