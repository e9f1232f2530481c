/** How much may be bought of suppliers (rule I16). */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Job from "../../src/domain/Job.ts"
import * as PurchaseLimits from "../../src/domain/PurchaseLimits.ts"
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
      PurchaseLimits.hasRoom(unsold(limit), of, { free, outstanding })
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
      all.slice(0, 3).map((job) => PurchaseLimits.admission(unsold(limit), of, job, { free, outstanding: all }))
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
          const found = { free: 0, outstanding: [...stored] }
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
