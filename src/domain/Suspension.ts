/**
 * Suspending an attachment (rule T7). A suspension is final: it ends the recurrence, and a job
 * suspends the packages at the telco.
 */
import { Result } from "effect"
import * as Attachment from "./Attachment.ts"
import { type Decision, nothing } from "./Decision.ts"
import * as SimAggregate from "./SimAggregate.ts"
import { AttachmentExpired, NotFound, type Refusing } from "./Refusal.ts"
import type { Instant } from "./Time.ts"

/** The job that suspends an attachment's packages at the telco. */
export const jobId = (attachmentId: string): string => `suspend:${attachmentId}`

/**
 * Rule T7: suspends the attachment. A second suspension changes nothing; an expired attachment is
 * refused.
 */
export const suspend = (
  aggregate: SimAggregate.SimAggregate,
  attachmentId: string,
  now: Instant
): Result.Result<Decision, NotFound | Refusing<"suspension">> => {
  const found = SimAggregate.attachment(aggregate, attachmentId)
  if (found === undefined || !found.attachment.confirmed) {
    return Result.fail(new NotFound({ resource: "plan attachment", id: attachmentId }))
  }
  switch (Attachment.state(found, now)) {
    case "SUSPENDED":
      return Result.succeed(nothing)
    case "EXPIRED":
      return Result.fail(new AttachmentExpired({ attachmentId }))
    case "PENDING_FOR_FIRST_USE":
    case "CREATED":
    case "ACTIVE":
      return Result.succeed({
        sim: {
          loaded: aggregate,
          next: {
            ...aggregate,
            attachments: SimAggregate.withAttachment(aggregate.attachments, {
              ...found,
              attachment: { ...found.attachment, suspendedAt: now }
            })
          }
        },
        jobs: [
          {
            jobId: jobId(attachmentId),
            work: { _tag: "SuspendPackages", iccid: aggregate.sim.iccid, attachmentId },
            dueAt: now
          }
        ]
      })
  }
}
