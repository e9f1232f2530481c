/**
 * What the console says before the catalogue is replaced.
 */
import { expect, it } from "vitest"
import * as CatalogueChanges from "../../../adapters/console/CatalogueChanges.ts"

const operator = {
  operator_id: "one",
  name: "Telia",
  country: "SE",
  supported_rats: ["4G", "3G"],
  mcc_mnc: ["240-01"],
  labels: ["Green"]
}
const profile = {
  coverage_id: "se",
  label: "Green",
  region_name: "Sweden",
  region_code: "SE",
  iso2_list: ["SE"]
}
const catalogue: CatalogueChanges.Catalogue = {
  countries: [{ iso2: "SE", iso3: "SWE", name: "Sweden" }],
  operators: [operator],
  profiles: [profile]
}

it("says nothing of what is the same, in any order", () => {
  const same = { ...catalogue, operators: [{ ...operator, supported_rats: ["3G", "4G"] }] }
  expect(CatalogueChanges.of(catalogue, same, [])).toEqual([])
})

it("says what comes and goes, by the ids of operators and profiles, and how many plans use it", () => {
  const after = {
    countries: [{ iso2: "DK", iso3: "DNK", name: "Denmark" }],
    operators: [{ ...operator, operator_id: "two" }],
    profiles: []
  }
  const uses: ReadonlyArray<CatalogueChanges.Use> = [
    { coverage_id: "se", label: "Green", iso2_list: null, plans: 3 },
    { coverage_id: "custom", label: "Green", iso2_list: ["NO", "SE"], plans: 4 },
    { coverage_id: "blue", label: "Blue", iso2_list: ["SE"], plans: 5 },
    { coverage_id: "other", label: "Green", iso2_list: ["NO"], plans: 100 },
    { coverage_id: "gone before", label: "Green", iso2_list: null, plans: 100 }
  ]
  expect(CatalogueChanges.of(catalogue, after, uses)).toEqual([
    { kind: "country", name: "Sweden (SE)", what: "goes", detail: "", plans: 12 },
    { kind: "country", name: "Denmark (DK)", what: "comes", detail: "" },
    { kind: "operator", name: "Telia (SE)", what: "goes", detail: "", plans: 7 },
    { kind: "operator", name: "Telia (SE)", what: "comes", detail: "" },
    { kind: "profile", name: "Sweden, Green", what: "goes", detail: "", plans: 3 }
  ])
})

it("says of what changes each field with both values", () => {
  const after = {
    ...catalogue,
    operators: [{ ...operator, name: "Telia AB", supported_rats: ["4G", "5G"], labels: [] }],
    profiles: [{ ...profile, iso2_list: ["SE", "DK"] }]
  }
  expect(CatalogueChanges.of(catalogue, after, []).map(({ detail, what }) => [what, detail])).toEqual([
    ["changes", "name: Telia to Telia AB; supported rats: with 5G without 3G; labels: without Green"],
    ["changes", "iso2 list: with DK"]
  ])
})
