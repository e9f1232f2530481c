/**
 * Whether the telco may be asked for what we have (rule S6): not while a change is under way, which
 * asks for it anyway.
 */
import { describe, expect, it } from "vitest"
import * as Correction from "../../src/domain/Correction.ts"
import { NOW, sim } from "./Values.ts"

const inService = { _tag: "InService", subscriptionId: "subscription" } as const

describe("What the telco is to have (S6)", () => {
  it("is the service of a SIM in service, paused or not", () => {
    const wanted = (pausedAt: number | null) =>
      Correction.serviceWanted(sim({ allocation: inService, service: { _tag: "Settled", pausedAt } }))
    expect(wanted(null)).toEqual({ pausedAt: null })
    expect(wanted(NOW)).toEqual({ pausedAt: NOW })
  })

  it("is no service where a change is under way, or nobody has the SIM", () => {
    const service = { _tag: "Changing", pausedAt: NOW, changeId: "change", active: false } as const
    expect(Correction.serviceWanted(sim({ allocation: inService, service }))).toBeNull()
    for (const allocation of [
      { _tag: "Free" },
      { _tag: "Provisioning", subscriptionId: "subscription" },
      { _tag: "Releasing", subscriptionId: "subscription" },
      { _tag: "Withdrawn", reason: "replaced", ending: "subscription" },
      { _tag: "Withdrawn", reason: "lost", ending: null }
    ] as const) {
      expect(Correction.serviceWanted(sim({ allocation }))).toBeNull()
    }
  })

  it("is the mobile plan as it is settled", () => {
    const wanted = (applied: boolean) => Correction.mobilePlanWanted(sim({ mobilePlan: { _tag: "Settled", applied } }))
    expect([wanted(true), wanted(false)]).toEqual([true, false])
    const mobilePlan = { _tag: "Changing", applied: true, target: false } as const
    expect(Correction.mobilePlanWanted(sim({ mobilePlan }))).toBeNull()
  })
})
