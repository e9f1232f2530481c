/**
 * Random books of an eSIM (rules C1 to C4): what is bought, topped up, claimed, sold, taken away
 * and credited, beside a model that knows of each charge what it is, and not how it is booked.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Amount from "../../src/domain/Amount.ts"
import * as Cost from "../../src/domain/Cost.ts"
import { DAY_MS, instant } from "../domain/Calendar.ts"
import { sim, terms } from "../domain/Values.ts"

const amounts: fc.Arbitrary<Amount.Amount> = fc.record({
  units: fc.oneof(fc.nat({ max: 500 }), fc.maxSafeNat()),
  scale: fc.nat({ max: 6 }),
  currency: fc.constantFrom("USD", "EUR")
})

const FIRST = instant(2026, 1, 1)

/** Millionths, by another way than that of the books. */
const sumOf = (of: Amount.Amount | null): bigint =>
  of === null ? 0n : BigInt(Amount.decimal(of).replace(".", "") + "0".repeat(6 - of.scale))

interface Kept {
  readonly kind: Cost.Kind
  readonly at: number
  readonly amount: Amount.Amount | null
  readonly sum: bigint
  /** The attachment that it is for; null: nobody. */
  readonly owner: string | null
}

/** A ledger, as a storage keeps it. */
const ledger = () => {
  const rows = new Map<string, Cost.Entry>()
  return {
    rows,
    book: ({ allotted = [], put = [] }: Cost.Booking) => {
      for (const entry of put) if (!rows.has(entry.costId)) rows.set(entry.costId, entry)
      for (const one of allotted) {
        const entry = rows.get(one.costId)
        if (entry !== undefined) rows.set(one.costId, Cost.allot(entry, one))
      }
    }
  }
}

const acts = fc.array(
  fc.record({
    what: fc.constantFrom("buy", "claim", "top up", "sell", "settle top-up", "settle load", "credit"),
    cost: fc.option(amounts),
    credit: amounts,
    isNamed: fc.boolean(),
    who: fc.constantFrom("a", "b"),
    days: fc.nat({ max: 40 })
  }),
  { maxLength: 12 }
)

describe("C1 to C3: random books", () => {
  it("have each charge once, as what it is, under whom it is for", () => {
    fc.assert(
      fc.property(acts, (all) => {
        const { book, rows } = ledger()
        const model = new Map<string, Kept>()
        const keep = (id: string, of: Omit<Kept, "sum">, sign = 1n) => {
          if (!model.has(id)) model.set(id, { ...of, sum: sign * sumOf(of.amount) })
        }
        const give = (id: string, owner: string | null) => {
          const kept = model.get(id)
          if (kept !== undefined) model.set(id, { ...kept, owner })
        }
        let [count, at] = [0, FIRST]
        let own = sim({})
        for (const { cost, credit, days, isNamed, what, who } of all) {
          at += days * DAY_MS
          const { label, organizationId } = own
          const { purchase } = own
          const bundle = purchase?.load ?? "1 GB"
          const plan = { attachmentId: who, planId: `plan ${who}`, terms: terms({ regionCode: who }) }
          const packageId = `${who}:${count}`
          const current = `purchase ${purchase?.purchaseId}`
          switch (what) {
            case "buy": {
              const purchaseId = `${++count}`
              own = sim({ purchase: { purchaseId, load: bundle, sellBy: null, cost, boughtAt: at, telco: "shop" } })
              const of = { organizationId, telco: "shop", load: bundle, label, iccid: own.iccid, amount: cost }
              book({ put: [Cost.purchase({ ...of, purchaseId, regionCode: null }, at)] })
              keep(`purchase ${purchaseId}`, { kind: "purchase", at, amount: cost, owner: null })
              break
            }
            case "claim": {
              const ordered = { packageId, occurrence: count, load: bundle, isFirst: true }
              book(Cost.ofPackage(own, plan, ordered, isNamed ? { isLoad: true } : {}, at))
              if (purchase !== null) give(current, who)
              else keep(`top-up ${packageId}`, { kind: "top_up", at, amount: null, owner: who })
              break
            }
            case "top up": {
              const ordered = { packageId, occurrence: count, load: bundle, isFirst: isNamed }
              const answer = { isLoad: false, ...(cost !== null && { cost }) }
              book(Cost.ofPackage(own, plan, ordered, answer, at))
              book(Cost.ofPackage(own, plan, ordered, answer, at + 1))
              keep(`top-up ${packageId}`, { kind: "top_up", at, amount: cost, owner: who })
              break
            }
            case "sell": {
              if (cost === null) break
              const priced = { ...plan, attachmentId: `${who}${++count}`, terms: { ...plan.terms, price: cost } }
              book(Cost.sale(own, priced, "shop", at))
              keep(`sale ${count}`, { kind: "sale", at, amount: cost, owner: priced.attachmentId })
              break
            }
            case "settle top-up": {
              const settled = { topUp: { load: bundle, cost }, ...(isNamed && { credit }) }
              book(Cost.settlement(own, packageId, plan, settled, at))
              keep(`top-up ${packageId}`, { kind: "top_up", at, amount: cost, owner: who })
              if (isNamed) keep(`refund of ${packageId}`, { kind: "refund", at, amount: credit, owner: who }, -1n)
              break
            }
            case "settle load": {
              const of = isNamed ? { purchaseId: "1" } : {}
              book(Cost.settlement(own, packageId, plan, { ...of, credit }, at))
              if (purchase === null) break
              const id = isNamed ? "1" : purchase.purchaseId
              keep(`refund of purchase ${id}`, { kind: "refund", at, amount: credit, owner: null }, -1n)
              give(`purchase ${id}`, null)
              break
            }
            case "credit": {
              book(Cost.refund(own, at))
              if (purchase === null) break
              keep(`refund of ${current}`, { kind: "refund", at, amount: purchase.cost, owner: null }, -1n)
              give(current, null)
            }
          }
        }
        const text = (kind: string, time: number, owner: string | null, sum: bigint) =>
          `${kind} ${time} ${owner} ${sum}`
        const entries = [...rows.values()]
        expect(entries.map((one) => text(one.kind, one.at, one.attachmentId, Cost.booked(one).sum)).toSorted()).toEqual(
          [...model.values()].map((one) => text(one.kind, one.at, one.owner, one.sum)).toSorted()
        )
        // C2: what is claimed has the region of the plan that it is claimed with.
        for (const one of entries) {
          if (one.attachmentId !== null) expect(one.regionCode).toBe(one.attachmentId.slice(0, 1))
        }
        const reported = new Map(
          Cost.totals(entries, []).map((one) => [`${new Date(one.month).toISOString()} ${one.currency}`, one])
        )
        const kept = [...model.values()]
        const monthOf = ({ amount, at: time }: Kept) => {
          const day = new Date(time)
          const month = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth()))
          return `${month.toISOString()} ${amount?.currency ?? null}`
        }
        expect([...reported.keys()].toSorted()).toEqual([...new Set(kept.map(monthOf))].toSorted())
        for (const [month, total] of reported) {
          const own = kept.filter((one) => monthOf(one) === month)
          const of = (...of: ReadonlyArray<Cost.Kind>) => own.filter(({ kind }) => of.includes(kind))
          const sum = (some: ReadonlyArray<Kept>) => some.reduce((before, one) => before + one.sum, 0n)
          const costs = sum(of("purchase", "top_up", "refund"))
          expect(total).toMatchObject({ cost: costs, price: sum(of("sale")) })
          expect([total.purchases, total.topUps, total.refunds, total.sales]).toEqual(
            Cost.kinds.map((kind) => of(kind).length)
          )
          expect(Cost.margin(total)).toBe(of("sale").length === 0 ? null : sum(of("sale")) - costs)
        }
        const spent = Cost.spent(entries).reduce((before, one) => before + one.sum, 0n)
        const charged = kept.filter(({ kind }) => kind === "purchase" || kind === "top_up")
        expect(spent).toBe(charged.reduce((before, one) => before + one.sum, 0n))
      })
    )
  })
})

describe("C4: a charge that a supplier lists", () => {
  it("is booked otherwise unless it is there at the same amount, at whatever scale", () => {
    const near = amounts.chain((one) =>
      fc.tuple(
        fc.constant(one),
        fc.oneof(
          amounts,
          fc.constant({ ...one, currency: "SEK" }),
          fc.constant(one.scale < 6 && one.units < 1e9 ? { ...one, units: one.units * 10, scale: one.scale + 1 } : one),
          fc.constant({ ...one, units: Math.max(0, one.units - 1) })
        )
      )
    )
    fc.assert(
      fc.property(near, ([amount, listed]) => {
        const isSame = amount.currency === listed.currency && sumOf(amount) === sumOf(listed)
        const found = Cost.bookedOtherwise(Cost.booked({ amount }), listed)
        expect(found === null).toBe(isSame)
        if (found !== null) expect(found).toBe(`${Cost.decimal(sumOf(amount))} ${amount.currency}`)
      })
    )
  })

  it("is found if it is not there, or has no amount", () => {
    fc.assert(
      fc.property(amounts, (listed) => {
        expect(Cost.bookedOtherwise(null, listed)).toBe("no charge")
        expect(Cost.bookedOtherwise(Cost.booked({ amount: null }), listed)).toBe("a charge without an amount")
      })
    )
  })
})
