import { SoldBundle } from "simplan/ports"
import { describe, expect, it } from "vitest"

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
