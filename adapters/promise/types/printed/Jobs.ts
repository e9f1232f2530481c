/** Printed from the views by `npm run print`: what hosts see and send. */

/** What kind of work it is. */
export type JobKind =
  | "Provision"
  | "CreatePackage"
  | "ReplacePackage"
  | "SuspendPackages"
  | "CancelPackages"
  | "SendSms"
  | "ChangeMobilePlan"
  | "SetService"
  | "NotifyAttachment"
  | "NotifyAttachments"
  | "ReviewPackage"
  | "ReviewAccount"
  | "CorrectDifference"
  | "UsageDiffers"
  | "HandleEvent"
  | "CheckStock"
  | "BuySim"
  | "CheckBundle"
  | "ReturnSim"
  | "RunCommand"

/** The class of the reason to wait. */
export type WaitingReason = "unavailable" | "held_back" | "refused" | "busy"

/** Names a job. */
export interface OfJob {
  /** The job's id. */
  readonly jobId: string
}

/** Work that was tried and waits for its next try. */
export interface WaitingJob extends OfJob {
  /** What kind of work it is. */
  readonly kind: JobKind
  /** The organization's id; `*`: it is the service's, and no organization's. */
  readonly organizationId: string
  /** The organization's name; empty: it is the service's. */
  readonly organizationName: string
  /** The SIM's ICCID (ITU-T E.118): 18 to 20 digits. */
  readonly iccid: string | null
  /** The class of the reason to wait. */
  readonly reason: WaitingReason
  /** What the telco said last. */
  readonly lastMessage: string
  /** When a try first gave the job back. */
  readonly since: Date
  /** When it is tried next. */
  readonly nextTryAt: Date
  /** How many tries were made. */
  readonly attempts: number
  /** When it was made. */
  readonly createdAt: Date
}

/** Which jobs are meant. An absent field filters nothing. */
export interface WaitingJobFilter {
  /** What kind of work it is. */
  readonly kind?: JobKind | undefined
  /** The class of the reason to wait. */
  readonly reason?: WaitingReason | undefined
  /** Only those that wait for the telco of this name; empty: one without a name, or none. */
  readonly telco?: string | undefined
  /** The organization's id. */
  readonly organizationId?: string | undefined
}

/** Which jobs are tried at once. An absent field filters nothing. */
export interface RetryJobs extends WaitingJobFilter {
  /** The `next` of the answer before; absent or null at first. */
  readonly after?: string | null | undefined
}

/** How far a retry of many jobs has come. */
export interface RetriedJobs {
  /** How many jobs are due now. */
  readonly retried: number
  /** Whether more are left, for another request. */
  readonly hasMore: boolean
  /** Where to go on, for the field `after`; null where none are left. */
  readonly next: string | null
}

/** Names a problem. */
export interface OfProblem {
  /** The problem's id. */
  readonly problemId: string
}

/** Which problem was dealt with by hand. */
export interface ResolveProblem extends OfProblem {
  /** Whether the telco is not asked what it lists on a SIM that will be free. */
  readonly force?: boolean | undefined
}

/** Whose problems are meant; all without an organization. */
export interface ProblemFilter {
  /** Only those of this organization. */
  readonly organizationId?: string | undefined
}

/** Work that ended in refusals, or what a comparison of both books has found. */
export interface Problem extends OfProblem {
  /** What kind of work it is. */
  readonly kind: string
  /** The organization's id; `*`: it is the service's, and no organization's. */
  readonly organizationId: string
  /** The organization's name; empty: it is the service's. */
  readonly organizationName: string
  /** The SIM's ICCID (ITU-T E.118): 18 to 20 digits. */
  readonly iccid: string | null
  /** When it began. */
  readonly since: Date
  /** When the job ended: the telco is not asked any more. */
  readonly endedAt: Date
  /** How many attempts have failed. */
  readonly attempts: number
  /** What the telco said last. */
  readonly lastMessage: string
  /**
   * What is had here, where the telco's books differ from ours; null: the problem is no such
   * difference.
   */
  readonly ours: string | null
  /** What the telco has in its place; null likewise. */
  readonly theirs: string | null
  /** Whether the telco can be asked for what is had here. */
  readonly canCorrect: boolean
}
