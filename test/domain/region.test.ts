/**
 * Custom regions (rule I4): the order of the checks, and equal sets of countries in any order.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Catalogue from "../../src/domain/Catalogue.ts"
import * as Region from "../../src/domain/Region.ts"
import { NOW } from "./Values.ts"

const operator = (iso2: string, labels: Catalogue.Operator["labels"]): Catalogue.Operator => ({
  operatorId: `operator-${iso2}`,
  name: `Mobile ${iso2}`,
  countryIso2: iso2,
  supportedRats: ["4G"],
  mccMnc: ["240-01"],
  labels
})
const standard = (coverageId: string, label: "Green" | "Aqua", iso2List: ReadonlyArray<string>) => ({
  coverageId,
  label,
  regionName: `Name of ${coverageId}`,
  regionCode: `CODE_${coverageId}`,
  iso2List
})
const catalogue = Catalogue.index({
  countries: [],
  operators: [operator("SE", ["Green", "Aqua"]), operator("NO", ["Green", "Aqua"]), operator("FI", ["Green"])],
  profiles: [
    standard("norway-green", "Green", ["NO"]),
    standard("north-aqua", "Aqua", ["SE", "NO"]),
    standard("finland-green", "Green", ["FI"])
  ]
})

const ids = { coverageId: "new-coverage", regionCode: "NEW" }
const asked = (regionName: string, ...iso2List: ReadonlyArray<string>): Region.Request => ({
  organizationId: "organization",
  regionName,
  label: "Green",
  iso2List
})
const existing = (regionName: string, label: Region.Region["label"], ...iso2List: ReadonlyArray<string>) => ({
  ...asked(regionName, ...iso2List),
  label,
  coverageId: `id of ${regionName}`,
  regionCode: `code of ${regionName}`,
  createdAt: NOW
})
const create = (request: Region.Request, ...alike: ReadonlyArray<Region.Region>) =>
  Region.create(request, alike, catalogue, ids, NOW)
const refusal = (request: Region.Request, ...alike: ReadonlyArray<Region.Region>) =>
  Result.getOrThrow(Result.flip(create(request, ...alike)))

describe("A region is created (I4)", () => {
  it("with the given ids and the requested order of countries", () => {
    expect(Result.getOrThrow(create(asked("North", "SE", "NO", "FI")))).toEqual({
      ...asked("North", "SE", "NO", "FI"),
      ...ids,
      createdAt: NOW
    })
  })

  it("also if a standard profile of another label has the same countries", () => {
    expect(Result.isSuccess(create(asked("North", "SE", "NO")))).toBe(true)
  })
})

describe("A region's name", () => {
  it("has at most 255 characters", () => {
    expect(Result.isSuccess(Region.normalize(asked("x".repeat(255), "SE")))).toBe(true)
    const refused = Result.getOrThrow(Result.flip(Region.normalize(asked("x".repeat(256), "SE"))))
    expect(refused).toMatchObject({ field: "regionName", message: "must have at most 255 characters" })
  })
})

describe("A region is refused (I4)", () => {
  it("first for a name that the organization has, with the missing countries", () => {
    const taken = existing("North", "Aqua", "SE", "NO")
    expect(refusal(asked("North", "SE", "NO"), taken)).toMatchObject({
      _tag: "RegionNameTaken",
      regionName: "North",
      missingIso2: []
    })
    expect(refusal(asked("North", "SE", "XX"), taken)).toMatchObject({
      _tag: "RegionNameTaken",
      missingIso2: ["XX"]
    })
  })

  it("then for countries without an operator under the label", () => {
    const same = existing("Other", "Green", "FI", "DE", "XX")
    expect(refusal(asked("North", "XX", "FI", "DE"), same)).toMatchObject({
      _tag: "RegionUncovered",
      missingIso2: ["XX", "DE"]
    })
    expect(refusal({ ...asked("North", "SE", "FI"), label: "Aqua" })).toMatchObject({ missingIso2: ["FI"] })
  })

  it("last for the countries of one of its own regions, of any label and in any order", () => {
    for (const label of ["Green", "Aqua", "Red"] as const) {
      expect(refusal(asked("North", "SE", "FI", "NO"), existing("Old", label, "NO", "SE", "FI"))).toMatchObject({
        _tag: "RegionExists",
        coverageId: "id of Old",
        regionCode: "code of Old",
        regionName: "Old",
        iso2List: ["NO", "SE", "FI"]
      })
    }
  })

  it("or of a standard profile of that label", () => {
    expect(refusal(asked("North", "NO"))).toMatchObject({ _tag: "RegionExists", coverageId: "norway-green" })
    expect(refusal({ ...asked("North", "NO", "SE"), label: "Aqua" })).toMatchObject({ coverageId: "north-aqua" })
  })

  it("but not for a part of the countries, or for more", () => {
    const others = [existing("Less", "Green", "SE", "NO"), existing("More", "Green", "SE", "NO", "FI", "DK")]
    expect(Result.isSuccess(create(asked("North", "SE", "NO", "FI"), ...others))).toBe(true)
  })
})

describe("A request for a region is normalized (I4)", () => {
  const normalized = (request: Region.Request) => Result.getOrThrow(Region.normalize(request))
  const fieldOf = (request: Region.Request) => Result.getOrThrow(Result.flip(Region.normalize(request))).field

  it("with its name trimmed, and each code once and in upper case", () => {
    expect(normalized(asked("  Far North\t", "se", " NO ", "SE", "fi"))).toEqual(asked("Far North", "SE", "NO", "FI"))
  })

  it("W9: and has 500 codes at most", () => {
    const codes = Array.from({ length: Region.MOST_COUNTRIES }, () => "SE")
    expect(Region.MOST_COUNTRIES).toBe(500)
    expect(normalized(asked("North", ...codes)).iso2List).toEqual(["SE"])
    expect(fieldOf(asked("North", ...codes, "SE"))).toBe("iso2List")
  })

  it("or refused by field, the name first", () => {
    expect(fieldOf(asked(" ", "XXX"))).toBe("regionName")
    expect(fieldOf(asked("North"))).toBe("iso2List")
    for (const code of ["", "S", "SWE", "S3", "ÅS", "S E", "ß", "ﬁ"])
      expect(fieldOf(asked("North", "SE", code))).toBe("iso2List")
  })
})
