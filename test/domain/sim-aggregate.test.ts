/**
 * The SIM's aggregate: its visible attachments (rule S5), and replacing one attachment or package
 * in it.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as SimAggregate from "../../src/domain/SimAggregate.ts"
import { attached, aggregate, free, ICCID, pack, subscription } from "./Values.ts"

const seen = attached({ attachmentId: "seen" }, [{}])
const unseen = attached({ attachmentId: "unseen", confirmed: false })
const of = aggregate([seen, unseen])

describe("The SIM's aggregate", () => {
  it("S5: shows only attachments whose outcome at the telco is committed", () => {
    expect(SimAggregate.confirmed(of)).toEqual([seen])
  })

  it("S5: is visible while its subscription is live", () => {
    expect(Result.getOrThrow(SimAggregate.visible(of, ICCID))).toEqual(of)
    const found = [of.subscription?.subscriptionId, "another"].map((id) => SimAggregate.visible(of, ICCID, id))
    expect(found.map(Result.isSuccess)).toEqual([true, false])
    const pending = { ...of, subscription: subscription({ status: "Pending" }) }
    for (const hidden of [null, free(), pending]) {
      expect(Result.getOrThrow(Result.flip(SimAggregate.visible(hidden, ICCID)))).toMatchObject({
        _tag: "NotFound",
        resource: "subscription",
        id: ICCID
      })
    }
  })

  it("S5: owns what its attachments have, nothing while it is free, and is not compared while that changes", () => {
    const allocated = (_tag: "Provisioning" | "InService" | "Releasing") =>
      SimAggregate.owners({ ...of, sim: { ...of.sim, allocation: { _tag, subscriptionId: "s" } } })
    expect(allocated("InService")).toEqual([seen, unseen])
    expect(SimAggregate.owners({ ...of, sim: { ...of.sim, allocation: { _tag: "Free" } } })).toEqual([])
    expect([allocated("Provisioning"), allocated("Releasing")]).toEqual([null, null])
  })

  it("finds an attachment by its id, confirmed or not", () => {
    expect(SimAggregate.attachment(of, "unseen")).toBe(unseen)
    expect(SimAggregate.attachment(of, "unknown")).toBeUndefined()
  })

  it("T5: has only the attachment that a job is about, or none", () => {
    expect(SimAggregate.forAttachment(of, "unseen")).toEqual({ ...of, attachments: [unseen] })
    expect(SimAggregate.forAttachment(of, "unknown")).toEqual({ ...of, attachments: [] })
  })

  it("has one attachment replaced, in its place", () => {
    const next = attached({ attachmentId: "seen", metadata: "other" })
    expect(SimAggregate.withAttachment(of.attachments, next)).toEqual([next, unseen])
    expect(of.attachments).toEqual([seen, unseen])
  })

  it("has one package replaced, in its place", () => {
    const [first, second] = [pack(), pack({ occurrence: 1 })]
    const next = pack({ occurrence: 0, usedBytes: 5 })
    expect(SimAggregate.withPackage([first, second], next)).toEqual([next, second])
  })
})
