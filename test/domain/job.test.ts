/**
 * Which jobs settle the idempotency record of a request: those that a request waits for (rule W2). Which ones the telco
 * refuses too often (rule S3).
 */
import { describe, expect, it } from "vitest"
import { isAwaited, isProblem, type Work, withRefusal } from "../../src/domain/Job.ts"
import { ICCID } from "./Values.ts"

const attachmentId = "attachment"

const awaited: ReadonlyArray<Work> = [
  { _tag: "Provision", iccid: ICCID, attachmentId },
  { _tag: "SendSms", iccid: ICCID, messageId: "message", from: "simplan", text: "hello" },
  { _tag: "ChangeMobilePlan", iccid: ICCID, changeId: "change" }
]

const left: ReadonlyArray<Work> = [
  { _tag: "CreatePackage", iccid: ICCID, attachmentId, occurrence: 1 },
  { _tag: "SuspendPackages", iccid: ICCID, attachmentId },
  { _tag: "CancelPackages", iccid: ICCID, packageIds: [], release: true }
]

describe("A job", () => {
  it("is a problem from the third refusal on, which tells the first one's time and the last one's message", () => {
    const first = withRefusal({ refused: null }, "a", 1)
    const second = withRefusal({ refused: first }, "b", 2)
    const third = withRefusal({ refused: second }, "c", 3)
    expect(third).toEqual({ times: 3, since: 1, message: "c" })
    expect([null, first, second, third].map((refused) => isProblem({ refused }))).toEqual([false, false, false, true])
  })
})

describe("A request's answer", () => {
  it.each(awaited)("depends on $_tag", (work) => expect(isAwaited(work)).toBe(true))

  it.each(left)("does not depend on $_tag", (work) => expect(isAwaited(work)).toBe(false))
})
