/**
 * The last operator (rule R3): it comes from the latest report and is shown for 7 days after the
 * last activity.
 */
import { describe, expect, it } from "vitest"
import * as Location from "../../src/domain/Location.ts"
import { DAY_MS } from "./Calendar.ts"
import { NOW } from "./Values.ts"

const seen = (countryAlpha2: string, at: number): Location.LastOperator => ({
  countryAlpha2,
  operator: "Telia",
  rat: "5G",
  imei: "356938035643809",
  at
})

describe("The last operator (R3)", () => {
  it("is that of the latest report, however late another arrives", () => {
    const sweden = seen("SE", NOW)
    expect(Location.withReport(null, sweden)).toBe(sweden)
    const norway = seen("NO", NOW + 1)
    expect(Location.withReport(sweden, norway)).toMatchObject(norway)
    expect(Location.withReport(norway, sweden)).toMatchObject(norway)
  })

  it("of two reports of one instant is that of the second", () => {
    const [sweden, norway] = [seen("SE", NOW), seen("NO", NOW)]
    expect(Location.withReport(sweden, norway)).toMatchObject(norway)
  })
})

describe("The country in which a SIM was last seen at an instant (U1)", () => {
  const seenBy = (...reports: ReadonlyArray<readonly [country: string, at: number]>) =>
    reports.reduce<Location.LastOperator | null>(
      (last, [country, at]) => Location.withReport(last, seen(country, at)),
      null
    )
  const countries = (last: Location.LastOperator | null, ...instants: ReadonlyArray<number>) =>
    instants.map((at) => Location.countryAt(last, at))

  it("is not known before the first report", () => {
    expect(Location.countryAt(null, NOW)).toBeNull()
    expect(countries(seenBy(["SE", 5]), 4, 5, 6)).toEqual([null, "SE", "SE"])
  })

  it("is that of the last report by then, though the SIM has moved on", () => {
    const moved = seenBy(["SE", 1], ["SE", 3], ["NO", 5], ["SE", 7])
    expect(countries(moved, 0, 1, 2, 4, 5, 6, 7, 8)).toEqual([null, "SE", "SE", "SE", "NO", "NO", "SE", "SE"])
  })

  it("is the same however late a report arrives", () => {
    const late = seenBy(["NO", 5], ["SE", 1], ["FR", 3])
    expect(late).toMatchObject({ countryAlpha2: "NO", at: 5 })
    expect(countries(late, 0, 1, 2, 3, 4, 5)).toEqual([null, "SE", "SE", "FR", "FR", "NO"])
    expect(countries(seenBy(["SE", 9], ["NO", 5], ["FR", 10]), 5, 8, 9, 10)).toEqual(["NO", "NO", "SE", "FR"])
  })

  it("is forgotten for all but the last eight countries", () => {
    const many = seenBy(...Array.from({ length: 20 }, (_, at) => [at % 2 === 0 ? "SE" : "NO", at] as const))
    expect(countries(many, 11, 12, 19)).toEqual([null, "SE", "NO"])
  })

  it("does not make a SIM that stays grow", () => {
    const stays = seenBy(...Array.from({ length: 20 }, (_, at) => ["SE", at] as const))
    expect(stays?.visits).toEqual([{ countryAlpha2: "SE", at: 0 }])
    expect(seenBy(["SE", 9], ["SE", 5], ["SE", 3])?.visits).toEqual([{ countryAlpha2: "SE", at: 3 }])
  })
})

describe("The last operator is shown (R3)", () => {
  const sweden = seen("SE", NOW - 30 * DAY_MS)

  it("until exactly 7 days after the last activity of any kind", () => {
    expect(Location.visible(sweden, NOW, NOW)).toBe(sweden)
    expect(Location.visible(sweden, NOW, NOW + 7 * DAY_MS)).toBe(sweden)
    expect(Location.visible(sweden, NOW, NOW + 7 * DAY_MS + 1)).toBeNull()
  })

  it("only if there was an activity and a location", () => {
    expect(Location.visible(sweden, null, NOW)).toBeNull()
    expect(Location.visible(null, NOW, NOW)).toBeNull()
  })
})
