/**
 * Which jobs settle the idempotency record of a request: those that a request waits for (rule W2).
 * Which jobs wait for their next try, and since when (rule S6).
 */
import { describe, expect, it } from "vitest"
import * as Job from "../../src/domain/Job.ts"
import { isAwaited, type Work } from "../../src/domain/Job.ts"
import { ICCID, NOW } from "./Values.ts"

const attachmentId = "attachment"

const awaited: ReadonlyArray<Work> = [
  { _tag: "Provision", iccid: ICCID, attachmentId },
  { _tag: "SendSms", iccid: ICCID, messageId: "message", from: "simplan", text: "hello" },
  { _tag: "ChangeMobilePlan", iccid: ICCID, changeId: "change" },
  { _tag: "RunCommand", commandId: "command" }
]

const left: ReadonlyArray<Work> = [
  { _tag: "CreatePackage", iccid: ICCID, attachmentId, occurrence: 1 },
  { _tag: "SuspendPackages", iccid: ICCID, attachmentId },
  { _tag: "CancelPackages", iccid: ICCID, packageIds: [], release: "Cancel" },
  { _tag: "ReviewPackage", iccid: ICCID, findingId: "ocs/missing/1" },
  { _tag: "ReviewAccount", telco: "go", findingId: "go/balance" },
  { _tag: "CorrectDifference", iccid: ICCID, findingId: "ocs/service/1", correction: { _tag: "Service" } },
  { _tag: "UsageDiffers", iccid: ICCID, findingId: "ocs/usage/1", usage: { day: NOW, booked: 1, telco: 2 } },
  { _tag: "HandleEvent", iccid: ICCID, handler: "mailer", deliveryId: "event:handler:mailer" },
  { _tag: "CheckStock", label: "Green" },
  { _tag: "CheckBundle", planId: "plan" }
]

describe("A request's answer", () => {
  it.each(awaited)("depends on $_tag", (work) => expect(isAwaited(work)).toBe(true))

  it.each(left)("does not depend on $_tag", (work) => expect(isAwaited(work)).toBe(false))
})

describe("A job that waits for its next try (S6)", () => {
  const work: Work = { _tag: "SuspendPackages", iccid: ICCID, attachmentId }
  const made = Job.make({ jobId: "job", work, dueAt: NOW }, { organizationId: "organization", createdAt: NOW })
  const tried = (since: number, dueAt: number): Job.WaitingJob => ({
    ...made,
    dueAt,
    waiting: { reason: "unavailable", message: "no answer", since }
  })

  it("was tried, and is no problem", () => {
    expect([made, tried(NOW, NOW), { ...tried(NOW, NOW), endedAt: NOW }].map(Job.isWaiting)).toEqual([
      false,
      true,
      false
    ])
  })

  it("waits since its first try", () => {
    const of = { message: "busy" }
    expect(Job.waiting(made, "busy", of, NOW + 1)).toEqual({ reason: "busy", message: "busy", since: NOW + 1 })
    expect(Job.waiting(tried(NOW, NOW), "busy", of, NOW + 1).since).toBe(NOW)
  })

  it("is asked for by its telco's name, which may be none", () => {
    const named = { ...tried(NOW, NOW), waiting: { ...tried(NOW, NOW).waiting, telco: "ocs" } }
    const asked = (telco: string) => [tried(NOW, NOW), named].map((job) => Job.isAsked(job, { telco }))
    expect([asked(""), asked("ocs")]).toEqual([
      [true, false],
      [false, true]
    ])
  })
})
