/** Returning eSIMs that were bought to their suppliers (rules I15 and I9). */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Cost from "../../src/domain/Cost.ts"
import * as Purchase from "../../src/domain/Purchase.ts"
import type { Returned, Sim } from "../../src/domain/Sim.ts"
import * as SimCorrection from "../../src/domain/SimCorrection.ts"
import * as SimIdentities from "../../src/domain/SimIdentities.ts"
import * as SimReturn from "../../src/domain/SimReturn.ts"
import { DAY } from "../../src/domain/Time.ts"
import { NOW, sim } from "./Values.ts"

const purchase = { purchaseId: "p", load: "1 GB", sellBy: null, cost: null, boughtAt: 0 }
const bought = (changes: Partial<Sim> = {}) => sim({ purchase, ...changes })
const withdrawn = (returned: Returned): Sim =>
  bought({
    allocation: { _tag: "Withdrawn", reason: "returned", ending: null },
    purchase: { ...purchase, returned }
  })
const work = { _tag: "ReturnSim", iccid: bought().iccid, purchaseId: "p" } as const
const { label } = bought()
const begin = (of: Sim) => SimReturn.begin(of, "r", NOW)

describe("I15: an eSIM that is returned", () => {
  it("is withdrawn with the job that asks its supplier", () => {
    const lost = bought({ allocation: { _tag: "Withdrawn", reason: "lost", ending: null } })
    for (const before of [bought(), lost, withdrawn("refused")]) {
      expect(begin(before)).toEqual(
        Result.succeed({
          sim: { loaded: { sim: before }, next: { sim: withdrawn("pending") } },
          jobs: [{ jobId: "return:r", work: { ...work, charged: { label, purchase: before.purchase } }, dueAt: NOW }]
        })
      )
    }
  })

  it("is one that was bought, that nobody has, and that shows no sign of a download", () => {
    const tagOf = (of: Sim) => Result.match(begin(of), { onFailure: ({ _tag }) => _tag, onSuccess: () => null })
    const ending = { _tag: "Withdrawn", reason: "replaced", ending: "s" } as const
    expect(
      [
        sim(),
        bought({ downloaded: true }),
        bought({ allocation: { _tag: "InService", subscriptionId: "s" } }),
        bought({ allocation: { _tag: "Provisioning", subscriptionId: "s" } }),
        bought({ allocation: { _tag: "Releasing", subscriptionId: "s" } }),
        bought({ allocation: ending })
      ].map(tagOf)
    ).toEqual(["NotSupported", "NotSupported", "SimInUse", "SimBusy", "SimBusy", "SimBusy"])
  })

  it("stays as it is while it is returned, and once it was", () => {
    for (const one of ["pending", "credit", "asked", "none"] as const) {
      expect(begin(withdrawn(one))).toEqual(Result.succeed(null))
    }
  })

  it("is asked for only while nobody else could get it", () => {
    expect(SimReturn.step(withdrawn("pending"), work)).toEqual({ _tag: "Ask" })
    const held = SimReturn.step(withdrawn("refused"), work)
    expect(held).toMatchObject({ _tag: "Hold", decision: { sim: { next: { sim: withdrawn("pending") } } } })
    const another = {
      ...withdrawn("pending"),
      purchase: { ...purchase, purchaseId: "q", returned: "pending" }
    } as const
    const free = { ...withdrawn("pending"), allocation: { _tag: "Free" } } as const
    for (const one of [null, bought(), free, another, withdrawn("credit")]) {
      expect(SimReturn.step(one, work)).toEqual({ _tag: "Nothing" })
      expect(SimReturn.ended(one, work, "credit", 0)).toEqual({})
    }
    expect(SimReturn.ended(withdrawn("pending"), work, "asked", 0).sim?.next.sim).toEqual(withdrawn("asked"))
  })

  it("whose supplier's people decide stays asked for until they have, and is credited then (C1)", () => {
    const asked = withdrawn("asked")
    expect(SimReturn.step(asked, work)).toEqual({ _tag: "Ask" })
    for (const one of ["asked", "refused"] as const) {
      expect(SimReturn.ended(asked, work, one, 5)).toEqual({})
      expect(SimReturn.answer(asked, work, one)).toBeNull()
    }
    for (const one of ["credit", "none"] as const) {
      expect(SimReturn.ended(asked, work, one, 5).sim?.next.sim).toEqual(withdrawn(one))
      expect(SimReturn.answer(asked, work, one)?.changed).toEqual([{ field: "return", before: "asked", after: one }])
    }
    expect(SimReturn.ended(asked, work, "credit", 5).ledger).toEqual(Cost.refund(asked, 5))
    expect(SimReturn.ended(asked, work, "none", 5).ledger).toBeUndefined()
  })

  it("is asked for again each day while people decide, for 90 days", () => {
    expect(SimReturn.askedAgainAt("asked", 0, 5)).toBe(DAY + 5)
    expect([89 * DAY, 89 * DAY + 1].map((now) => SimReturn.askedAgainAt("asked", 0, now))).toEqual([90 * DAY, null])
    for (const one of ["pending", "refused", "credit", "none"] as const) {
      expect(SimReturn.askedAgainAt(one, 0, 0)).toBeNull()
    }
  })

  it("is credited for what it was, also if its ICCID is another eSIM's by then (C1)", () => {
    const charged = { label: bought().label, purchase: { ...purchase, purchaseId: "p" } }
    const another = { ...bought(), label: "Blue", purchase: { ...purchase, purchaseId: "q", load: "other" } } as const
    expect(SimReturn.step(another, { ...work, charged })).toEqual({ _tag: "Ask" })
    const { ledger, sim } = SimReturn.ended(another, { ...work, charged }, "credit", 5)
    expect(sim).toBeUndefined()
    expect(ledger).toEqual(Cost.refund({ ...bought(), ...charged }, 5))
    expect(ledger?.put).toMatchObject([{ costId: "refund:p", load: purchase.load, label: charged.label }])
    expect(SimReturn.ended(another, { ...work, charged }, "asked", 5)).toEqual({})
    expect(SimReturn.answer(another, { ...work, charged }, "asked")).toBeNull()
    expect(SimReturn.answer(another, { ...work, charged }, "credit")).not.toBeNull()
  })
})

describe("I9: an eSIM that its supplier has, or may have", () => {
  const corrected = (of: Sim, status: "Available" | "lost") =>
    SimCorrection.apply(of, {
      status: status === "lost" ? { _tag: "Withdrawn", reason: "lost" } : { _tag: "Available" }
    })

  it("is not made available, and stays withdrawn as it is", () => {
    for (const one of ["pending", "credit", "asked", "none"] as const) {
      for (const status of ["Available", "lost"] as const) {
        expect(corrected(withdrawn(one), status)).toMatchObject({
          failure: { _tag: "SimWithdrawn", reason: "returned" }
        })
      }
      expect(SimCorrection.apply(withdrawn(one), { tags: ["x"] })).toMatchObject({ success: { tags: ["x"] } })
    }
  })

  it("is available again if its supplier has refused it, and may be returned anew", () => {
    expect(corrected(withdrawn("refused"), "Available")).toEqual(Result.succeed(bought()))
    expect(corrected(withdrawn("refused"), "lost")).toMatchObject({ success: { purchase: { returned: "refused" } } })
  })

  it("is a new one once its supplier has sold it again", () => {
    const sold = { iccid: work.iccid, lpa: "LPA:1$h$m", ...SimIdentities.none, sellBy: null, cost: null }
    const again = Purchase.revived(withdrawn("credit"), { purchaseId: "q", label: "Green", load: "1 GB" }, sold, NOW)
    expect(again).toMatchObject({
      allocation: { _tag: "Free" },
      purchase: { ...purchase, purchaseId: "q", boughtAt: NOW }
    })
    expect(again?.purchase?.returned).toBeUndefined()
  })
})
