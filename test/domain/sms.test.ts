/**
 * SMS: the limits of sender and text, and the job that sends the message. One request has one
 * message id (rule W2).
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Sms from "../../src/domain/Sms.ts"
import { ICCID, NOW } from "./Values.ts"

const refusal = (from: string, text: string) => Result.getOrThrow(Result.flip(Sms.check({ from, text })))

describe("An SMS", () => {
  it("has a sender of 1 to 11 characters of the GSM alphabet, or of 1 to 15 digits", () => {
    for (const from of ["s", "simplan 123", "ÄÖÑÜ§¿äöñüà", "[€uro] s", "1".repeat(15), `+${"1".repeat(15)}`]) {
      expect(Result.isSuccess(Sms.check({ from, text: "t" })), from).toBe(true)
    }
    for (const from of [
      "",
      "s".repeat(12),
      "[€uros] s",
      "sms ☕",
      "ç",
      "1".repeat(16),
      `+${"1".repeat(16)}`,
      "1++23456789012"
    ]) {
      expect(refusal(from, "t"), from).toMatchObject({
        field: "from",
        message: "must have 1 to 11 characters of the GSM alphabet, or 1 to 15 digits"
      })
    }
  })

  it("has a text of 1 to 10 segments; the sender is refused first", () => {
    for (const text of ["t", "t".repeat(1_530), "€".repeat(760), "ç".repeat(670)]) {
      expect(Result.isSuccess(Sms.check({ from: "s", text }))).toBe(true)
    }
    expect(refusal("", "")).toMatchObject({ field: "from" })
    expect(refusal("s", "")).toMatchObject({ field: "message", message: "must not be empty" })
    expect(refusal("s", "t".repeat(1_531))).toMatchObject({
      field: "message",
      message: "must fit into 10 segments, and takes 11"
    })
    expect(refusal("s", "€".repeat(761))).toMatchObject({ field: "message" })
    expect(refusal("s", "ç".repeat(671))).toMatchObject({ field: "message" })
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
