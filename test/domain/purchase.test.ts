/** Plans that are bundles of suppliers, and what is bought for them (rules I15, P5 and S2). */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Job from "../../src/domain/Job.ts"
import * as Plan from "../../src/domain/Plan.ts"
import * as Purchase from "../../src/domain/Purchase.ts"
import * as Sim from "../../src/domain/Sim.ts"
import * as SimIdentities from "../../src/domain/SimIdentities.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { DAY } from "../../src/domain/Time.ts"
import { NOW, plan, sim } from "./Values.ts"

const limit = { units: 450, scale: 2, currency: "USD" }
const bundle = { load: "1 GB", topUpLoad: "1 GB more", limit }

describe("P5: a plan that is a bundle", () => {
  it("has an attachment copy its codes, and one that is none leaves the terms alone", () => {
    const sold = plan({ bundle })
    expect(Plan.attachedTerms(sold)).toEqual({ ...sold.terms, load: "1 GB", topUpLoad: "1 GB more" })
    expect(Plan.attachedTerms(plan({ bundle: { ...bundle, topUpLoad: null } }))).toEqual({
      ...sold.terms,
      load: "1 GB"
    })
    expect(Plan.attachedTerms(plan())).toEqual(plan().terms)
  })

  it("is ordered by its load first, and by its top-up after", () => {
    const terms = Plan.attachedTerms(plan({ bundle }))
    const same = Plan.attachedTerms(plan({ bundle: { ...bundle, topUpLoad: null } }))
    expect([true, false].map((isFirst) => Plan.orderedLoad(terms, isFirst))).toEqual([
      { load: "1 GB" },
      { load: "1 GB more" }
    ])
    expect(Plan.orderedLoad(same, false)).toEqual({ load: "1 GB" })
    expect(Plan.orderedLoad(plan().terms, true)).toEqual({})
  })

  it.each([
    ["load", { ...bundle, load: " " }],
    ["load", { ...bundle, load: "x".repeat(256) }],
    ["topUpLoad", { ...bundle, topUpLoad: "" }],
    ["priceLimit", { ...bundle, limit: { ...limit, units: -1 } }]
  ])("is refused for its %s", (field, one) => {
    expect(Plan.bundled(plan(), one)).toMatchObject({ failure: { field } })
  })

  it("says in the audit log what it was and is", () => {
    expect(Plan.facts(plan())).toEqual({ price: null, load: null, "top-up load": null, "price limit": null })
    expect(Plan.facts(Result.getOrThrow(Plan.bundled(plan(), bundle)))).toEqual({
      price: null,
      load: "1 GB",
      "top-up load": "1 GB more",
      "price limit": "4.50 USD"
    })
  })
})

describe("I15: a purchase", () => {
  const { work } = Purchase.job("p", plan().terms, bundle, NOW)
  const given = { organizationId: "organization", simId: "s", createdAt: NOW }
  const sold = {
    iccid: "8999900000000000001",
    lpa: "LPA:1$h$m",
    ...SimIdentities.none,
    sellBy: NOW + 30 * DAY,
    cost: limit
  }

  it("is a job under its id, for the label and the load of the plan", () => {
    expect(Purchase.job("p", plan().terms, bundle, NOW)).toEqual({
      jobId: "buy:p",
      work: {
        _tag: "BuySim",
        purchaseId: "p",
        label: plan().terms.label,
        load: "1 GB",
        limit,
        regionCode: plan().terms.regionCode
      },
      dueAt: NOW
    })
  })

  it("that is refused is a problem of its own, or one of its load and the reason", () => {
    if (work._tag !== "BuySim") return expect.fail()
    const of = { organizationId: "organization", createdAt: NOW }
    const job = { ...Job.make({ jobId: "buy:p", work, dueAt: NOW }, of), attempts: 1 }
    const refused = (reason?: Job.UnsoldReason) =>
      Purchase.problem(job, work, { message: "why", ...(reason !== undefined && { reason }) }, NOW + 1)
    const ids = Purchase.problemIds({ ...work, organizationId: "organization" })
    const { label } = work
    expect(ids).toEqual(["sold_out", "no_balance"].map((one) => `review:purchase/organization/${label}/${one}/1 GB`))
    expect([refused("sold_out"), refused("no_balance")].map(({ jobId }) => jobId)).toEqual(ids)
    expect([refused("price"), refused()].map(({ jobId }) => jobId)).toEqual(["buy:p", "buy:p"])
    expect(refused("no_balance")).toEqual({
      ...{ ...job, jobId: ids[1], attempts: 2, dueAt: NOW + 1, endedAt: NOW + 1, waiting: null },
      refused: { times: 3, since: NOW + 1, message: "why", reason: "no_balance" }
    })
  })

  it("brings a free eSIM with its load, which a creation of the plan may have", () => {
    if (work._tag !== "BuySim") return expect.fail()
    const stored = { ...Purchase.stocked(work, sold, given), importSequence: 1, version: 1 }
    const { cost, iccid, lpa, sellBy } = sold
    expect(stored).toMatchObject({ iccid, lpa, ...given, isEsim: true, allocation: { _tag: "Free" } })
    const { regionCode } = plan().terms
    expect(stored.purchase).toEqual({ purchaseId: "p", load: "1 GB", sellBy, cost, boughtAt: NOW, regionCode })
    const soldAgain = { ...stored, purchase: { purchaseId: "q", load: "1 GB", sellBy, cost, boughtAt: NOW } }
    const mine = [stored, { ...stored, simId: Purchase.simId(work) }, { ...soldAgain, simId: Purchase.simId(work) }]
    expect([...mine, sim(), soldAgain].map((one) => Purchase.hasBrought(work, one))).toEqual([
      ...[true, true, true],
      ...[false, false]
    ])
    const wanted = Purchase.wantedLoad(bundle.load, NOW)
    expect(Sim.isSuitable(stored, "subscription", wanted)).toBe(true)
    expect(Sim.isSuitable(stored, "subscription", null)).toBe(false)
    expect(Sim.isSuitable({ ...stored, downloaded: true }, "subscription", wanted)).toBe(false)
  })

  it("brings a SIM of another id for each key that its supplier was asked under", () => {
    const purchaseId = "019b76da-a800-7002-bfbf-73b2ffffffff"
    const keys = [purchaseId, `${purchaseId}:1`, `${purchaseId}:2`]
    expect(keys.map((one) => Purchase.simId({ purchaseId: one }))).toEqual([
      purchaseId,
      "019b76da-a800-7002-bfbf-73b200000000",
      "019b76da-a800-7002-bfbf-73b200000001"
    ])
  })

  it("brings one that the organization had under its ICCID, if nobody has it and nobody could get it", () => {
    const moves = [{ subscriptionId: "x", number: 1, from: "a", to: "b", since: 0, at: 1, endedAt: null }]
    const purchase = { purchaseId: "former", load: "9 GB", sellBy: null, cost: null, boughtAt: 0 }
    const lapsed = { ...purchase, sellBy: NOW }
    const withdrawn = { _tag: "Withdrawn", reason: "lost", ending: null } as const
    const former = sim({
      ...{ allocation: withdrawn, purchase, moves, downloaded: true, recycledAt: 1, movedTo: "b", tags: ["VIP"] },
      ...{ label: "Red", lpa: "LPA:1$h$former", imsi: "208930000000001", lastActivityAt: 1, version: 7 }
    })
    const bought = { purchaseId: "p", label: "Green", load: "1 GB" } as const
    const again = (changes: Partial<Sim.Sim>) => Purchase.revived({ ...former, ...changes }, bought, sold, NOW)
    const { createdAt, importSequence, organizationId, simId } = former
    const fresh = Purchase.stocked(bought, sold, { organizationId, simId, createdAt: NOW })
    const expected = { ...fresh, createdAt, importSequence, moves, version: 7 }
    const inService = { _tag: "InService", subscriptionId: "x" } as const
    const free = { _tag: "Free" } as const
    const ending = { _tag: "Withdrawn", reason: "replaced", ending: "x" } as const
    expect([again({}), again({ purchase: null }), again({ allocation: free, purchase: lapsed })]).toEqual(
      Array.from({ length: 3 }, () => expected)
    )
    const kept: ReadonlyArray<Partial<Sim.Sim>> = [
      { allocation: inService },
      { allocation: ending },
      { allocation: free },
      { allocation: inService, purchase: lapsed },
      { isEsim: false },
      { mobilePlan: { _tag: "Changing", applied: true, target: false } },
      { service: { _tag: "Changing", pausedAt: null, changeId: "c", active: true } }
    ]
    expect(kept.map(again)).toEqual(kept.map(() => null))
    const isBefore = (at: number) => [expected, sim()].map((one) => Purchase.isBefore(at, one))
    expect([isBefore(NOW - 1), isBefore(NOW)]).toEqual([
      [true, false],
      [false, false]
    ])
    const ahead = [0, 1].map((more) => TelcoReport.isFormer(NOW - TelcoReport.AHEAD_LIMIT - more, expected))
    expect(ahead).toEqual([false, true])
  })

  it("S2: is given until a day before its load has to be put into use", () => {
    const wanted = Purchase.wantedLoad(bundle.load, NOW)
    fc.assert(
      fc.property(fc.option(fc.integer({ min: -3 * DAY, max: 3 * DAY })), fc.boolean(), (left, isOther) => {
        const sellBy = left === null ? null : NOW + left
        const bought = {
          purchase: { purchaseId: "p", load: isOther ? "2 GB" : "1 GB", sellBy, cost: null, boughtAt: NOW }
        }
        expect(Sim.hasLoad(bought, wanted)).toBe(!isOther && (left === null || left > DAY))
        expect(Sim.hasLoad(bought, null)).toBe(false)
        expect(Sim.hasLoad({ purchase: null }, wanted)).toBe(false)
        expect(Sim.hasLoad({ purchase: null }, null)).toBe(true)
      })
    )
  })
})
