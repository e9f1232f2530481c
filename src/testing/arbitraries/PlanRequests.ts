/**
 * Requests for plans (rule P1): valid ones, and ones that are wrong in one way, with the field that must be named.
 */
import * as fc from "fast-check"
import { limits, type TermsRequest, type ThrottlingStep, throttlingLimits } from "../../domain/Plan.ts"
import { periodicities } from "../../domain/Recurrence.ts"

/** A request without its coverage, which depends on the catalogue. */
export type Terms = Omit<TermsRequest, "coverageId">

/** How large valid plans get. Up to 6 occurrences and 30 days are drawn whatever the bounds. */
export interface Bounds {
  /** The most packages that a recurring plan has; rule P1 allows 1,000. */
  readonly occurrences: number
  /** The longest validity, in days of 24 h; rule P1 allows 3,660. */
  readonly periodDays: number
}

/** Plans of which something can be seen in a run of some years. */
export const modest: Bounds = { occurrences: 40, periodDays: 45 }

/** All that rule P1 allows; what would last beyond the year 9999 is left out. */
export const generous: Bounds = {
  occurrences: limits.occurrences,
  periodDays: limits.periodDays
}

const name = fc.oneof(
  fc.constantFrom("Traveller", "Ein Gigabyte", "旅行プラン", "a"),
  fc.string({ minLength: 1 }).map((text) => `plan ${text}`)
)

const throttling = fc
  .uniqueArray(fc.integer({ min: 1, max: 100 }), { minLength: 3, maxLength: 3 })
  .chain((percentages) =>
    fc.tuple(
      ...percentages
        .sort((a, b) => a - b)
        .map((percentage) =>
          fc.record({
            percentage: fc.constant(percentage),
            limit: fc.constantFrom(...throttlingLimits)
          })
        )
    )
  )

const once = (bounds: Bounds) =>
  fc.record({
    recurrence: fc.constant(null),
    periodDays: fc.oneof(fc.constantFrom(1, 30), fc.integer({ min: 1, max: bounds.periodDays }))
  })

/** Validities shorter than a cycle, as long, and longer. */
const repeatedly = (bounds: Bounds) =>
  fc.record({
    recurrence: fc.record({
      periodicity: fc.constantFrom(...periodicities),
      frequency: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4 })),
      occurrences: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: bounds.occurrences }))
    }),
    periodDays: fc.oneof(fc.constantFrom(1, 2, 7, 30), fc.integer({ min: 1, max: bounds.periodDays }))
  })

/** Valid requests. */
export const valid = (bounds: Bounds = modest): fc.Arbitrary<Terms> =>
  fc
    .record({
      common: fc.record({
        name,
        dataMegaBytes: fc.oneof(fc.integer({ min: 1, max: 1_024 }), fc.constantFrom(1, limits.dataMegaBytes))
      }),
      throttling: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: throttling }),
      recurring: fc.oneof({ weight: 2, arbitrary: repeatedly(bounds) }, { weight: 1, arbitrary: once(bounds) })
    })
    .map(({ common, recurring, throttling }) => ({ ...common, throttling, ...recurring }))

/** A request that is wrong in one way. */
export interface Flawed {
  /** The whole request; every field but the flawed one is valid. */
  readonly terms: Terms
  /** The field that the refusal must name. */
  readonly field: string
}

const notCounts = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY] as const

type Flaw = readonly [field: string, wrong: fc.Arbitrary<(terms: Terms) => Terms>]

const flaw = <A>(field: string, values: ReadonlyArray<A>, apply: (terms: Terms, value: A) => Terms): Flaw => [
  field,
  fc.constantFrom(...values).map((value) => (terms) => apply(terms, value))
]

const recurrence = { periodicity: "Daily", frequency: 1, occurrences: 3 } as const

const steps: ReadonlyArray<ThrottlingStep> = [10, 20, 30].map((percentage) => ({ percentage, limit: "512" }))

const flaws: ReadonlyArray<Flaw> = [
  flaw("name", ["", " ", "\t"], (terms, name) => ({ ...terms, name })),
  flaw("dataMegaBytes", [...notCounts, limits.dataMegaBytes + 1], (terms, dataMegaBytes) => ({
    ...terms,
    dataMegaBytes
  })),
  flaw("periodDays", [...notCounts, limits.periodDays + 1], (terms, periodDays) => ({ ...terms, periodDays })),
  flaw("occurrences", [...notCounts, limits.occurrences + 1], (terms, occurrences) => ({
    ...terms,
    recurrence: { ...recurrence, occurrences }
  })),
  // 2 to 1,000 cycles of so many days end beyond the year 9999.
  flaw("frequency", [...notCounts, 10_000_000, Number.MAX_SAFE_INTEGER], (terms, frequency) => ({
    ...terms,
    recurrence: { ...recurrence, frequency }
  })),
  flaw("throttling", [1, 2], (terms, count) => ({ ...terms, throttling: steps.slice(0, count) })),
  ...[0, 1, 2].map((index): Flaw => {
    // Not above the one before.
    const tooLow = steps.slice(0, index).map(({ percentage }) => percentage)
    return flaw(`throttlingThreshold${index + 1}Percentage`, [...notCounts, 101, ...tooLow], (terms, percentage) => ({
      ...terms,
      throttling: steps.map((step, at) => (at === index ? { ...step, percentage } : step))
    }))
  })
]

/** Requests that are wrong in one way. What stands elsewhere is right. */
export const invalid = (bounds: Bounds = modest): fc.Arbitrary<Flawed> =>
  fc
    .constantFrom(...flaws)
    .chain(([field, wrong]) => fc.tuple(valid(bounds), wrong).map(([terms, apply]) => ({ field, terms: apply(terms) })))

/** The names of all flaws there are. */
export const flawedFields: ReadonlyArray<string> = [...new Set(flaws.map(([field]) => field))]
