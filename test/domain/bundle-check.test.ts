import type { Plan, SoldBundle } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as BundleCheck from "../../src/domain/BundleCheck.ts"
import * as Values from "./Values.ts"

const bundle: SoldBundle.SoldBundle = {
  code: "1GB",
  name: "1 GB",
  kind: "any",
  countries: ["DE", "FR"],
  dataBytes: 1_000,
  days: 7,
  price: { units: 450, scale: 2, currency: "USD" }
}

const limit = { units: 450, scale: 2, currency: "USD" }
const plan: Plan.Plan = {
  ...Values.plan({ terms: Values.terms({ name: "Europe" }) }),
  planId: "p",
  bundle: { load: "1GB", topUpLoad: null, limit, sold: BundleCheck.soldBy("go", bundle) }
}

const complaint = (...sold: ReadonlyArray<Partial<SoldBundle.SoldBundle>>) =>
  BundleCheck.complaint(
    plan,
    sold.map((change) => ({ ...bundle, ...change }))
  )

describe("P6: a plan whose bundle", () => {
  it("is as it was, or better, is sold on", () => {
    expect(complaint({})).toBeNull()
    expect(complaint({ code: "other", days: 1 }, { countries: ["DE", "FR", "IT"], price: null, name: "x" })).toBeNull()
    expect(complaint({ price: { units: 1, scale: 0, currency: "USD" } })).toBeNull()
  })

  it.each([
    [{ code: "other" }, "go sells 1GB no more"],
    [{ price: { ...limit, units: 451 } }, "1GB costs 4.51 USD at go by now, and the limit is 4.50 USD"],
    [{ price: { ...limit, currency: "EUR" } }, "1GB costs 4.50 EUR at go by now, and the limit is 4.50 USD"],
    [{ days: 8 }, "1GB of go has 1000 bytes for 8 days by now, and had 1000 bytes for 7 days"],
    [{ dataBytes: null, days: null }, /has unlimited data for no days that it says by now, and had 1000 bytes/],
    [{ countries: ["DE"] }, "1GB of go is not for FR any more"]
  ])("has changed to %j is sold no more", (change, why) => {
    const said = typeof why === "string" ? `The plan Europe is sold no more: ${why}` : expect.stringMatching(why)
    expect(complaint(change)).toEqual(said)
  })

  it("was in no catalogue is not checked", () => {
    const without = { ...plan, bundle: { load: "1GB", topUpLoad: null, limit } }
    expect(BundleCheck.complaint(without, [])).toBeNull()
    expect(BundleCheck.complaint({ ...plan, bundle: null }, [])).toBeNull()
    expect(BundleCheck.jobs(without, 0)).toEqual([])
    expect(BundleCheck.jobs({ ...plan, bundle: null }, 0)).toEqual([])
  })

  it("is compared an hour later, by one job", () => {
    expect(BundleCheck.jobs(plan, 5)).toEqual([
      { jobId: "bundle:p", work: { _tag: "CheckBundle", planId: "p" }, dueAt: 3_600_005 }
    ])
    expect(BundleCheck.problem(plan, "why", 5)).toMatchObject({
      ...{ jobId: "review:bundle/p", work: { _tag: "CheckBundle", planId: "p" }, endedAt: 5 },
      refused: { message: "why", since: 5 }
    })
  })
})
