/**
 * Limits of texts (rule W9): characters are code points, and each function that takes a text of a
 * caller refuses one that is longer, as an embedding host meets it.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Catalogue from "../../src/domain/Catalogue.ts"
import * as Organization from "../../src/domain/Organization.ts"
import * as Plan from "../../src/domain/Plan.ts"
import type { InvalidField, NotFound } from "../../src/domain/Refusal.ts"
import * as Region from "../../src/domain/Region.ts"
import * as SimImport from "../../src/domain/SimImport.ts"
import * as Subscription from "../../src/domain/Subscription.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import * as TextLimit from "../../src/domain/TextLimit.ts"
import * as WebhookEndpoint from "../../src/domain/WebhookEndpoint.ts"
import { ICCID, aggregate, NOW, report, termsRequest } from "./Values.ts"

const text = (length: number): string => "é".repeat(length)

/** Takes the text or refuses it. */
type Taking = (text: string) => Result.Result<unknown, InvalidField | NotFound | TelcoReport.Rejection | string>

const coverage = { regionCode: "EUROPE", label: "Green" } as const
const creation = { planId: "plan", iccid: null, metadata: "" }
const region = { organizationId: "o", regionName: "Nordics", label: "Green", iso2List: ["SE"] } as const
const seen = { _tag: "Location", countryAlpha2: "FR", operator: "", rat: "", imei: "" } as const
const row = { iccid: ICCID, label: "Green", isEsim: true }

const inReport = (fact: TelcoReport.Fact, reportId = "report"): ReturnType<Taking> =>
  TelcoReport.apply(aggregate(), report(fact, NOW, reportId), NOW)

const named = (problem: TelcoReport.Rejection | undefined): ReturnType<Taking> =>
  problem === undefined ? Result.void : Result.fail(problem)

const catalogue = { countries: [], operators: [], profiles: [] }
const country = { iso2: "FR", iso3: "FRA", name: "France" }
const operator = {
  operatorId: "o",
  name: "Alpha",
  countryIso2: "FR",
  supportedRats: ["4G"],
  mccMnc: [],
  labels: []
}
const profile = { coverageId: "c", label: "Green", regionName: "France", regionCode: "FR", iso2List: [] } as const
const ofOperator = (changes: object) => Catalogue.checkTexts({ ...catalogue, operators: [{ ...operator, ...changes }] })
const ofProfile = (changes: object) => Catalogue.checkTexts({ ...catalogue, profiles: [{ ...profile, ...changes }] })

const taking: ReadonlyArray<readonly [name: string, field: string, limit: number, Taking]> = [
  ["a name", "name", 255, Organization.named],
  ["a plan's name", "name", 255, (name) => Plan.terms(termsRequest({ name }), coverage, NOW)],
  ["a plan's coverage", "coverageId", 255, (coverageId) => Plan.terms(termsRequest({ coverageId }), coverage, NOW)],
  ["a region's name", "regionName", 255, (regionName) => Region.normalize({ ...region, regionName })],
  ["metadata", "metadata", 4_096, (metadata) => Subscription.checkTexts({ ...creation, metadata })],
  ["the id of a plan", "planId", 255, (planId) => Subscription.checkTexts({ ...creation, planId })],
  ["the ICCID of a creation", "iccid", 255, (iccid) => Subscription.checkTexts({ ...creation, iccid })],
  ["a URL", "url", 2_048, (url) => WebhookEndpoint.checkTexts({ url })],
  ["a description", "description", 255, (description) => WebhookEndpoint.checkTexts({ description })],
  ["a SIM's id at its telco", "subscriber_id", 64, (subscriberId) => SimImport.parse({ ...row, subscriberId })],
  ["a report's id", "id", 255, (id) => inReport(seen, id)],
  ["a report's ICCID", "iccid", 255, (iccid) => named(TelcoReport.textProblem({ ...report(seen, NOW), iccid }))],
  [
    "a report's package",
    "packageId",
    255,
    (packageId) => named(TelcoReport.textProblem(report({ _tag: "FirstUse", packageId }, NOW)))
  ],
  ["a country", "countryAlpha2", 255, (countryAlpha2) => inReport({ ...seen, countryAlpha2 })],
  ["an operator", "operator", 255, (operator) => inReport({ ...seen, operator })],
  ["a RAT", "rat", 255, (rat) => inReport({ ...seen, rat })],
  ["an IMEI", "imei", 255, (imei) => inReport({ ...seen, imei })],
  [
    "a modification result",
    "modificationResult",
    255,
    (modificationResult) => inReport({ _tag: "SmdpState", state: "Enable", modificationResult })
  ],
  [
    "a country's name",
    "countries[0].name",
    255,
    (name) => Catalogue.checkTexts({ ...catalogue, countries: [{ ...country, name }] })
  ],
  ["an operator's name", "operators[0].name", 255, (name) => ofOperator({ name })],
  ["an operator's id", "operators[0].operator_id", 255, (operatorId) => ofOperator({ operatorId })],
  ["a profile's name", "profiles[0].region_name", 255, (regionName) => ofProfile({ regionName })],
  ["a profile's code", "profiles[0].region_code", 255, (regionCode) => ofProfile({ regionCode })],
  ["a profile's id", "profiles[0].coverage_id", 255, (coverageId) => ofProfile({ coverageId })]
]

describe("A text within its limit (W9)", () => {
  it.each(taking)("is taken: %s", (_name, _field, limit, take) => {
    expect(Result.isSuccess(take(text(limit)))).toBe(true)
    expect(Result.isSuccess(take("😀".repeat(limit)))).toBe(true)
  })

  it.each(taking)("and none that is longer: %s", (_name, field, limit, take) => {
    for (const long of [text(limit + 1), "😀".repeat(limit + 1), "x".repeat(1_048_576)]) {
      const refusal = Result.getOrThrow(Result.flip(take(long)))
      const message =
        typeof refusal === "string" ? refusal : `${"field" in refusal && refusal.field} ${refusal.message}`
      expect(message).toBe(`${field} must have at most ${limit} characters`)
    }
  })

  it.each(taking.filter(([, field]) => field !== "subscriber_id"))(
    "and none that no storage can keep: %s",
    (_name, field, _limit, take) => {
      for (const bad of ["a\0b", "a\ud83d", "\ude00"]) {
        const refusal = Result.getOrThrow(Result.flip(take(bad)))
        const message =
          typeof refusal === "string" ? refusal : `${"field" in refusal && refusal.field} ${refusal.message}`
        expect(message).toBe(`${field} must not contain NUL characters or lone surrogates`)
      }
    }
  )

  it("is counted in code points, also where half of a character stands alone", () => {
    expect(TextLimit.isWithin("😀\ud83d", 2)).toBe(true)
    expect(TextLimit.isWithin("😀\ud83d", 1)).toBe(false)
    expect(TextLimit.isWithin("", 0)).toBe(true)
  })
})

describe("A refusal", () => {
  it("shows the beginning of a country code at most", () => {
    const refused = Region.normalize({ ...region, iso2List: ["😀".repeat(100_000)] })
    expect(Result.getOrThrow(Result.flip(refused)).message).toBe(
      `must hold ISO 2-letter codes, not "${"😀".repeat(10)}"`
    )
  })
})
