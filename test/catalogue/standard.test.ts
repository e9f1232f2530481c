/**
 * The standard catalogue (rule I3): its countries, operators and profiles, against facts about the
 * real world.
 */
import { Catalogue, Label } from "simplan/ports"
import { StandardCatalogue } from "simplan/catalogue"
import { describe, expect, it } from "vitest"

const catalogue = StandardCatalogue.catalogue()
const { countries, operators, profiles } = catalogue
const index = Catalogue.index(catalogue)

const duplicates = (items: ReadonlyArray<string>): ReadonlyArray<string> =>
  items.filter((item, at) => items.indexOf(item) !== at)

const uuid5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const inCountry = (iso2: string): ReadonlyArray<Catalogue.Operator> => index.operatorsByCountry.get(iso2) ?? []
const named = (iso2: string, name: string): Catalogue.Operator | undefined =>
  inCountry(iso2).find((operator) => operator.name === name)
const profile = (label: string, regionCode: string): ReadonlyArray<string> =>
  profiles.find((one) => one.label === label && one.regionCode === regionCode)?.iso2List ?? []

describe("The countries", () => {
  it("are those of ISO 3166-1, once each, with their names", () => {
    expect(countries.length).toBeGreaterThanOrEqual(249)
    expect(duplicates(countries.map(({ iso2 }) => iso2))).toEqual([])
    expect(duplicates(countries.map(({ iso3 }) => iso3))).toEqual([])
    for (const { iso2, iso3, name } of countries) {
      expect(iso2).toMatch(/^[A-Z]{2}$/)
      expect(iso3).toMatch(/^[A-Z]{3}$/)
      expect(name).not.toBe(iso2)
      expect(name).not.toBe("")
    }
    expect(index.countryByIso2.get("CH")).toEqual({ iso2: "CH", iso3: "CHE", name: "Switzerland" })
  })
})

describe("The operators", () => {
  it("belong to a known country and have an id of their own", () => {
    expect(operators.length).toBeGreaterThan(900)
    expect(duplicates(operators.map(({ operatorId }) => operatorId))).toEqual([])
    expect(duplicates(operators.map(({ countryIso2, name }) => `${countryIso2} ${name.toLowerCase()}`))).toEqual([])
    for (const { countryIso2, name, operatorId } of operators) {
      expect(operatorId).toMatch(uuid5)
      expect(index.countryByIso2.has(countryIso2)).toBe(true)
      expect(name).toMatch(/^\S(.*\S)?$/u)
    }
  })

  it("have technologies and network codes, each once and in order", () => {
    for (const { mccMnc, supportedRats } of operators) {
      expect(supportedRats.length).toBeGreaterThan(0)
      expect(mccMnc.length).toBeGreaterThan(0)
      for (const rat of supportedRats) expect(rat).toMatch(/^[2-5]G$/)
      for (const code of mccMnc) expect(code).toMatch(/^\d{3}-\d{2,3}$/)
      for (const list of [supportedRats, mccMnc]) expect([...new Set(list)].sort()).toEqual(list)
    }
  })

  it("carry the labels that their technologies give", () => {
    for (const { labels, supportedRats } of operators) {
      expect(labels.includes("Green")).toBe(true)
      expect(labels.includes("Aqua")).toBe(supportedRats.includes("4G") || supportedRats.includes("5G"))
      expect(labels.includes("Blue")).toBe(supportedRats.includes("5G"))
      expect(labels.every((label) => ["Green", "Aqua", "Blue"].includes(label))).toBe(true)
    }
  })

  it("are the real ones", () => {
    expect(named("CH", "Swisscom")).toMatchObject({ mccMnc: ["228-01"], supportedRats: ["3G", "4G", "5G"] })
    expect(named("AU", "Telstra")).toMatchObject({ mccMnc: ["505-01"], supportedRats: ["3G", "4G", "5G"] })
    expect(named("RU", "Tele2")?.supportedRats).toContain("4G")
  })

  it("leave out railways, satellites, TETRA, paging and those without a network of their own", () => {
    for (const [iso2, name] of [
      ["CH", "SBB-CFF-FFS"],
      ["DE", "DB Netz AG"],
      ["FR", "Globalstar Europe"],
      ["RU", "Iridium"],
      ["CA", "Globalstar"],
      ["FI", "VIRVE"],
      ["US", "TeleBEEPER of New Mexico"],
      ["AU", "Lycamobile"],
      ["SG", "Grid"]
    ] as const) {
      expect(named(iso2, name)).toBeUndefined()
    }
  })

  it("serve every country of a combined code, or the islands that their notes name", () => {
    const names = (iso2: string) => inCountry(iso2).map(({ name }) => name)
    for (const iso2 of ["CC", "CX"]) expect(names(iso2)).toEqual(names("AU"))
    for (const iso2 of ["BL", "GF", "GP", "MF", "MQ", "BQ", "CW", "SX", "YT", "RE"]) {
      expect(names(iso2).length).toBeGreaterThan(0)
    }
    expect(names("BQ")).toContain("Telbo")
    expect(names("CW")).not.toContain("Telbo")
    expect(named("GE", "Aquafon")).toBeDefined()
  })

  it("are none in Antarctica", () => {
    expect(index.countryByIso2.has("AQ")).toBe(true)
    expect(inCountry("AQ")).toEqual([])
  })
})

describe("The standard profiles", () => {
  it("have an id of their own, countries in order, and an operator of their label in each", () => {
    expect(duplicates(profiles.map(({ coverageId }) => coverageId))).toEqual([])
    expect(duplicates(profiles.map(({ label, regionCode }) => `${label} ${regionCode}`))).toEqual([])
    for (const { coverageId, iso2List, label } of profiles) {
      expect(coverageId).toMatch(uuid5)
      expect(iso2List.length).toBeGreaterThan(0)
      expect([...new Set(iso2List)].sort()).toEqual(iso2List)
      for (const iso2 of iso2List) {
        expect(Catalogue.operatorsOf(index, iso2, label).length).toBeGreaterThan(0)
      }
    }
  })

  it("are one per country, one per continent and the globe, for three labels", () => {
    for (const label of Label.labels) {
      const served = countries.filter(({ iso2 }) => Catalogue.operatorsOf(index, iso2, label).length > 0)
      const expected =
        served.length === 0
          ? []
          : [
              ...served.map(({ iso2 }) => iso2),
              ...["EUROPE", "ASIA", "AFRICA", "NORTH_AMERICA", "SOUTH_AMERICA", "OCEANIA", "GLOBAL"]
            ]
      expect(profiles.filter((one) => one.label === label).map(({ regionCode }) => regionCode)).toEqual(expected)
      expect(profile(label, "GLOBAL")).toEqual(served.map(({ iso2 }) => iso2))
    }
    expect(new Set(profiles.map(({ label }) => label))).toEqual(new Set(["Green", "Aqua", "Blue"]))
  })

  it("of the continents share no country and make up the globe", () => {
    for (const label of ["Green", "Aqua", "Blue"]) {
      const continents = ["EUROPE", "ASIA", "AFRICA", "NORTH_AMERICA", "SOUTH_AMERICA", "OCEANIA"]
      expect(continents.flatMap((code) => profile(label, code)).sort()).toEqual(profile(label, "GLOBAL"))
    }
    expect(profile("Green", "EUROPE")).toEqual(expect.arrayContaining(["CH", "DE", "FR", "GB"]))
    expect(profile("Green", "OCEANIA")).toContain("AU")
  })
})

describe("The catalogue", () => {
  it("is the same in every installation", () => {
    expect(named("CH", "Swisscom")?.operatorId).toBe("59984160-c307-5640-b5b3-c8b087af9b1c")
    expect(profiles.find((one) => one.label === "Green" && one.regionCode === "FR")?.coverageId).toBe(
      "59c38639-c7df-507c-9d4f-67a2178790d7"
    )
  })

  it("is made once", () => {
    expect(StandardCatalogue.catalogue()).toBe(catalogue)
  })

  it("says how much it holds", () => {
    expect(StandardCatalogue.counts(catalogue)).toEqual({
      countries: countries.length,
      covered: profile("Green", "GLOBAL").length,
      operators: operators.length,
      profiles: profiles.length
    })
  })
})
