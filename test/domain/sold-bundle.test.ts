import { Result } from "effect"
import type { Plan } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as SoldBundle from "../../src/domain/SoldBundle.ts"
import * as Values from "./Values.ts"

const bundle: SoldBundle.SoldBundle = {
  code: "esim_1GB_7D_EU",
  name: "Europe, 1 GB, 7 days",
  kind: "any",
  countries: ["DE", "FR"],
  dataBytes: 1_073_741_824,
  days: 7,
  price: { units: 450, scale: 2, currency: "USD" }
}

describe("a list of bundles", () => {
  it.each([
    [null, null, true],
    ["", null, true],
    ["europe", null, true],
    ["EU 7d", null, true],
    ["  1 gb  ", null, true],
    ["europe 5", null, false],
    [null, "FR", true],
    [null, "GB", false],
    ["europe", "GB", false]
  ])("searched for %j in %j has it: %j", (search, country, isThere) => {
    expect(SoldBundle.isAsked(bundle, { search, country })).toBe(isThere)
  })
})

const of = (changes: Partial<Plan.Bundle> = {}): Plan.Bundle => ({
  ...{ load: bundle.code, topUpLoad: null, limit: null },
  ...changes
})

const limit = (units: number, currency = "USD") => ({ units, scale: 2, currency })

const offered = (bundles: ReadonlyArray<SoldBundle.SoldBundle>, wanted: Plan.Bundle = of()) =>
  Result.match(SoldBundle.offered(bundles, wanted), {
    onSuccess: ({ bundle: _, ...offer }) => offer,
    onFailure: ({ field }) => field
  })

describe("P6: a plan made of a bundle", () => {
  it("has its data, in whole MB, and its days", () => {
    expect(offered([bundle])).toEqual({ dataMegaBytes: 1_024, periodDays: 7, notes: [] })
    expect(offered([{ ...bundle, dataBytes: 1_000_000_000 }])).toMatchObject({
      dataMegaBytes: 953,
      notes: [expect.stringContaining("953 MB")]
    })
    expect(offered([{ ...bundle, dataBytes: 1_048_576, days: 1 }])).toMatchObject({ dataMegaBytes: 1, periodDays: 1 })
  })

  it("is refused for the bundle if no plan can be it", () => {
    expect(offered([])).toBe("bundle")
    const changes: ReadonlyArray<Partial<SoldBundle.SoldBundle>> = [
      ...[{ kind: "topUp" }, { dataBytes: null }, { dataBytes: 1_048_575 }, { dataBytes: 2 ** 31 * 1_048_576 }],
      ...[{ days: null }, { days: 0 }, { days: 3_661 }]
    ] as const
    for (const change of changes) expect(offered([{ ...bundle, ...change }])).toBe("bundle")
    expect(offered([{ ...bundle, dataBytes: (2 ** 31 - 1) * 1_048_576, days: 3_660 }])).toMatchObject({ notes: [] })
  })

  it("has a top-up of the same data and days, or none", () => {
    const topUp = { ...bundle, code: "more", kind: "topUp" as const }
    expect(offered([bundle, topUp], of({ topUpLoad: "more" }))).toMatchObject({ dataMegaBytes: 1_024 })
    expect(offered([bundle], of({ topUpLoad: bundle.code }))).toMatchObject({ dataMegaBytes: 1_024 })
    const others = [[], [{ ...topUp, kind: "sim" as const }], [{ ...topUp, days: 8 }], [{ ...topUp, dataBytes: 1 }]]
    for (const other of others) expect(offered([bundle, ...other], of({ topUpLoad: "more" }))).toBe("topUpBundle")
  })

  it("may cost what its limit is, in the currency of the price", () => {
    expect(offered([bundle], of({ limit: limit(450) }))).toMatchObject({ notes: [] })
    expect(offered([bundle], of({ limit: limit(449) }))).toBe("priceLimit")
    expect(offered([bundle], of({ limit: limit(900, "EUR") }))).toBe("currency")
    expect(offered([{ ...bundle, price: null }], of({ limit: limit(1) }))).toMatchObject({
      notes: [expect.stringContaining("not checked")]
    })
  })
})

describe("P6: what differs between a plan and a bundle", () => {
  const terms = Values.terms({ dataMegaBytes: 1_024, periodDays: 7 })
  const differences = (sold: Partial<SoldBundle.SoldBundle>, wanted = of(), countries = ["FR", "DE"]) =>
    SoldBundle.differences({ terms }, countries, wanted, { ...bundle, ...sold })

  it("is nothing if it has the same data, days and countries, and is not dearer", () => {
    expect(differences({})).toEqual([])
    expect(differences({}, of({ limit: limit(450) }))).toEqual([])
    expect(differences({ price: null }, of({ limit: limit(1) }))).toEqual([])
  })

  it("is said of each", () => {
    expect(differences({ dataBytes: null, days: null, countries: ["DE", "IT"] }, of({ limit: limit(100) }))).toEqual([
      { what: "data", plan: "1024 MB", bundle: "unlimited" },
      { what: "days", plan: "7 days", bundle: "no days" },
      { what: "countries", plan: "FR", bundle: "IT" },
      { what: "price", plan: "at most 1.00 USD", bundle: "4.50 USD" }
    ])
    expect(differences({}, of({ limit: limit(900, "EUR") }))).toMatchObject([{ what: "price" }])
    expect(differences({}, of(), ["FR"])).toEqual([{ what: "countries", plan: "", bundle: "DE" }])
    expect(SoldBundle.differences({ terms }, [], of(), null)).toEqual([
      { what: "bundle", plan: bundle.code, bundle: null }
    ])
  })
})
