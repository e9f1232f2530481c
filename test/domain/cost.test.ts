import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Cost from "../../src/domain/Cost.ts"
import { DAY } from "../../src/domain/Time.ts"
import { monthOf, textOfMonth } from "../../src/domain/UsageBook.ts"
import { attachment, NOW, sim } from "./Values.ts"

const usd = (units: number, scale = 2) => ({ units, scale, currency: "USD" })
const bought = { purchaseId: "b", load: "1 GB", sellBy: null, cost: usd(190), boughtAt: NOW, telco: "esim-go" }
const sold = sim({ purchase: bought })
const of = { organizationId: sold.organizationId, telco: "esim-go", load: "1 GB", label: sold.label, iccid: sold.iccid }
const entry = Cost.purchase({ ...of, purchaseId: "b", regionCode: "FR", amount: usd(190) }, NOW)
const ordered = { packageId: "a:0", occurrence: 0, load: "1 GB", isFirst: true }
const terms = { ...attachment().terms, regionCode: "EUROPE" }
const own = { ...attachment(), attachmentId: "a", planId: "p", terms }

describe("A sum", () => {
  it.each([
    [usd(950), "9.50"],
    [usd(-5, 1), "-0.50"],
    [usd(1, 6), "0.000001"],
    [usd(Number.MAX_SAFE_INTEGER, 0), "9007199254740991.00"],
    [usd(0, 4), "0.00"],
    [usd(12_500, 6), "0.0125"]
  ])("is an exact decimal: %o", (amount, text) => {
    const sum = Cost.millionths(amount)
    expect(Cost.decimal(sum)).toBe(text)
    expect(Cost.parse(text)).toBe(sum)
  })
})

describe("C1: what was charged", () => {
  it("has an id that follows from the purchase, and nobody's name", () => {
    expect(entry).toMatchObject({ costId: "purchase:b", kind: "purchase", at: NOW, planId: null, attachmentId: null })
  })

  it("comes back as a row of its own, and what was bought is nobody's", () => {
    const { allotted, put } = Cost.refund(sold, NOW + 1)
    expect(put).toEqual([
      { ...entry, costId: "refund:b", kind: "refund", at: NOW + 1, regionCode: null, amount: usd(-190) }
    ])
    expect(allotted).toMatchObject([{ costId: "purchase:b", planId: null }])
    expect(Cost.refund(sim({ purchase: { ...bought, cost: null } }), NOW).put).toMatchObject([{ amount: null }])
    expect(Cost.refund(sim({}), NOW)).toEqual({})
  })

  it("is a top-up if the telco says so, or if the load is another one or was not the first", () => {
    const top = { costId: "top_up:a:0", kind: "top_up", telco: "esim-go", amount: usd(500), planId: "p", occurrence: 0 }
    const answer = { cost: usd(500) }
    for (const [asked, said] of [
      [ordered, { ...answer, isLoad: false }],
      // What was bought with the SIM is charged by no order.
      [ordered, answer],
      [{ ...ordered, isFirst: false }, answer],
      [{ ...ordered, load: "2 GB" }, answer]
    ] as const) {
      expect(Cost.ofPackage(sold, own, asked, said, NOW)).toMatchObject({ put: [{ ...top, load: asked.load }] })
    }
    expect(Cost.ofPackage(sold, own, ordered, { isLoad: false, telco: "other" }, NOW)).toMatchObject({
      put: [{ telco: "other", amount: null }]
    })
    const gone = { attachmentId: "a" }
    expect(Cost.ofPackage(sold, gone, ordered, { ...answer, isLoad: false }, NOW)).toMatchObject({
      put: [{ planId: null, regionCode: null }]
    })
  })

  it("is nothing if the plan is no bundle", () => {
    const { load: _, ...plain } = ordered
    expect(Cost.ofPackage(sold, own, plain, {}, NOW)).toEqual({})
    expect(Cost.booking({}, {})).toEqual({})
  })
})

describe("C2: a load", () => {
  it("is allotted to the package that has it", () => {
    const { allotted = [], put } = Cost.ofPackage(sold, own, ordered, {}, NOW)
    expect(put).toBeUndefined()
    const [allotment] = allotted
    if (allotment === undefined) return expect.fail()
    expect(Cost.ofPackage(sold, own, { ...ordered, isFirst: false }, { isLoad: true }, NOW)).toEqual({ allotted })
    expect(Cost.allot(entry, allotment)).toEqual({
      ...entry,
      ...{ attachmentId: "a", planId: "p", occurrence: 0, regionCode: "EUROPE" }
    })
    expect(Cost.allot(entry, { ...allotment, regionCode: null }).regionCode).toBe("FR")
  })
})

describe("C3: a sale", () => {
  it("is the price that the plan had, once for an attachment", () => {
    const priced = { ...own, terms: { ...terms, load: "1 GB", price: usd(900) } }
    expect(Cost.sale(sold, priced, "esim-go", NOW)).toMatchObject({
      put: [{ costId: "sale:a", kind: "sale", amount: usd(900), planId: "p", telco: "esim-go", regionCode: "EUROPE" }]
    })
    expect(Cost.sale(sold, own, "esim-go", NOW)).toEqual({})
  })
})

describe("C3: a report", () => {
  const month = monthOf(NOW)
  const entries = [
    { ...entry, at: month - 1 },
    { ...entry, costId: "2", at: month },
    { ...entry, costId: "3", at: month, kind: "refund", amount: usd(-1_900, 3) },
    { ...entry, costId: "4", at: month, kind: "sale", amount: usd(900), planId: "p" },
    { ...entry, costId: "5", at: month, kind: "top_up", amount: null },
    { ...entry, costId: "6", at: month + DAY, kind: "top_up", amount: { units: 1, scale: 0, currency: "EUR" } }
  ] as const

  it("sums each month by currency, and counts what has no amount under none", () => {
    const counts = { purchases: 0, topUps: 0, refunds: 0, sales: 0 }
    expect(Cost.totals(entries, [])).toEqual([
      { month: monthOf(month - 1), currency: "USD", cost: 1_900_000n, price: 0n, ...counts, purchases: 1 },
      { month, currency: null, cost: 0n, price: 0n, ...counts, topUps: 1 },
      { month, currency: "EUR", cost: 1_000_000n, price: 0n, ...counts, topUps: 1 },
      { month, currency: "USD", cost: 0n, price: 9_000_000n, ...counts, purchases: 1, refunds: 1, sales: 1 }
    ])
  })

  it("is by any of the groups, in their order", () => {
    expect(Cost.grouping(["country", "plan", "plan"])).toEqual(["plan", "country"])
    expect(Cost.groupings).toHaveLength(16)
    expect(Cost.totals(entries, ["plan"]).map(({ planId }) => planId)).toEqual([null, null, null, null, "p"])
  })

  it("has a margin where something was sold at a price", () => {
    expect(Cost.totals(entries, []).map(Cost.margin)).toEqual([null, null, null, 9_000_000n])
  })

  it.each([
    [{}, ["2026-02", "2026-03"]],
    [{ to: "2026-01" }, ["2025-12", "2026-01"]],
    [{ from: "2024-02", to: "2024-02" }, ["2024-02", "2024-02"]],
    [{ from: "2021-01", to: "2025-12" }, ["2021-01", "2025-12"]]
  ])("is of months: %j", (asked, [from, to]) => {
    const found = Result.getOrThrow(Cost.months(asked, NOW))
    expect([textOfMonth(found.from), textOfMonth(found.until - 1)]).toEqual([from, to])
    expect(monthOf(found.until)).toBe(found.until)
  })

  it.each([
    [{ from: "2026-3" }, "from"],
    [{ to: "2026-00" }, "to"],
    [{ from: "2026-04" }, "to"],
    [{ from: "2020-12", to: "2025-12" }, "to"]
  ])("refuses months: %j", (asked, field) => {
    expect(Cost.months(asked, NOW)).toMatchObject({ failure: { field } })
  })

  it("leaves what came back out of what was spent", () => {
    expect(Cost.spent(entries)).toEqual([
      { telco: "esim-go", load: "1 GB", currency: "EUR", sum: 1_000_000n },
      { telco: "esim-go", load: "1 GB", currency: "USD", sum: 3_800_000n }
    ])
  })
})

describe("C1: the money of a package that is stopped or taken away", () => {
  const [charged, credit] = [usd(228), usd(200)]
  const topUp = { load: "2 GB", cost: charged }

  it("is the row of its top-up, which may be there, and one of what came back", () => {
    const { put } = Cost.settlement(sold, "a:0", own, { topUp, credit }, NOW)
    const row = { attachmentId: "a", planId: "p", occurrence: 0, regionCode: "EUROPE", load: "2 GB", telco: "esim-go" }
    expect(put).toEqual([
      { ...of, ...row, costId: "top_up:a:0", kind: "top_up", at: NOW, amount: charged },
      { ...of, ...row, costId: "refund:a:0", kind: "refund", at: NOW, amount: usd(-200) }
    ])
    const { put: undone } = Cost.settlement(sold, "a:3:1", {}, { topUp }, NOW)
    expect(undone).toMatchObject([{ costId: "top_up:a:3:1", attachmentId: "a", planId: null, occurrence: 3 }])
  })

  it("is what came back for the SIM if nothing was bought apart", () => {
    const { allotted, put } = Cost.settlement(sold, "a:0", own, { credit }, NOW)
    expect(put).toMatchObject([{ costId: "refund:b", kind: "refund", amount: usd(-200), planId: null }])
    expect(allotted).toMatchObject([{ costId: "purchase:b", planId: null }])
    // The ICCID was sold again since the purchase that is stored.
    const again = Cost.settlement(sold, "a:0", own, { credit, purchaseId: "c" }, NOW)
    expect(again.put).toMatchObject([{ costId: "refund:c", amount: usd(-200) }])
    expect(again.allotted).toMatchObject([{ costId: "purchase:c" }])
    expect(Cost.settlement(sim({}), "a:0", own, { credit }, NOW)).toEqual({})
    expect(Cost.settlement(sold, "a:0", own, {}, NOW)).toEqual({})
  })
})
