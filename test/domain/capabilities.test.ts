/** Rule P4: what is refused before anything happens, by what a telco declares. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Capabilities from "../../src/domain/Capabilities.ts"
import type { PlanTerms } from "../../src/domain/Plan.ts"
import { aggregate, attached, NOW, recurring, terms } from "./Values.ts"

const { full } = Capabilities

type Checked = ReturnType<typeof Capabilities.pause>

/** Why it is refused, after "The telco of the SIM"; null: it is not. */
const why = (checked: Checked): string | null =>
  Result.isSuccess(checked) ? null : checked.failure.message.replace(/^The telco of the SIM /, "")

const throttled: Partial<PlanTerms> = { throttling: [{ percentage: 50, limit: "512" }] }
const untimed = { ...full, windows: false }
const merged = { ...full, topUps: { most: 10, afterExpiry: false, kept: "merged" as const } }

describe("a full telco", () => {
  it("is refused nothing, and does nothing otherwise", () => {
    const all = [
      Capabilities.plan(full, {
        terms: recurring({}, throttled),
        bundle: { load: "1 GB", topUpLoad: null, limit: null }
      }),
      Capabilities.order(full, { terms: terms(), isBundle: true, isTimed: true }),
      Capabilities.order(full, { terms: terms(), isBundle: false, isTimed: true }),
      Capabilities.topUp(full, aggregate([attached()]), NOW),
      Capabilities.pause(full),
      Capabilities.suspension(full),
      Capabilities.mobilePlan(full),
      Capabilities.sms(full, { from: "Shop", text: "x".repeat(1_000) })
    ]
    expect(all.map(why)).toEqual(all.map(() => null))
    expect(Capabilities.differences(full)).toEqual([])
  })
})

describe("a plan", () => {
  it.each([
    [
      { ...full, throttling: false },
      terms(throttled),
      "limits no speeds by a plan's thresholds: a plan must have none"
    ],
    [{ ...full, throttling: false }, terms(), null],
    [untimed, recurring(), "begins packages at their first use, and at no other time: a plan cannot recur there"],
    [untimed, terms(), null],
    [
      merged,
      recurring(),
      "adds a further package to the volume and the time of the one that is on the SIM: a plan cannot recur there"
    ],
    [{ ...full, topUps: null }, recurring(), "has one package on a SIM: a plan cannot recur there"]
  ])("that the telco cannot carry is refused with a sentence", (can, of, expected) => {
    expect(why(Capabilities.plan(can, { terms: of, bundle: null }))).toBe(expected)
    expect(why(Capabilities.order(can, { terms: of, isBundle: true, isTimed: false }))).toBe(expected)
  })

  it("is a bundle where bundles are sold, and none where anything else is", () => {
    const bundle = { load: "1 GB", topUpLoad: null, limit: null }
    const none = { ...full, bundles: false }
    expect(why(Capabilities.plan(none, { terms: terms(), bundle }))).toBe("sells no bundles: the plan cannot be one")
    expect(why(Capabilities.plan(none, { terms: terms(), bundle: null }))).toBeNull()
    const order = { terms: terms(), isTimed: false }
    const only = { ...full, volumes: false }
    expect(why(Capabilities.order(none, { ...order, isBundle: true }))).toBe("sells no bundles, and the plan is one")
    expect(why(Capabilities.order(none, { ...order, isBundle: false }))).toBeNull()
    expect(why(Capabilities.order(only, { ...order, isBundle: true }))).toBeNull()
    expect(why(Capabilities.order(only, { ...order, isBundle: false }))).toBe(
      "sells bundles only, and the plan is none of them"
    )
  })

  it("begins at no time where packages begin with their first use", () => {
    expect(why(Capabilities.order(untimed, { terms: terms(), isBundle: false, isTimed: true }))).toBe(
      "begins packages at their first use, and at no other time"
    )
  })
})

describe("a further plan on a SIM", () => {
  const present = attached({}, [{}])
  const over = attached({}, [{ activationAt: NOW - 2, expirationAt: NOW - 1 }])
  const apart = { ...full, topUps: { most: 2, afterExpiry: false, kept: "apart" as const } }

  it.each([
    ["none is there", merged, [], null],
    [
      "it would be merged",
      merged,
      [present],
      "adds a further package to the volume and the time of the one that is on the SIM: use another SIM"
    ],
    ["a SIM has one", { ...full, topUps: null }, [present], "has one package on a SIM: use another SIM"],
    ["there is room", apart, [present], null],
    ["there is none", apart, [present, present], "has up to 2 packages on a SIM: it has as many"],
    ["what is over does not count", apart, [present, over, over], null],
    ["all is over", apart, [over], "adds no package to a SIM on which all is over: use another SIM"],
    ["all is over, and that is nothing", full, [over], null]
  ] as const)("where %s", (_, can, attachments, expected) => {
    const of = aggregate([...attachments])
    const on = attachments.length === 0 ? { ...of, subscription: null } : of
    expect(why(Capabilities.topUp(can, on, NOW))).toBe(expected)
  })
})

describe("what is asked of a SIM", () => {
  it("is refused by what the telco has of it", () => {
    expect(why(Capabilities.pause({ ...full, pause: false }))).toBe("cannot pause a SIM")
    expect(why(Capabilities.suspension({ ...full, suspension: "sim" }))).toBe(
      "cannot suspend a package: pause the subscription"
    )
    expect(why(Capabilities.suspension({ ...full, suspension: "none", pause: false }))).toBe("cannot suspend a package")
    expect(why(Capabilities.mobilePlan({ ...full, mobilePlans: false }))).toBe("has no mobile plans")
  })

  it("is an SMS of a length and from a sender that the telco takes", () => {
    const can = { ...full, sms: { longest: 3, senders: ["eSIM", "Shop"] } }
    expect(why(Capabilities.sms(can, { from: "Shop", text: "𝄞𝄞𝄞" }))).toBeNull()
    expect(why(Capabilities.sms(can, { from: "Shop", text: "four" }))).toBe(
      "sends SMS of up to 3 characters, and this one has 4"
    )
    expect(why(Capabilities.sms(can, { from: "Other", text: "1" }))).toBe("sends SMS from eSIM or Shop only")
    expect(why(Capabilities.sms({ ...full, sms: null }, { from: "Shop", text: "1" }))).toBe("sends no SMS")
  })

  it("is told beforehand, a line each", () => {
    const can: Capabilities.Capabilities = {
      suspension: "sim",
      cancellation: "load",
      pause: false,
      windows: false,
      throttling: false,
      volumes: false,
      bundles: false,
      mobilePlans: false,
      sms: null,
      topUps: { most: 10, afterExpiry: false, kept: "merged" },
      firstUse: "either",
      downloads: false
    }
    expect(Capabilities.differences(can)).toHaveLength(14)
    expect(Capabilities.differences({ ...can, topUps: null, firstUse: "installation" })).toHaveLength(12)
  })
})
