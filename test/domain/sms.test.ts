/**
 * SMS: the limits of sender and text, and the job that sends the message. One request has one message id (rule W2).
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Sms from "../../src/domain/Sms.ts"
import { ICCID, NOW } from "./Values.ts"

const refusal = (from: string, text: string) => Result.getOrThrow(Result.flip(Sms.check({ from, text })))

describe("An SMS", () => {
  it("has a sender of 1 to 64 characters and a text of 1 to 1,600", () => {
    for (const [from, text] of [
      ["s", "t"],
      ["s".repeat(64), "t".repeat(1_600)]
    ] as const) {
      expect(Result.isSuccess(Sms.check({ from, text }))).toBe(true)
    }
  })

  it("is refused by the field that is too short or too long, the sender first", () => {
    expect(refusal("", "")).toMatchObject({ field: "from", message: "must have 1 to 64 characters" })
    expect(refusal("s".repeat(65), "t")).toMatchObject({ field: "from" })
    expect(refusal("s", "")).toMatchObject({ field: "message", message: "must have 1 to 1600 characters" })
    expect(refusal("s", "t".repeat(1_601))).toMatchObject({ field: "message" })
  })

  it("is one job, named after the message and due now", () => {
    const sms = { iccid: ICCID, messageId: "m-1", from: "simplan", text: "Hello" }
    expect(Sms.job(sms, NOW)).toEqual({ jobId: "sms:m-1", work: { _tag: "SendSms", ...sms }, dueAt: NOW })
  })

  it("W2: has one id for each request under an idempotency key", () => {
    const request = { organizationId: "o", key: "k", fingerprint: "0123456789abcdef0123" }
    expect(Sms.idOf(request)).toBe("o:k:0123456789abcdef")
    expect(Sms.idOf({ ...request, key: "other" })).not.toBe(Sms.idOf(request))
    expect(Sms.idOf({ ...request, fingerprint: "other" })).not.toBe(Sms.idOf(request))
  })
})
