/**
 * SMS to a subscription's SIM: what a request may ask for, and the job that sends the message.
 */
import { Result } from "effect"
import type { NewJob } from "./Decision.ts"
import type { RequestKey } from "./Idempotency.ts"
import type { Work } from "./Job.ts"
import { InvalidField } from "./Refusal.ts"
import type { Instant } from "./Time.ts"

/** The longest sender name and text, in UTF-16 code units. */
export const limits = { from: 64, text: 1_600 } as const

/** The message's id is its key at the telco: two sends under one id are one message. */
export interface Sms {
  readonly iccid: string
  readonly messageId: string
  readonly from: string
  readonly text: string
}

const checked = (field: "from" | "message", text: string, maximum: number): Result.Result<void, InvalidField> =>
  text.length >= 1 && text.length <= maximum
    ? Result.void
    : Result.fail(new InvalidField({ field, message: `must have 1 to ${maximum} characters` }))

/** Whether the sender and the text are within their limits; the sender is checked first. */
export const check = (sms: Pick<Sms, "from" | "text">): Result.Result<void, InvalidField> =>
  Result.andThen(checked("from", sms.from, limits.from), () => checked("message", sms.text, limits.text))

/**
 * The id of a message that is sent under an idempotency key (rule W2). A retry of the same request has the same id, so
 * the telco sends the message once.
 */
export const idOf = ({ fingerprint, key, organizationId }: RequestKey): string =>
  `${organizationId}:${key}:${fingerprint.slice(0, 16)}`

/** The job that sends the message, due now. */
export const job = (
  sms: Sms,
  now: Instant
): NewJob & { readonly work: Extract<Work, { readonly _tag: "SendSms" }> } => ({
  jobId: `sms:${sms.messageId}`,
  work: { _tag: "SendSms", ...sms },
  dueAt: now
})
