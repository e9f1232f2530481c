/**
 * Plain usage events have a fast path; it must decode them to what the schemas give (rule R1).
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ReportsHandlers from "../../../adapters/http/handlers/ReportsHandlers.ts"

/** Mostly plain usage events. */
const nearly = (usual: fc.Arbitrary<unknown>, ...others: ReadonlyArray<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...others) })

const text = nearly(fc.string({ minLength: 1 }), "", "é", "a\0", "\ud800", "\ud83d\ude00", "\n", "__proto__", null, 5)

const past = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(0xf_ff_ff_ff_ff_ff) })

const instant = nearly(
  past.map((date) => date.toISOString()),
  ...["2026-02-28T23:59:59+23:59", "2026-02-29T00:00:00Z", "2026-01-31t12:00:00.5z", "2026-01-31", "", 5]
)

const bytes = nearly(fc.nat(), -0, -1, 0.5, 2 ** 53 - 1, 2 ** 53, Number.POSITIVE_INFINITY, "1", null)

const usual = { id: text, type: nearly(fc.constant("usage"), "first_use", "location", 5), iccid: text }
const rest = { occurred_at: instant, package_id: text, total_bytes: bytes }

const event = fc.oneof(
  fc.record({ ...usual, ...rest }, { requiredKeys: ["id", "type", "iccid", "occurred_at", "total_bytes"] }),
  fc.record({ ...usual, ...rest, delta_bytes: bytes }, { requiredKeys: [] })
)

describe("An event of the usual form", () => {
  it("decodes as it does with another field, which takes the schemas", () => {
    let taken = 0
    fc.assert(
      fc.property(event, (fields) => {
        const found = ReportsHandlers.decode(fields)
        expect(found).toEqual(ReportsHandlers.decode({ ...fields, note: [] }))
        if (Result.isSuccess(found)) taken++
      }),
      { numRuns: 3_000 }
    )
    expect(taken).toBeGreaterThan(500)
  })
})
