/**
 * Jobs: durable work due at an instant of business time. A job's id says what it is for, so that the same work cannot
 * be stored twice; the id is also what the telco de-duplicates by.
 */
import type { Instant } from "./Time.ts"

export type Work =
  /** Hand the packages of a new attachment to the telco and commit the outcome (rule S5). */
  | { readonly _tag: "Provision"; readonly iccid: string; readonly attachmentId: string }
  /** Create one occurrence of a recurring attachment (rule T5). */
  | {
      readonly _tag: "CreatePackage"
      readonly iccid: string
      readonly attachmentId: string
      readonly occurrence: number
    }
  /** Tell the telco of a suspension (rule T7). */
  | { readonly _tag: "SuspendPackages"; readonly iccid: string; readonly attachmentId: string }
  /**
   * Cancel packages at the telco, whether or not it has them; `release` says that the SIM becomes free once all are
   * gone (rules S3 and S5).
   */
  | {
      readonly _tag: "CancelPackages"
      readonly iccid: string
      readonly packageIds: ReadonlyArray<string>
      readonly release: boolean
    }
  | {
      readonly _tag: "SendSms"
      readonly iccid: string
      readonly messageId: string
      readonly from: string
      readonly text: string
    }
  /** Bring the mobile plan of an eSIM to the target that its SIM names (rule I6). */
  | { readonly _tag: "ChangeMobilePlan"; readonly iccid: string; readonly changeId: string }

export interface Job {
  readonly jobId: string
  readonly organizationId: string
  readonly work: Work
  readonly dueAt: Instant
  /** Attempts that ended with the telco unavailable. */
  readonly attempts: number
  readonly createdAt: Instant
  /** The idempotency key of the request that waits for this job's outcome, if one does (rule W2). */
  readonly idempotencyKey: string | null
}

/** Whether a request waits for what comes of the work: only then does the job tell the request's idempotency record. */
export const isAwaited = (work: Work): boolean => {
  switch (work._tag) {
    case "Provision":
    case "SendSms":
    case "ChangeMobilePlan":
      return true
    case "CreatePackage":
    case "SuspendPackages":
    case "CancelPackages":
      return false
  }
}
