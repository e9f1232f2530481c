/**
 * Random reports: which are rejected (rule R1), and what an accepted one leaves: a sign of a download (S2), an entry of
 * the SM-DP+ history (I2), and a last operator for 7 days (R3).
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Location from "../../src/domain/Location.ts"
import type { ForReports } from "../../src/domain/SimAggregate.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { DAY_MS, MINUTE_MS } from "../domain/Calendar.ts"
import { attached, delta, firstUse, ICCID, line, NOW, report, total } from "../domain/Values.ts"
import { locations, smdpStates } from "./Arbitraries.ts"

const active = attached({ createdAt: NOW - 50 * DAY_MS }, [
  { activationAt: NOW - 40 * DAY_MS, expirationAt: NOW + DAY_MS }
])

const beside = fc.integer({ min: -1, max: 1 })

/** Distances from now, near those at which reports are rejected. */
const distances = fc.oneof(
  fc.constantFrom(5 * MINUTE_MS, 0, -35 * DAY_MS).chain((limit) => beside.map((ms) => limit + ms)),
  fc.integer({ min: -39 * DAY_MS, max: DAY_MS / 2 })
)

const bytes = fc.constantFrom(0, 1, 1_000, 2 ** 53 - 1, -1, 2 ** 53, 0.5, Number.NaN, Number.POSITIVE_INFINITY)

const facts = fc.oneof(
  bytes.map((amount) => total(amount)),
  bytes.map((amount) => delta(amount)),
  fc.constant(firstUse()),
  locations,
  smdpStates
)

const ids = fc.constantFrom(1, 254, 255, 256).map((length) => "r".repeat(length))

describe("A report (R1)", () => {
  it("is accepted unless it is too far ahead, too old a delta, no whole number of bytes, or an SM-DP+ state of a card", () => {
    fc.assert(
      fc.property(facts, distances, fc.boolean(), ids, (fact, distance, isEsim, id) => {
        const applied = TelcoReport.apply(line([active], { isEsim }), report(fact, NOW + distance, id), NOW)
        const usage = fact._tag === "Usage" ? fact.usage : null
        const refused =
          id.length > 255 ||
          distance > 5 * MINUTE_MS ||
          (usage !== null && !(Number.isSafeInteger(usage.bytes) && usage.bytes >= 0)) ||
          (usage?._tag === "Delta" && distance < -35 * DAY_MS) ||
          (fact._tag === "SmdpState" && !isEsim)
        expect(Result.isFailure(applied)).toBe(refused)
      }),
      { numRuns: 3_000 }
    )
  })

  it("of use, location or a successful state is a sign of a download; every state is stored", () => {
    fc.assert(
      fc.property(facts, fc.boolean(), (fact, downloaded) => {
        const applied = TelcoReport.apply(line([active], { downloaded }), report(fact), NOW)
        fc.pre(Result.isSuccess(applied))
        const { aggregate: after, smdpEntries } = Result.getOrThrow(applied)
        const isState = fact._tag === "SmdpState"
        const fails = isState && fact.modificationResult === "Failed"
        expect(after.sim.downloaded).toBe(downloaded || !fails)
        expect(after.sim.lastActivityAt).toBe(isState ? null : NOW)
        const { _tag, ...fields } = fact
        const entry = { organizationId: "organization", iccid: ICCID, reportId: "report", modifiedAt: NOW, ...fields }
        expect(smdpEntries).toEqual(isState ? [entry] : [])
      })
    )
  })
})

describe("Two sightings of the same instant (R3)", () => {
  it("end with the second one", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(locations, smdpStates), { minLength: 1, maxLength: 4 }), (all) => {
        const { sim } = all.reduce<ForReports>(
          (before, fact) => Result.getOrThrow(TelcoReport.apply(before, report(fact), NOW)).aggregate,
          line()
        )
        const location = all.findLast(({ _tag }) => _tag === "Location")
        if (location !== undefined) expect(location).toMatchObject({ countryAlpha2: sim.location?.countryAlpha2 })
        const isSuccess = (fact: TelcoReport.Fact) => fact._tag === "SmdpState" && fact.modificationResult === "Success"
        const state = all.findLast(isSuccess)
        if (state !== undefined) expect(state).toMatchObject({ state: sim.smdp?.state })
      })
    )
  })
})

describe("A last operator (R3)", () => {
  it("is shown until exactly 7 days after the last activity", () => {
    const last = { countryAlpha2: "SE", operator: "Telia", rat: "5G", imei: "356938035643809", at: NOW }
    const ages = fc.oneof(
      beside.map((ms) => 7 * DAY_MS + ms),
      fc.nat(20 * DAY_MS)
    )
    fc.assert(
      fc.property(ages, fc.boolean(), (age, known) => {
        const location = known ? last : null
        expect(Location.visible(location, NOW, NOW + age)).toBe(age > 7 * DAY_MS ? null : location)
        expect(Location.visible(location, null, NOW + age)).toBeNull()
      })
    )
  })
})
