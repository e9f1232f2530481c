/**
 * Corrections of a SIM (rule I9).
 */
import * as fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { inWords } from "../../src/domain/AuditEntry.ts"
import * as Deletion from "../../src/domain/Deletion.ts"
import { labels } from "../../src/domain/Label.ts"
import * as Sim from "../../src/domain/Sim.ts"
import * as SimCorrection from "../../src/domain/SimCorrection.ts"
import * as Withdrawal from "../../src/domain/Withdrawal.ts"
import { ICCID, sim } from "./Values.ts"

const parsed = (of: SimCorrection.Unchecked) => Result.getOrThrow(SimCorrection.parse(of))
const refused = (of: SimCorrection.Unchecked) => Result.getOrThrow(Result.flip(SimCorrection.parse(of)))
const applied = (of: Sim.Sim, correction: SimCorrection.Correction) =>
  Result.getOrThrow(SimCorrection.apply(of, correction))
const refusal = (of: Sim.Sim, correction: SimCorrection.Correction) =>
  Result.getOrThrow(Result.flip(SimCorrection.apply(of, correction)))

const broken = { _tag: "Withdrawn", reason: "broken" } as const
const asBroken = { ...broken, ending: null } as const
const available = { _tag: "Available" } as const
const subscriptionId = "s"

describe("A correction", () => {
  it("names what changes, and leaves out what stays", () => {
    expect(parsed({ label: "Blue" })).toEqual({ label: "Blue" })
    expect(parsed({ lpa: " LPA:1$a$b " })).toEqual({ lpa: "LPA:1$a$b" })
    expect(parsed({ lpa: null })).toEqual({ lpa: null })
    expect(parsed({ lpa: "  " })).toEqual({ lpa: null })
    expect(parsed({ status: "withdrawn", reason: "broken" })).toEqual({ status: broken })
    expect(parsed({ status: "available", reason: null })).toEqual({ status: available })
  })

  it.each([
    ["label", {}],
    ["label", { label: "Pink" }],
    ["lpa", { lpa: "LPA:1$a" }],
    ["lpa", { lpa: `LPA:1$a$${"b".repeat(248)}` }],
    ["status", { status: "sold" }],
    ["reason", { status: "withdrawn" }],
    ["reason", { status: "withdrawn", reason: "stolen" }],
    ["reason", { status: "available", reason: "lost" }],
    ["reason", { label: "Blue", reason: "lost" }]
  ])("is refused for its %s: %j", (field, given) => {
    expect(refused(given)).toMatchObject({ _tag: "InvalidField", field })
  })

  it("knows each reason of a withdrawal", () => {
    for (const reason of Withdrawal.reasons) {
      expect(parsed({ status: "withdrawn", reason })).toEqual({ status: { _tag: "Withdrawn", reason } })
      expect(Withdrawal.isReason(reason)).toBe(true)
    }
    expect(Withdrawal.isReason("stolen")).toBe(false)
  })

  it("does not repeat an activation code that is none", () => {
    expect(refused({ lpa: "LPA:1$a$SECRET 1" }).message).not.toContain("SECRET")
  })
})

describe("A SIM that no subscription holds", () => {
  it("gets another label or activation code", () => {
    expect(applied(sim(), { label: "Blue", lpa: "LPA:1$a$c" })).toEqual(sim({ label: "Blue", lpa: "LPA:1$a$c" }))
    expect(applied(sim(), { lpa: null }).lpa).toBeNull()
  })

  it("is withdrawn, is free for nothing then, and is free again when it is available", () => {
    const withdrawn = applied(sim(), { status: broken })
    expect(withdrawn).toEqual(sim({ allocation: asBroken }))
    expect([Sim.isFree(withdrawn), Sim.isUsed(withdrawn), Sim.withdrawnReason(withdrawn)]).toEqual([
      false,
      true,
      "broken"
    ])
    expect(Sim.isSuitable(withdrawn, "subscription", null)).toBe(false)
    expect(Sim.isSuitable(withdrawn, "mobile plan", null)).toBe(false)
    expect(applied(withdrawn, { status: { _tag: "Withdrawn", reason: "lost" } }).allocation).toMatchObject({
      reason: "lost"
    })
    expect(applied(withdrawn, { label: "Blue" }).allocation).toEqual(asBroken)
    expect(applied(withdrawn, { status: available })).toEqual(sim())
  })

  it("has no activation code if it is physical", () => {
    const physical = sim({ isEsim: false, lpa: null })
    expect(refusal(physical, { lpa: "LPA:1$a$b" })).toMatchObject({ _tag: "InvalidField", field: "lpa" })
    expect(applied(physical, { lpa: null, label: "Blue" })).toEqual({ ...physical, label: "Blue" })
  })
})

describe("A SIM that a subscription holds", () => {
  it.each([
    ["InService", "SimInUse"],
    ["Provisioning", "SimBusy"],
    ["Releasing", "SimBusy"]
  ] as const)("%s keeps its label and is not withdrawn: %s", (_tag, expected) => {
    const held = sim({ allocation: { _tag, subscriptionId } })
    expect(refusal(held, { label: "Blue" })).toMatchObject({ _tag: expected, iccid: ICCID })
    expect(refusal(held, { status: broken })).toMatchObject({ _tag: expected, iccid: ICCID })
    expect(applied(held, { label: held.label, status: available })).toEqual(held)
    expect(applied(held, { lpa: "LPA:1$a$c" })).toEqual({ ...held, lpa: "LPA:1$a$c" })
  })
})

describe("A SIM that its subscription has left (rule S8)", () => {
  const left = sim({ allocation: { _tag: "Withdrawn", reason: "replaced", ending: subscriptionId } })

  it.each<SimCorrection.Correction>([
    { status: available },
    { status: broken },
    { status: { _tag: "Withdrawn", reason: "replaced" } },
    { label: "Blue" },
    { label: "Blue", status: available, lpa: null }
  ])("is busy until the telco has confirmed its end: %j", (correction) => {
    expect(refusal(left, correction)).toMatchObject({ _tag: "SimBusy", iccid: ICCID })
  })

  it("gets another activation code meanwhile, and stays as it is by a correction to that", () => {
    expect(applied(left, { lpa: "LPA:1$a$c" })).toEqual({ ...left, lpa: "LPA:1$a$c" })
    expect(applied(left, { label: left.label, lpa: left.lpa })).toEqual(left)
  })

  it("is withdrawn when the telco has confirmed its end, and available once that is asked for", () => {
    const { next } = Deletion.released(left, false).sim ?? {}
    const confirmed = { ...left, ...next?.sim }
    expect(confirmed.allocation).toEqual({ ...asBroken, reason: "replaced" })
    expect(applied(confirmed, { status: broken }).allocation).toEqual(asBroken)
    expect(applied(confirmed, { status: available })).toEqual(sim())
  })
})

describe("The audit log", () => {
  const of = (before: Sim.Sim, next: Sim.Sim) =>
    SimCorrection.changes(before, next).map(({ action, changed = [] }) => [action, ...changed.map(inWords)])

  it("has an entry for each thing that changes, with what it was and became, and none for nothing", () => {
    const withdrawn = sim({ allocation: asBroken })
    const lost = sim({ allocation: { ...asBroken, reason: "lost" } })
    expect(of(sim(), sim())).toEqual([])
    expect(of(sim(), { ...withdrawn, label: "Blue", lpa: null })).toEqual([
      ["sim.set_label", "label: Green → Blue"],
      ["sim.set_activation_code", "activation code: LPA:1$smdp.example$… → –"],
      ["sim.withdraw", "status: available → withdrawn, broken"]
    ])
    expect(of(withdrawn, sim())).toEqual([["sim.restore", "status: withdrawn, broken → available"]])
    expect(of(withdrawn, lost)).toEqual([["sim.withdraw", "status: withdrawn, broken → withdrawn, lost"]])
  })

  it("has the first 300 characters of what is long", () => {
    const tags = Array.from({ length: 20 }, (_, index) => `${index}`.padStart(40, "a"))
    const [change] = SimCorrection.changes(sim(), { ...sim(), tags })
    expect(change?.changed).toEqual([{ field: "tags", before: null, after: `${tags.join("; ").slice(0, 300)}…` }])
  })

  it("says that there is another activation code also if it looks the same without its secret", () => {
    const one = sim({ lpa: "LPA:1$smdp.example$A1" })
    expect(of(one, { ...one, lpa: "LPA:1$smdp.example$B1" })).toEqual([["sim.set_activation_code"]])
  })
})

it("Whatever is asked for, a SIM is as it was or as it was asked to be, and a second time changes nothing", () => {
  const allocations = fc.constantFrom<Sim.Allocation>(
    { _tag: "Free" },
    asBroken,
    { _tag: "Withdrawn", reason: "replaced", ending: subscriptionId },
    ...(["Provisioning", "InService", "Releasing"] as const).map((_tag) => ({ _tag, subscriptionId }))
  )
  const corrections = fc.record(
    {
      label: fc.constantFrom(...labels),
      lpa: fc.constantFrom(null, "LPA:1$a$b"),
      status: fc.constantFrom<SimCorrection.Status>(available, broken)
    },
    { requiredKeys: [] }
  )
  fc.assert(
    fc.property(allocations, fc.boolean(), corrections, (allocation, isEsim, correction) => {
      const before = sim({ allocation, isEsim, lpa: isEsim ? "LPA:1$a$c" : null })
      const found = SimCorrection.apply(before, correction)
      const isHeld = Sim.holder(allocation) !== null
      const isAllocated =
        isHeld && Sim.withdrawnReason(before) !== null
          ? correction.status !== undefined
          : correction.status?._tag === "Withdrawn"
      const changes = (correction.label ?? before.label) !== before.label || isAllocated
      const isWrong = !isEsim && (correction.lpa ?? null) !== null
      expect(Result.isFailure(found)).toBe(isWrong || (isHeld && changes))
      if (Result.isFailure(found)) return
      const next = found.success
      expect(next.label).toBe(correction.label ?? before.label)
      expect(next.lpa).toBe(correction.lpa === undefined ? before.lpa : correction.lpa)
      if (isHeld) expect(next.allocation).toEqual(allocation)
      else if (correction.status !== undefined) {
        expect(Sim.withdrawnReason(next)).toBe(correction.status._tag === "Withdrawn" ? "broken" : null)
      }
      expect(applied(next, correction)).toEqual(next)
    })
  )
})
