/**
 * What a telco reports in random runs: facts about packages, most of them in order, some late, again or of unknown packages.
 */
import * as fc from "fast-check"
import { states } from "../../domain/SmdpHistory.ts"
import { DAY, MINUTE } from "../../domain/Time.ts"
import type { Amount, Fact, PackageOf, ReportFromNow } from "./Command.ts"

/** A place among those there are, the first ones most often. */
export const place: fc.Arbitrary<number> = fc.oneof(
  { weight: 3, arbitrary: fc.nat(1) },
  { weight: 1, arbitrary: fc.nat(7) }
)

const packageOf: fc.Arbitrary<PackageOf | null> = fc.option(
  fc.record({
    attachment: place,
    back: fc.nat(3),
    named: fc.oneof(
      { weight: 8, arbitrary: fc.constant("by our id" as const) },
      { weight: 4, arbitrary: fc.constant("by the telco's id" as const) },
      { weight: 1, arbitrary: fc.constant("wrongly" as const) }
    )
  }),
  { freq: 2 }
)

/** A part of what a package has. */
export const amount: fc.Arbitrary<Amount> = fc.record({
  percent: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(0, 50, 80, 100) }, { weight: 1, arbitrary: fc.nat(150) }),
  beside: fc.constantFrom(0, -1, 1)
})

const fact: fc.Arbitrary<Fact> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("FirstUse" as const),
      package: packageOf
    })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constantFrom("Total" as const, "Delta" as const),
      package: packageOf,
      amount,
      countryAlpha2: fc.option(fc.constantFrom("FR", "DE", "JP"), { freq: 2 })
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("Location" as const),
      countryAlpha2: fc.constantFrom("FR", "DE", "JP"),
      rat: fc.constantFrom("4G", "5G")
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("SmdpState" as const),
      state: fc.constantFrom(...states),
      modificationResult: fc.constantFrom("Success", "Failed")
    })
  }
)

/** A report, from the present moment. */
export const report: fc.Arbitrary<ReportFromNow> = fc.record({
  after: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.constantFrom(5 * MINUTE, 5 * MINUTE + 1, -35 * DAY, -35 * DAY - 1) },
    { weight: 2, arbitrary: fc.integer({ min: -3 * DAY, max: 0 }) },
    // Days and months end at midnight, and so do the days of the book of usage (rule U1).
    { weight: 1, arbitrary: fc.constantFrom(-DAY, -31 * DAY) }
  ),
  again: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(3) }),
  fact
})
