/**
 * Refusals as errors, and as the plain data that an idempotency record stores (rule W2).
 */
import { describe, expect, it } from "vitest"
import * as Refusal from "../../src/domain/Refusal.ts"

const refusals: ReadonlyArray<Refusal.Refusal> = [
  new Refusal.InvalidField({ field: "name", message: "must not be empty" }),
  new Refusal.NotFound({ resource: "plan", id: "p" }),
  new Refusal.NoFreeSim({ label: "Green" }),
  new Refusal.PlanArchived({ planId: "p" }),
  new Refusal.SimBusy({ iccid: "8" }),
  new Refusal.SimInUse({ iccid: "8" }),
  new Refusal.SimWithdrawn({ iccid: "8", reason: "lost" }),
  new Refusal.QuotaExceeded({ kind: "plans", quota: 2 }),
  new Refusal.SubscriptionFull({ subscriptionId: "s" }),
  new Refusal.LabelMismatch({ iccid: "8", simLabel: "Red", label: "Green" }),
  new Refusal.EsimInstalled({ iccid: "8" }),
  new Refusal.AttachmentExpired({ attachmentId: "a" }),
  new Refusal.OperatorNameTaken({ operatorName: "Ada" }),
  new Refusal.RegionNameTaken({ regionName: "North", missingIso2: ["XX"] }),
  new Refusal.RegionUncovered({ missingIso2: ["XX"] }),
  new Refusal.RegionExists({ coverageId: "c", regionCode: "R", regionName: "North", iso2List: ["SE"] }),
  new Refusal.EndpointDisabled({ endpointId: "w" }),
  new Refusal.TermsRefused({ message: "no zone" }),
  new Refusal.TelcoRefused({ message: "no such profile" }),
  new Refusal.TelcoUnavailable({ retryAfterSeconds: 5 }),
  new Refusal.IdempotencyKeyReused({ key: "k" }),
  new Refusal.RequestInProgress({ key: "k" }),
  new Refusal.ClockRefused({ reason: "system clock" }),
  new Refusal.InsideTransaction({ operation: "Messages.send", message: "not here" }),
  new Refusal.KeyRefused()
]

describe("A refusal", () => {
  it.each(refusals.map((refusal) => [refusal._tag, refusal] as const))("%s is known as one", (_, refusal) => {
    expect(Refusal.isRefusal(refusal)).toBe(true)
  })

  it.each(refusals.map((refusal) => [refusal._tag, refusal] as const))(
    "W2: %s as plain data survives JSON: its tag and fields, without a stack",
    (tag, refusal) => {
      const plain = Refusal.toPlain(refusal)
      expect(JSON.parse(JSON.stringify(plain))).toStrictEqual(plain)
      expect(plain).toMatchObject({ _tag: tag })
      expect(Object.keys(plain)).not.toContain("stack")
    }
  )

  it("W2: keeps its fields and its message", () => {
    expect(Refusal.toPlain(new Refusal.InvalidField({ field: "name", message: "must not be empty" }))).toEqual({
      _tag: "InvalidField",
      field: "name",
      message: "must not be empty"
    })
    expect(Refusal.toPlain(new Refusal.SimBusy({ iccid: "8" }))).toEqual({ _tag: "SimBusy", iccid: "8", message: "" })
  })

  it("is distinguished from any other error", () => {
    const others = [new Error("SimBusy"), Refusal.toPlain(new Refusal.KeyRefused()), { _tag: "SimBusy" }, null, "x"]
    expect(others.some(Refusal.isRefusal)).toBe(false)
  })
})
