/**
 * Suspending an attachment (rule T7): a job suspends its packages at the telco. A second suspension
 * changes nothing, and an expired attachment is refused.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type * as Attachment from "../../src/domain/Attachment.ts"
import * as Suspension from "../../src/domain/Suspension.ts"
import { DAY_MS } from "./Calendar.ts"
import { attached, ICCID, aggregate, NOW, recurring } from "./Values.ts"

const windowed = attached({}, [{ activationAt: NOW, expirationAt: NOW + DAY_MS }])
const suspend = (of: Attachment.WithPackages, now: number) => Suspension.suspend(aggregate([of]), "attachment", now)
const refusal = (of: Attachment.WithPackages, now: number, id = "attachment") =>
  Result.getOrThrow(Result.flip(Suspension.suspend(aggregate([of]), id, now)))

describe("An attachment is suspended (T7)", () => {
  it.each([
    ["CREATED without a package", attached({ terms: recurring(), anchor: NOW + DAY_MS })],
    ["CREATED before its activation", attached({}, [{ activationAt: NOW + 1, expirationAt: NOW + 2 }])],
    ["PENDING_FOR_FIRST_USE", attached({}, [{}])],
    ["ACTIVE", windowed]
  ])("while %s", (_, of) => {
    expect(Result.getOrThrow(suspend(of, NOW))).toEqual({
      sim: {
        loaded: aggregate([of]),
        next: aggregate([{ ...of, attachment: { ...of.attachment, suspendedAt: NOW } }])
      },
      jobs: [
        {
          jobId: "suspend:attachment",
          work: { _tag: "SuspendPackages", iccid: ICCID, attachmentId: "attachment" },
          dueAt: NOW
        }
      ]
    })
  })

  it("until the last millisecond before its expiry", () => {
    expect(Result.isSuccess(suspend(windowed, NOW + DAY_MS - 1))).toBe(true)
    expect(refusal(windowed, NOW + DAY_MS)).toMatchObject({ _tag: "AttachmentExpired", attachmentId: "attachment" })
  })

  it("only once: a second suspension changes nothing, also after the expiry", () => {
    const suspended = { ...windowed, attachment: { ...windowed.attachment, suspendedAt: NOW } }
    for (const now of [NOW, NOW + 1, NOW + 99 * DAY_MS]) {
      expect(Result.getOrThrow(suspend(suspended, now))).toEqual({})
    }
  })
})

describe("No attachment is found", () => {
  it("under another id, such as a plan's (S4), or before it is confirmed (S5)", () => {
    const missing = { _tag: "NotFound", resource: "plan attachment" }
    expect(refusal(windowed, NOW, "plan")).toMatchObject({ ...missing, id: "plan" })
    expect(refusal(attached({ confirmed: false }), NOW)).toMatchObject(missing)
  })
})
