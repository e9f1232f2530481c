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
  expect(CatalogueChanges.of(catalogue, same)).toEqual([])
})

it("says what comes and goes, by the ids of operators and profiles", () => {
  const after = {
    countries: [{ iso2: "DK", iso3: "DNK", name: "Denmark" }],
    operators: [{ ...operator, operator_id: "two" }],
    profiles: []
  }
  expect(CatalogueChanges.of(catalogue, after)).toEqual([
    { kind: "country", name: "Sweden (SE)", what: "goes", detail: "" },
    { kind: "country", name: "Denmark (DK)", what: "comes", detail: "" },
    { kind: "operator", name: "Telia (SE)", what: "goes", detail: "" },
    { kind: "operator", name: "Telia (SE)", what: "comes", detail: "" },
    { kind: "profile", name: "Sweden, Green", what: "goes", detail: "" }
  ])
})

it("says of what changes each field with both values", () => {
  const after = {
    ...catalogue,
    operators: [{ ...operator, name: "Telia AB", supported_rats: ["4G", "5G"], labels: [] }],
    profiles: [{ ...profile, iso2_list: ["SE", "DK"] }]
  }
  expect(CatalogueChanges.of(catalogue, after).map(({ detail, what }) => [what, detail])).toEqual([
    ["changes", "name: Telia to Telia AB; supported rats: with 5G without 3G; labels: without Green"],
    ["changes", "iso2 list: with DK"]
  ])
})
