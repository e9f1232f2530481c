/**
 * The last operator (rule R3): it comes from the latest report and is shown for 7 days after the last activity.
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
    expect(Location.withReport(sweden, norway)).toBe(norway)
    expect(Location.withReport(norway, sweden)).toBe(norway)
  })

  it("of two reports of one instant is that of the second", () => {
    const [sweden, norway] = [seen("SE", NOW), seen("NO", NOW)]
    expect(Location.withReport(sweden, norway)).toBe(norway)
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
