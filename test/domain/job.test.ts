/**
 * Which jobs settle the idempotency record of a request: those that a request waits for (rule W2).
 */
import { describe, expect, it } from "vitest"
import { isAwaited, type Work } from "../../src/domain/Job.ts"
import { ICCID } from "./Values.ts"

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
  { _tag: "CancelPackages", iccid: ICCID, packageIds: [], release: true },
  { _tag: "ReviewPackage", iccid: ICCID, findingId: "ocs/missing/1" },
  { _tag: "HandleEvent", iccid: ICCID, handler: "mailer", deliveryId: "event:handler:mailer" }
]

describe("A request's answer", () => {
  it.each(awaited)("depends on $_tag", (work) => expect(isAwaited(work)).toBe(true))

  it.each(left)("does not depend on $_tag", (work) => expect(isAwaited(work)).toBe(false))
})
