/**
 * The allocation of SIMs, and which SIM a creation may choose (rule S2).
 */
import { describe, expect, it } from "vitest"
import { isLabel, labels } from "../../src/domain/Label.ts"
import * as Sim from "../../src/domain/Sim.ts"
import * as SimIdentities from "../../src/domain/SimIdentities.ts"
import { sim } from "./Values.ts"

const held = (["Provisioning", "InService", "Releasing"] as const).map((_tag) =>
  sim({ allocation: { _tag, subscriptionId: "subscription" } })
)

describe("A SIM (S2)", () => {
  it("is used unless it is free", () => {
    expect(held.map(Sim.isUsed)).toEqual([true, true, true])
    expect(Sim.isUsed(sim())).toBe(false)
    expect(Sim.isUsed(sim({ downloaded: true }))).toBe(false)
  })

  it("may be chosen if it is a free eSIM without a sign of a download", () => {
    expect(Sim.isFree(sim())).toBe(true)
    expect(Sim.isFree(sim({ isEsim: false, lpa: null }))).toBe(false)
    expect(Sim.isFree(sim({ downloaded: true }))).toBe(false)
    expect(held.map(Sim.isFree)).toEqual([false, false, false])
  })

  it("S5: is on its way back to stock if it is an eSIM that is released, without a sign of a download", () => {
    expect(held.map(Sim.isReturning)).toEqual([false, false, true])
    expect(Sim.isReturning(sim())).toBe(false)
    const allocation = { _tag: "Releasing", subscriptionId: "subscription" } as const
    expect(Sim.isReturning(sim({ allocation, downloaded: true }))).toBe(false)
    expect(Sim.isReturning(sim({ allocation, isEsim: false, lpa: null }))).toBe(false)
  })

  it("S5: may come back to stock if it is an eSIM of a creation that is not decided, without a sign of a download", () => {
    expect(held.map(Sim.isUndecided)).toEqual([true, false, false])
    expect(Sim.isUndecided(sim())).toBe(false)
    const allocation = { _tag: "Provisioning", subscriptionId: "subscription" } as const
    expect(Sim.isUndecided(sim({ allocation, downloaded: true }))).toBe(false)
    expect(Sim.isUndecided(sim({ allocation, isEsim: false, lpa: null }))).toBe(false)
  })
})

describe("The labels", () => {
  it("are spelled as in the interface", () => {
    expect(labels).toEqual(["Green", "Aqua", "Blue", "Voilet", "Red", "Grey", "Orange"])
    expect(labels.every(isLabel)).toBe(true)
    expect(["green", "Violet", "", "Gray"].some(isLabel)).toBe(false)
  })
})

describe("A new SIM (I1)", () => {
  const { createdAt, iccid, isEsim, label, lpa, organizationId, simId } = sim()
  const stored = { organizationId, simId, iccid, label, isEsim, lpa, createdAt }
  const one = Sim.imported({ ...stored, purchase: null, ...SimIdentities.none })

  it("is free, without any sign of use", () => {
    expect(one).toEqual({
      organizationId,
      simId,
      iccid,
      label,
      isEsim,
      lpa,
      imsi: null,
      msisdn: null,
      subscriberId: null,
      createdAt,
      allocation: { _tag: "Free" },
      recycledAt: null,
      purchase: null,
      movedTo: null,
      moves: [],
      tags: [],
      downloaded: false,
      smdp: null,
      location: null,
      lastActivityAt: null,
      mobilePlan: { _tag: "Settled", applied: false },
      service: { _tag: "Settled", pausedAt: null }
    })
  })
})

describe("A SIM that is imported again (I7)", () => {
  const given = { isEsim: true, lpa: "LPA:1$a$2", ...SimIdentities.none }

  it("gets an activation code only if it is an eSIM without one", () => {
    for (const [changes, lpa] of [
      [{ lpa: null }, "LPA:1$a$2"],
      [{ lpa: "LPA:1$a$1" }, "LPA:1$a$1"],
      [{ isEsim: false, lpa: null }, null]
    ] as const) {
      const stored = sim(changes)
      const next = Sim.importedAgain(stored, given)
      expect(next).toEqual({ ...stored, lpa })
      expect(Sim.isUnchangedByImport(stored, next)).toBe(lpa === stored.lpa)
    }
  })

  it("keeps its activation code where none is given, and gets the identities that are", () => {
    const stored = sim({ lpa: "LPA:1$a$1" })
    const next = Sim.importedAgain(stored, { ...given, isEsim: false, lpa: null, imsi: "208930000000001" })
    expect(next).toEqual({ ...stored, imsi: "208930000000001" })
    expect(Sim.isUnchangedByImport(stored, next)).toBe(false)
  })
})
