/** How much may be bought of suppliers (rule I16). */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Amount } from "../../src/domain/Amount.ts"
import * as Job from "../../src/domain/Job.ts"
import * as PurchaseLimits from "../../src/domain/PurchaseLimits.ts"
import { DAY } from "../../src/domain/Time.ts"
import { NOW } from "./Values.ts"

const of = { organizationId: "organization", label: "Green", load: "1 GB" } as const

const purchase = (jobId: string, createdAt = NOW, more: { readonly load?: string } = {}): Job.Job => {
  const { label, load, organizationId } = { ...of, ...more }
  const work = { _tag: "BuySim", purchaseId: jobId, label, load, limit: null } as const
  return Job.make({ jobId, work, dueAt: NOW }, { organizationId, createdAt })
}

const unsold = (limit: number | null) => ({ ...PurchaseLimits.none, unsold: limit })

describe("I16: the limit of unsold eSIMs of a load", () => {
  it("leaves room while fewer are free or outstanding", () => {
    const hasRoom = (limit: number | null, free: number, ...outstanding: ReadonlyArray<Job.Job>) =>
      PurchaseLimits.room(unsold(limit), of, { free, outstanding, spending: null }) === "Room"
    expect([PurchaseLimits.isNone(unsold(null)), PurchaseLimits.isNone(unsold(1))]).toEqual([true, false])
    expect(hasRoom(null, 9, purchase("a"))).toBe(true)
    expect([hasRoom(2, 0), hasRoom(2, 1), hasRoom(2, 2)]).toEqual([true, true, false])
    expect([hasRoom(2, 0, purchase("a")), hasRoom(2, 1, purchase("a"))]).toEqual([true, false])
    expect(hasRoom(1, 0, purchase("a", NOW, { load: "2 GB" }))).toBe(true)
    expect(hasRoom(1, 0, { ...purchase("a"), endedAt: NOW })).toBe(true)
  })

  it("has the last of too many withdraw, and the first wait for them", () => {
    const all = [purchase("b", NOW - 1), purchase("a"), purchase("c"), purchase("x", NOW - 2, { load: "2 GB" })]
    const admissions = (limit: number | null, free: number) =>
      all
        .slice(0, 3)
        .map((job) => PurchaseLimits.admission(unsold(limit), of, job, { free, outstanding: all, spending: null }))
    expect(admissions(null, 9)).toEqual(["Made", "Made", "Made"])
    expect(admissions(3, 0)).toEqual(["Made", "Made", "Made"])
    expect(admissions(2, 0)).toEqual(["Waits", "Waits", "Withdrawn"])
    expect(admissions(2, 1)).toEqual(["Waits", "Withdrawn", "Withdrawn"])
    expect(admissions(2, 2)).toEqual(["Withdrawn", "Withdrawn", "Withdrawn"])
  })

  it("is kept, and as many are bought as may, in whatever order purchases are stored and count", () => {
    const number = fc.integer({ min: 1, max: 6 })
    fc.assert(
      fc.property(number, number, fc.infiniteStream(fc.nat()), (limit, count, choices) => {
        const waiting = Array.from({ length: count }, (_, index) => purchase(`${index}`))
        let unstored = [...waiting]
        let undecided: ReadonlyArray<Job.Job> = []
        let made = 0
        const stored = new Set<Job.Job>()
        for (let step = 0; step < 1_000 && unstored.length + undecided.length > 0; step++) {
          const next = (choices.next().value ?? 0) % (unstored.length + undecided.length)
          const [begun] = unstored.slice(next, next + 1)
          if (begun !== undefined) {
            unstored = unstored.filter((job) => job !== begun)
            stored.add(begun)
            undecided = [...undecided, begun]
            continue
          }
          const job = undecided[next - unstored.length]
          if (job === undefined) continue
          const found = { free: 0, outstanding: [...stored], spending: null }
          const admission = PurchaseLimits.admission(unsold(limit), of, job, found)
          if (admission === "Waits") continue
          undecided = undecided.filter((one) => one !== job)
          if (admission === "Made") made++
          else stored.delete(job)
        }
        expect(made).toBeLessThanOrEqual(limit)
        if (unstored.length + undecided.length === 0) expect(made).toBe(Math.min(limit, count))
      })
    )
  })
})

const usd = (units: number): Amount => ({ units, scale: 2, currency: "USD" })
const eur = (units: number): Amount => ({ units, scale: 2, currency: "EUR" })

const priced = (jobId: string, price: Amount | null, supplier: string | null = "go", most: Amount | null = null) => ({
  ...{ jobId, price, most, supplier }
})

describe("I16: the limit of what a day costs", () => {
  const limits = { ...PurchaseLimits.none, spendingPerDay: usd(1_000) }
  const spent = (sum: bigint, currency = "USD", telco: string | null = "go") => ({ telco, load: "any", currency, sum })
  const one = { price: usd(250), most: null }
  const counted = (
    rows: ReadonlyArray<ReturnType<typeof spent>>,
    outstanding: ReadonlyArray<ReturnType<typeof priced>> = [],
    price: PurchaseLimits.Priced = one
  ): PurchaseLimits.Counted => ({
    free: 0,
    outstanding: outstanding.map(({ jobId }, index) => purchase(jobId, NOW + index, { load: "2 GB" })),
    spending: PurchaseLimits.spending(limits.spendingPerDay, "go", rows, outstanding, price)
  })
  const room = (...args: Parameters<typeof counted>) => PurchaseLimits.room(limits, of, counted(...args))

  it("is a limit, and leaves room up to the exact amount", () => {
    expect(PurchaseLimits.isNone(limits)).toBe(false)
    expect(room([])).toBe("Room")
    expect(room([spent(5_000_000n), spent(2_500_000n)])).toBe("Room")
    expect(room([spent(5_000_000n), spent(2_500_001n)])).toBe("Spent")
  })

  it("counts what the supplier has charged, or nobody knows who, in its currency", () => {
    expect(room([spent(9_000_000n, "USD", "access"), spent(9_000_000n, "EUR")])).toBe("Room")
    expect(room([spent(9_000_000n, "USD", null)])).toBe("Spent")
  })

  it("counts outstanding purchases of the supplier at their price, else at what they may cost", () => {
    expect(room([spent(5_000_000n)], [priced("a", usd(250), "go", usd(900))])).toBe("Room")
    expect(room([spent(5_000_000n)], [priced("a", usd(251))])).toBe("Full")
    expect(room([spent(5_000_000n)], [priced("a", usd(251), null)])).toBe("Full")
    expect(room([spent(5_000_000n)], [priced("a", usd(251), "access")])).toBe("Room")
    expect(room([], [priced("a", null, "go", usd(750))])).toBe("Room")
    expect(room([], [priced("a", null, "go", usd(751))])).toBe("Full")
    expect(room([], [priced("a", null)])).toBe("Full")
    expect(room([spent(9_000_000n)], [priced("a", usd(1))])).toBe("Full")
    expect(room([spent(9_000_000n)], [priced("a", usd(1), "access")])).toBe("Spent")
  })

  it("leaves no room for what has no price in its currency", () => {
    expect(room([], [], { price: null, most: usd(1_000) })).toBe("Room")
    expect(room([], [], { price: null, most: null })).toBe("Spent")
    expect(room([], [], { price: eur(1), most: usd(1) })).toBe("Spent")
    expect(room([], [], { price: null, most: eur(1) })).toBe("Spent")
  })

  it("has the last purchases that are too dear withdraw, of whatever load, and the first wait for them", () => {
    const all = [priced("a", usd(500)), priced("b", usd(300)), priced("c", usd(300))]
    const admissions = (charged: bigint) =>
      all.map(({ jobId, ...price }, index) => {
        const found = counted([spent(charged)], all, price)
        return PurchaseLimits.admission(limits, of, purchase(jobId, NOW + index, { load: "2 GB" }), found)
      })
    expect(admissions(0n)).toEqual(["Waits", "Waits", "Withdrawn"])
    expect(admissions(3_000_000n)).toEqual(["Waits", "Withdrawn", "Withdrawn"])
    expect(admissions(9_000_000n)).toEqual(["Withdrawn", "Withdrawn", "Withdrawn"])
  })

  it("ends with the UTC day", () => {
    const day = Math.floor(NOW / DAY) * DAY
    expect([day, day + 1, day + DAY - 1].map(PurchaseLimits.secondsOfDay)).toEqual([86_400, 86_400, 1])
  })
})
