/**
 * What answers of the telco say that may be anything: to `suspendPackage`, `cancelPackage` and
 * `sendSms`. Whatever is not in the port's form says nothing.
 */
import { Schema } from "effect"
import type { SentSms, Settled } from "./Telco.ts"

const isText = Schema.is(Schema.String)

const isAmount = Schema.is(
  Schema.Struct({
    units: Schema.Int,
    scale: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 })),
    currency: Schema.String
  })
)

const isSent = Schema.is(Schema.Struct({ segments: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)) }))

const fieldsOf = (answer: unknown): Readonly<Record<string, unknown>> =>
  typeof answer === "object" && answer !== null ? { ...answer } : {}

/** What an answer, or a refusal, says of the money of a package. */
export const settled = (answer: unknown): Settled => {
  const { credit, purchaseId, topUp } = fieldsOf(answer)
  const { cost, load } = fieldsOf(topUp)
  return {
    ...(isText(load) && { topUp: { load, cost: isAmount(cost) ? cost : null } }),
    ...(isAmount(credit) && { credit }),
    ...(isText(purchaseId) && { purchaseId })
  }
}

/** Whether a cancellation was answered so that what the SIM was bought with was used. */
export const isLoadUsed = (answer: unknown): boolean => fieldsOf(answer)["isLoadUsed"] === true

/** In how many segments a message was sent; null: the telco does not say. */
export const sentSms = (answer: unknown): SentSms | null => (isSent(answer) ? { segments: answer.segments } : null)
