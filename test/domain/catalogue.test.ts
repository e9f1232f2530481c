/**
 * Look-ups in a catalogue (rules I3 and I5).
 */
import { describe, expect, it } from "vitest"
import * as Catalogue from "../../src/domain/Catalogue.ts"

const operator = (operatorId: string, countryIso2: string, labels: Catalogue.Operator["labels"]) => ({
  operatorId,
  name: operatorId,
  countryIso2,
  supportedRats: ["4G", "5G"],
  mccMnc: ["240-01"],
  labels
})
const sweden = { iso2: "SE", iso3: "SWE", name: "Sweden" }
const profile = { coverageId: "c", label: "Green", regionName: "Sweden", regionCode: "SE", iso2List: ["SE"] } as const
const telia = operator("Telia", "SE", ["Green", "Aqua"])
const tre = operator("Tre", "SE", ["Green"])
const telenor = operator("Telenor", "NO", ["Green"])
const catalogue = Catalogue.index({
  countries: [sweden],
  operators: [telia, telenor, tre],
  profiles: [profile]
})

describe("A catalogue", () => {
  it("finds countries, operators and profiles by their ids", () => {
    expect(catalogue.countryByIso2.get("SE")).toBe(sweden)
    expect(catalogue.operatorById.get("Telenor")).toBe(telenor)
    expect(catalogue.profileById.get("c")).toBe(profile)
    expect([catalogue.countryByIso2.size, catalogue.operatorById.size, catalogue.profileById.size]).toEqual([1, 3, 1])
  })

  it("is indexed once", () => {
    const other = { countries: [], operators: [], profiles: [] }
    expect(Catalogue.index(other)).toBe(Catalogue.index(other))
    expect(Catalogue.index(other).countryByIso2.size).toBe(0)
  })

  it("lists a country's operators of a label in its order", () => {
    expect(Catalogue.operatorsOf(catalogue, "SE", "Green")).toEqual([telia, tre])
    expect(Catalogue.operatorsOf(catalogue, "SE", "Aqua")).toEqual([telia])
    expect(Catalogue.operatorsOf(catalogue, "SE", "Red")).toEqual([])
    expect(Catalogue.operatorsOf(catalogue, "XX", "Green")).toEqual([])
  })
})
