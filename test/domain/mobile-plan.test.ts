/**
 * The organization's mobile plan on an eSIM (rule I6): a change is visible after the telco has made
 * it, repeating it changes nothing, and a change whose caller got a failure is reverted.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as MobilePlan from "../../src/domain/MobilePlan.ts"
import type { Sim } from "../../src/domain/Sim.ts"
import { ICCID, NOW, sim } from "./Values.ts"

const settled = (applied: boolean) => sim({ mobilePlan: { _tag: "Settled", applied } })
const changing = (applied: boolean, target: boolean) => sim({ mobilePlan: { _tag: "Changing", applied, target } })
const request = (of: Sim, apply: boolean, label: Sim["label"] = "Green") =>
  MobilePlan.request(of, { apply, label }, "change", NOW)
const change = (loaded: Sim, next: Sim) => ({ loaded: { sim: loaded }, next: { sim: next } })
const refusal = (of: Sim, apply: boolean, label?: Sim["label"]) =>
  Result.getOrThrow(Result.flip(request(of, apply, label)))

describe("A request for the mobile plan (I6)", () => {
  it.each([true, false])("apply %s: the old state is visible until the telco has changed it", (apply) => {
    const work = { _tag: "ChangeMobilePlan", iccid: ICCID, changeId: "change" }
    expect(Result.getOrThrow(request(settled(!apply), apply))).toEqual({
      decision: {
        sim: change(settled(!apply), changing(!apply, apply)),
        jobs: [{ jobId: "mobile-plan:change", work, dueAt: NOW }]
      },
      work
    })
    expect(MobilePlan.statusOf(changing(!apply, apply))).toEqual({ iccid: ICCID, applied: !apply, id: 7 })
  })

  it.each([true, false])("apply %s again changes nothing", (apply) => {
    expect(Result.getOrThrow(request(settled(apply), apply))).toBeNull()
  })

  it("is refused for a physical SIM, for another label and during a change, in this order", () => {
    expect(refusal({ ...changing(false, true), isEsim: false }, true, "Red")).toMatchObject({
      _tag: "InvalidField",
      field: "iccid"
    })
    expect(refusal(changing(false, true), true, "Red")).toMatchObject({
      _tag: "LabelMismatch",
      simLabel: "Green",
      label: "Red"
    })
    expect(refusal(changing(false, true), true)).toMatchObject({ _tag: "SimBusy", iccid: ICCID })
    expect(refusal(changing(false, true), false)).toMatchObject({ _tag: "SimBusy" })
  })
})

describe("A withdrawn SIM (I9)", () => {
  const withdrawn = (applied: boolean) => ({
    ...settled(applied),
    allocation: { _tag: "Withdrawn", reason: "lost", ending: null } as const
  })

  it("gets no mobile plan, and may lose the one that it has", () => {
    expect(refusal(withdrawn(false), true)).toMatchObject({ _tag: "SimWithdrawn", iccid: ICCID, reason: "lost" })
    expect(refusal(withdrawn(false), true, "Red")).toMatchObject({ _tag: "LabelMismatch" })
    expect(Result.getOrThrow(request(withdrawn(true), true))).toBeNull()
    expect(Result.getOrThrow(request(withdrawn(true), false))).toMatchObject({ work: { changeId: "change" } })
  })
})

describe("A request that comes again (S5)", () => {
  const left = { _tag: "Withdrawn", reason: "replaced", ending: "subscription" } as const

  it("goes on with its change, but not with one that is reverted, or by which a SIM that was withdrawn gets one (I9)", () => {
    expect(MobilePlan.isResumable(changing(false, true))).toBe(true)
    expect(MobilePlan.isResumable(changing(true, false))).toBe(true)
    expect(MobilePlan.isResumable(changing(true, true))).toBe(false)
    expect(MobilePlan.isResumable(settled(false))).toBe(false)
    for (const allocation of [left, { ...left, ending: null }]) {
      expect(MobilePlan.isResumable({ ...changing(false, true), allocation })).toBe(false)
      expect(MobilePlan.isResumable({ ...changing(true, false), allocation })).toBe(true)
    }
  })
})

describe("The telco's answer (I6)", () => {
  it.each([true, false])("done: %s is visible", (target) => {
    expect(MobilePlan.settled(changing(!target, target))).toEqual({
      decision: { sim: change(changing(!target, target), settled(target)) },
      status: { iccid: ICCID, applied: target, id: 7 }
    })
  })

  it.each([true, false])("a refused revert to %s: the change remains", (applied) => {
    expect(MobilePlan.refused(changing(applied, applied))).toEqual({
      sim: change(changing(applied, applied), settled(!applied))
    })
  })

  it.each([true, false])("refused: %s remains", (applied) => {
    expect(MobilePlan.refused(changing(applied, !applied))).toEqual({
      sim: change(changing(applied, !applied), settled(applied))
    })
  })

  it("done after the caller got a failure: the change is reverted under another id", () => {
    expect(MobilePlan.turnedBack(changing(false, true), "change", "undo", NOW)).toEqual({
      sim: change(changing(false, true), changing(false, false)),
      jobs: [
        {
          jobId: "mobile-plan-undo:change",
          work: { _tag: "ChangeMobilePlan", iccid: ICCID, changeId: "undo" },
          dueAt: NOW
        }
      ]
    })
    expect(MobilePlan.settled(changing(false, false)).decision).toEqual({
      sim: change(changing(false, false), settled(false))
    })
  })

  it("after the change is settled: nothing changes", () => {
    expect(MobilePlan.settled(settled(true))).toEqual({ decision: {}, status: MobilePlan.statusOf(settled(true)) })
    expect(MobilePlan.refused(settled(true))).toEqual({})
    expect(MobilePlan.turnedBack(settled(true), "change", "undo", NOW)).toEqual({})
  })
})
