/**
 * SMS to a subscription's SIM: what a request may ask for, and the job that sends the message.
 */
import { Result } from "effect"
import type { NewJob } from "./Decision.ts"
import * as SmsSegments from "./SmsSegments.ts"
import type { RequestKey } from "./Idempotency.ts"
import type { Work } from "./Job.ts"
import { InvalidField } from "./Refusal.ts"
import * as TextLimit from "./TextLimit.ts"
import type { Instant } from "./Time.ts"

/**
 * The longest alphanumeric sender in septets, the longest numeric one in digits, and the most
 * segments of a text.
 */
export const limits = { senderSeptets: 11, senderDigits: 15, segments: 10 } as const

/** The message's id is its key at the telco: two sends under one id are one message. */
export interface Sms {
  /** 18 to 20 digits (rule I1). */
  readonly iccid: string
  /** What the telco knows the message by: the same id is sent once. */
  readonly messageId: string
  /**
   * Up to 11 characters of the GSM alphabet, or up to 15 digits that may begin with a plus sign.
   */
  readonly from: string
  /** At most 10 segments. */
  readonly text: string
}

// An international number may begin with a plus sign.
const NUMBER = new RegExp(`^\\+?[0-9]{1,${limits.senderDigits}}$`)

const isSender = (from: string): boolean => {
  if (NUMBER.test(from)) return true
  const septets = SmsSegments.septets(from)
  const sum = septets?.reduce((total, count) => total + count, 0)
  return sum !== undefined && sum >= 1 && sum <= limits.senderSeptets
}

const refused = (field: "from" | "message", message: string): Result.Result<void, InvalidField> =>
  Result.fail(new InvalidField({ field, message }))

/**
 * Whether sender and text are within their limits; the sender is checked first. A sender has 1 to
 * 11 characters of the GSM alphabet, of which those of the extension table count twice, or 1 to 15
 * digits.
 */
export const check = ({ from, text }: Pick<Sms, "from" | "text">): Result.Result<void, InvalidField> => {
  if (!isSender(from))
    return refused(
      "from",
      `must have 1 to ${limits.senderSeptets} characters of the GSM alphabet, or 1 to ${limits.senderDigits} digits`
    )
  if (text === "") return refused("message", "must not be empty")
  if (!TextLimit.isStorable(text)) return refused("message", TextLimit.NOT_STORABLE)
  const count = SmsSegments.count(text)
  return count > limits.segments
    ? refused("message", `must fit into ${limits.segments} segments, and takes ${count}`)
    : Result.void
}

/**
 * The id of a message that is sent under an idempotency key (rule W2). A retry of the same request
 * has the same id, so the telco sends the message once.
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
