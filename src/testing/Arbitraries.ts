/**
 * fast-check arbitraries for every value that the rules are about, for tests of simplan and of what
 * embeds it.
 *
 *     fc.assert(fc.property(Arbitraries.planRequests(), (terms) => …))
 */
import * as fc from "fast-check"
import { DAY, HOUR, type Instant, MINUTE } from "../domain/Time.ts"
import { limits, type TermsRequest, type ThrottlingStep, throttlingLimits } from "../domain/Plan.ts"
import { periodicities } from "../domain/Recurrence.ts"
import { type Label, labels } from "../domain/Label.ts"

const digits = (length: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(..."0123456789"), { minLength: length, maxLength: length }).map((all) => all.join(""))

/** The digit that makes the Luhn sum of the whole a multiple of 10. */
const checkDigit = (body: string): number => {
  const sum = [...body].reverse().reduce((total, character, index) => {
    const weighted = Number(character) * (index % 2 === 0 ? 2 : 1)
    return total + Math.floor(weighted / 10) + (weighted % 10)
  }, 0)
  return (10 - (sum % 10)) % 10
}

const iccidBody: fc.Arbitrary<string> = fc.integer({ min: 17, max: 19 }).chain(digits)

/** ICCIDs (rule I1): 18 to 20 digits with their Luhn digit. */
export const iccids: fc.Arbitrary<string> = iccidBody.map((text) => `${text}${checkDigit(text)}`)

/** 18 to 20 digits whose last one is not the Luhn digit: taken with a warning. */
export const iccidsWithWrongCheckDigit: fc.Arbitrary<string> = fc
  .tuple(iccidBody, fc.integer({ min: 1, max: 9 }))
  .map(([text, beside]) => `${text}${(checkDigit(text) + beside) % 10}`)

/**
 * A valid one as it is often written: with `F` or `FF`, which pad it to whole bytes, or space
 * around it.
 */
export const paddedIccids: fc.Arbitrary<{
  readonly written: string
  readonly iccid: string
}> = fc.tuple(iccids, fc.constantFrom("F", "f", "F ", " ", "FF", "fF ")).map(([iccid, after]) => ({
  written: `${after.endsWith(" ") ? " " : ""}${iccid}${iccid.length > 18 ? after.replace(/FF/i, "F") : after}`,
  iccid
}))

/** Texts that are no ICCID: too short, too long, or not of digits alone. */
export const invalidIccids: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: 0, max: 17 }).chain(digits),
  fc.integer({ min: 21, max: 30 }).chain(digits),
  fc
    .tuple(iccids, fc.integer({ min: 1, max: 16 }), fc.constantFrom("x", " ", "-", "F", "٣"))
    .map(([iccid, at, wrong]) => `${iccid.slice(0, at)}${wrong}${iccid.slice(at + 1)}`),
  iccids.map((iccid) => `${iccid}${iccid.length > 18 ? "FF" : "FFF"}`)
)

/** The instant itself, and the milliseconds before and after it. */
export const around = (instant: Instant): fc.Arbitrary<Instant> =>
  fc.constantFrom(0, -1, 1).map((beside) => instant + beside)

const lastDayOf = (year: number, month: number): number =>
  new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()

/** A real date of these years at some time of day; month ends and 29 February are common. */
export const instantsBetween = (firstYear: number, lastYear: number): fc.Arbitrary<Instant> =>
  fc
    .record({
      year: fc.integer({ min: firstYear, max: lastYear }),
      month: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, 2)),
      day: fc.oneof(fc.integer({ min: 1, max: 31 }), fc.constantFrom(28, 29, 30, 31)),
      timeOfDay: fc.oneof(fc.constantFrom(0, DAY / 2, 1, DAY - 1), fc.integer({ min: 0, max: DAY - 1 }))
    })
    .map(({ day, month, timeOfDay, year }) => {
      const date = new Date(0).setUTCFullYear(year, month - 1, Math.min(day, lastDayOf(year, month)))
      return date + timeOfDay
    })

/** The years in which a service plausibly runs. */
export const instants: fc.Arbitrary<Instant> = instantsBetween(2024, 2100)

/** The last day of a month, at some time of day. */
export const monthEnds: fc.Arbitrary<Instant> = fc
  .record({
    year: fc.integer({ min: 2024, max: 2100 }),
    month: fc.integer({ min: 1, max: 12 }),
    timeOfDay: fc.integer({ min: 0, max: DAY - 1 })
  })
  .map(({ month, timeOfDay, year }) => Date.UTC(year, month - 1, lastDayOf(year, month)) + timeOfDay)

/** 29 February, at some time of day. */
export const leapDays: fc.Arbitrary<Instant> = fc
  .record({
    quarter: fc.integer({ min: 506, max: 524 }),
    timeOfDay: fc.integer({ min: 0, max: DAY - 1 })
  })
  .map(({ quarter, timeOfDay }) => Date.UTC(4 * quarter, 1, 29) + timeOfDay)

/** Spans that the rules name, each with the milliseconds around it. */
const namedSpans = [MINUTE, 5 * MINUTE, HOUR, 12 * HOUR, DAY, 7 * DAY, 30 * DAY, 35 * DAY] as const

/**
 * Spans of time from a millisecond to `longest`, those that the rules name more often than others.
 */
export const spans = (longest: number): fc.Arbitrary<number> =>
  fc
    .oneof(
      { weight: 4, arbitrary: fc.constantFrom(1, ...namedSpans).chain(around) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 * DAY }) },
      { weight: 2, arbitrary: fc.integer({ min: DAY, max: 60 * DAY }) },
      {
        weight: 1,
        arbitrary: fc.integer({ min: 30 * DAY, max: Math.max(30 * DAY, longest) })
      }
    )
    .map((span) => Math.max(1, Math.min(span, longest)))

/** The ends of a period by their distance from now; null: not sent. */
export interface PeriodFromNow {
  /** In milliseconds; below 0 lies in the past. */
  readonly start: number | null
  /** In milliseconds; below 0 lies in the past. It need not be after `start`. */
  readonly end: number | null
}

/** T5: a recurring plan starts at most 24 h ago; what starts within 12 h is created at once. */
const periodStarts: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, -DAY, 12 * HOUR, -12 * HOUR, DAY).chain(around) },
  { weight: 1, arbitrary: fc.integer({ min: -2 * DAY, max: 60 * DAY }) }
)

/**
 * Active periods for a plan that recurs (rule T5), by their distance from now: the start decides,
 * and the end is ignored.
 */
export const recurringPeriods: fc.Arbitrary<PeriodFromNow> = fc.record({
  start: fc.option(periodStarts, { freq: 12 }),
  end: fc.option(fc.integer({ min: -DAY, max: 400 * DAY }), { freq: 2 })
})

/**
 * Active periods for a plan that does not recur: around what rule T4 asks, `start < end`, and `end`
 * after now.
 */
export const nonRecurringPeriods: fc.Arbitrary<PeriodFromNow> = fc
  .record({
    start: fc.option(fc.oneof(fc.constantFrom(0, -1, 1, -DAY, DAY), fc.integer({ min: -90 * DAY, max: 90 * DAY })), {
      freq: 12
    }),
    end: fc.oneof(
      { weight: 1, arbitrary: fc.constant({ of: "nothing" as const, by: 0 }) },
      {
        weight: 4,
        arbitrary: fc.record({
          of: fc.constant("start" as const),
          by: fc.constantFrom(0, -1, 1, DAY)
        })
      },
      {
        weight: 4,
        arbitrary: fc.record({
          of: fc.constant("now" as const),
          by: fc.constantFrom(0, -1, 1, DAY)
        })
      },
      {
        weight: 6,
        arbitrary: fc.record({
          of: fc.constant("start" as const),
          by: fc.integer({ min: 1, max: 120 * DAY })
        })
      }
    )
  })
  .map(({ end, start }) => ({
    start,
    end: end.of === "nothing" ? null : end.by + (end.of === "start" ? (start ?? 0) : 0)
  }))

/** Active periods for whatever plan it turns out to be. */
export const activePeriods: fc.Arbitrary<PeriodFromNow> = fc.oneof(recurringPeriods, nonRecurringPeriods)

/** A request without its coverage, which depends on the catalogue. */
export type PlanRequest = Omit<TermsRequest, "coverageId">

/** How large valid plans get. Up to 6 occurrences and 30 days are drawn whatever the bounds. */
export interface PlanBounds {
  /** The most packages that a recurring plan has; rule P1 allows 1,000. */
  readonly occurrences: number
  /** The longest validity, in days of 24 h; rule P1 allows 3,660. */
  readonly periodDays: number
}

/** Plans of which something can be seen in a run of some years. */
export const modestPlans: PlanBounds = { occurrences: 40, periodDays: 45 }

const planName = fc.oneof(
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
          fc.record({ percentage: fc.constant(percentage), limit: fc.constantFrom(...throttlingLimits) })
        )
    )
  )

const once = (bounds: PlanBounds) =>
  fc.record({
    recurrence: fc.constant(null),
    periodDays: fc.oneof(fc.constantFrom(1, 30), fc.integer({ min: 1, max: bounds.periodDays }))
  })

/** Validities shorter than a cycle, as long, and longer. */
const repeatedly = (bounds: PlanBounds) =>
  fc.record({
    recurrence: fc.record({
      periodicity: fc.constantFrom(...periodicities),
      frequency: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4 })),
      occurrences: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: bounds.occurrences }))
    }),
    periodDays: fc.oneof(fc.constantFrom(1, 2, 7, 30), fc.integer({ min: 1, max: bounds.periodDays }))
  })

/** Percentages of alerts (rule U2), as they are stored. */
const alerts = fc.record({
  alertThresholds: fc
    .uniqueArray(fc.oneof(fc.constantFrom(1, 50, 80, 100), fc.integer({ min: 1, max: 100 })), {
      maxLength: limits.alertThresholds
    })
    .map((percentages) => percentages.sort((left, right) => left - right))
})

/** Valid requests for plans (rules P1 and U2). */
export const planRequests = (bounds: PlanBounds = modestPlans): fc.Arbitrary<PlanRequest> =>
  fc
    .record({
      common: fc.record({
        name: planName,
        dataMegaBytes: fc.oneof(fc.integer({ min: 1, max: 1_024 }), fc.constantFrom(1, limits.dataMegaBytes))
      }),
      throttling: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: throttling }),
      alerts: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: alerts }),
      recurring: fc.oneof({ weight: 2, arbitrary: repeatedly(bounds) }, { weight: 1, arbitrary: once(bounds) })
    })
    .map(({ alerts, common, recurring, throttling }) => ({ ...common, throttling, ...recurring, ...alerts }))

/** A request that is wrong in one way. */
export interface FlawedPlanRequest {
  /** The whole request; every field but the flawed one is valid. */
  readonly terms: PlanRequest
  /** The field that the refusal must name. */
  readonly field: string
}

const notCounts = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY] as const

type Flaw = readonly [field: string, wrong: fc.Arbitrary<(terms: PlanRequest) => PlanRequest>]

const flaw = <A>(
  field: string,
  values: ReadonlyArray<A>,
  apply: (terms: PlanRequest, value: A) => PlanRequest
): Flaw => [field, fc.constantFrom(...values).map((value) => (terms) => apply(terms, value))]

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
  flaw("alertThresholds", [...notCounts, 101], (terms, percentage) => ({
    ...terms,
    alertThresholds: [50, percentage]
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

/** Requests for plans that are wrong in one way. What stands elsewhere is right. */
export const invalidPlanRequests = (bounds: PlanBounds = modestPlans): fc.Arbitrary<FlawedPlanRequest> =>
  fc
    .constantFrom(...flaws)
    .chain(([field, wrong]) =>
      fc.tuple(planRequests(bounds), wrong).map(([terms, apply]) => ({ field, terms: apply(terms) }))
    )

/** The names of all flaws there are. */
export const flawedFields: ReadonlyArray<string> = [...new Set(flaws.map(([field]) => field))]

/** A custom region as a client asks for it, without the organization. */
export interface RegionRequest {
  /** May have spaces around it, which the service trims. */
  readonly regionName: string
  /** Drawn from all labels, also if no operator of a listed country has it. */
  readonly label: Label
  /**
   * ISO 3166 alpha-2 codes as a client types them: in either case, with spaces around them, and
   * repeated.
   */
  readonly iso2List: ReadonlyArray<string>
}

/** A code as somebody may type it. */
const typed = (code: string): fc.Arbitrary<string> => fc.constantFrom(code, code.toLowerCase(), ` ${code}`, `${code} `)

const regionName = fc.oneof(
  fc.constantFrom("Nordics", " Nordics ", "Benelux", "東南アジア"),
  fc.string({ minLength: 1 }).filter((name) => name.trim() !== "")
)

/**
 * Well-formed requests for custom regions (rule I4) over these countries; a code may come twice,
 * and in any case.
 */
export const regionRequests = (iso2Codes: ReadonlyArray<string>): fc.Arbitrary<RegionRequest> =>
  fc.record({
    regionName,
    label: fc.constantFrom(...labels),
    iso2List: fc.array(fc.constantFrom(...iso2Codes).chain(typed), { minLength: 1, maxLength: 6 })
  })

/** Requests for regions that are wrong in one way, with the field that must be named. */
export const invalidRegionRequests = (
  iso2Codes: ReadonlyArray<string>
): fc.Arbitrary<{ readonly wanted: RegionRequest; readonly field: string }> =>
  fc.oneof(
    fc.tuple(regionRequests(iso2Codes), fc.constantFrom("", " ", "\n")).map(([wanted, regionName]) => ({
      wanted: { ...wanted, regionName },
      field: "regionName"
    })),
    fc.tuple(regionRequests(iso2Codes), fc.constantFrom("", "S", "SWE", "S1", "ß", "5E")).map(([wanted, code]) => ({
      wanted: { ...wanted, iso2List: [...wanted.iso2List, code] },
      field: "iso2List"
    })),
    regionRequests(iso2Codes).map((wanted) => ({
      wanted: { ...wanted, iso2List: [] },
      field: "iso2List"
    }))
  )

/** What a meter showed: the running total at a time after the first use. */
export interface Reading {
  /** Milliseconds since the first use. */
  readonly after: number
  /** All bytes used since the first use. */
  readonly totalBytes: number
}

/** The usage of one package, and the order in which a telco reports it. */
export interface UsageHistory {
  /** As it was: the total never falls, and each reading has a time of its own. */
  readonly readings: ReadonlyArray<Reading>
  /**
   * As it is reported, in order of arrival: indexes into the readings, which may come twice, late,
   * or not at all.
   */
  readonly arrivals: ReadonlyArray<number>
}

/** How large usage histories get (rule R1). */
export interface UsageBounds {
  /** How many readings there are at most; there is at least one. */
  readonly readings: number
  /** The highest total, in bytes. */
  readonly bytes: number
  /** The time from the first use to the last reading, in milliseconds, at most. */
  readonly millis: number
}

const modestUsage: UsageBounds = { readings: 12, bytes: 2 ** 31, millis: 30 * DAY }

/**
 * Usage histories; the last reading always arrives, so that what is known in the end is what was.
 */
export const usageHistories = (bounds: UsageBounds = modestUsage): fc.Arbitrary<UsageHistory> =>
  fc
    .array(
      fc.record({
        bytes: fc.oneof(fc.constantFrom(0, 1), fc.nat(Math.floor(bounds.bytes / bounds.readings))),
        pause: fc.oneof(
          fc.constantFrom(1, HOUR),
          fc.integer({ min: 1, max: Math.floor(bounds.millis / bounds.readings) })
        )
      }),
      { minLength: 1, maxLength: bounds.readings }
    )
    .chain((steps) => {
      let after = 0
      let totalBytes = 0
      const readings = steps.map(({ bytes, pause }): Reading => {
        after += pause
        totalBytes += bytes
        return { after, totalBytes }
      })
      const indexes = readings.map((_, index) => index)
      const last = readings.length - 1
      return fc
        .record({
          // Gaps and duplicates.
          arriving: fc.array(fc.constantFrom(...indexes), { maxLength: 2 * readings.length }),
          lastArrivesAt: fc.nat(2 * readings.length)
        })
        .map(({ arriving, lastArrivesAt }) => ({ readings, arrivals: arriving.toSpliced(lastArrivesAt, 0, last) }))
    })
