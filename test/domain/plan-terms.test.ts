/**
 * The terms of a plan (rule P1): a wrong field is refused by its name, bounds are exact, and the fields of a feature
 * that is off are neither checked nor stored.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Plan from "../../src/domain/Plan.ts"
import { DAY_MS, instant } from "./Calendar.ts"
import { NOW, terms, termsRequest } from "./Values.ts"

const coverage = { regionCode: "EUROPE", label: "Voilet" } as const
const of = (changes: Partial<Plan.TermsRequest>, now = NOW) => Plan.terms(termsRequest(changes), coverage, now)
const fieldOf = (changes: Partial<Plan.TermsRequest>, now = NOW): string | null =>
  Result.match(of(changes, now), {
    onSuccess: () => null,
    onFailure: (refusal) => (refusal._tag === "InvalidField" ? refusal.field : refusal._tag)
  })

const steps = (...percentages: ReadonlyArray<unknown>) => ({
  thresholds: percentages.map((percentage) => ({ percentage, limit: "128" }))
})
const limited = (limit: unknown) => ({ thresholds: [1, 2, 3].map((percentage) => ({ percentage, limit })) })

describe("Terms are granted as they are asked for (P1)", () => {
  it("with throttling and recurrence", () => {
    expect(Result.getOrThrow(of({}))).toEqual({
      name: "Monthly",
      coverageId: "coverage",
      regionCode: "EUROPE",
      label: "Voilet",
      dataMegaBytes: 1_024,
      periodDays: 30,
      throttling: [
        { percentage: 50, limit: "1024" },
        { percentage: 80, limit: "512" },
        { percentage: 100, limit: "128" }
      ],
      recurrence: { periodicity: "Monthly", frequency: 1, occurrences: 12 }
    })
  })

  it("and without the fields of a feature that is off, whatever they hold", () => {
    const nonsense = {
      thresholds: [{ percentage: "many", limit: 7 }],
      occurrences: -1,
      periodicity: null,
      frequency: Number.NaN
    }
    const granted = Result.getOrThrow(of({ throttling: false, recurring: false, ...nonsense }))
    expect(granted).toMatchObject({ throttling: [], recurrence: null })
    expect(fieldOf({ throttling: false, thresholds: [] })).toBeNull()
  })

  it.each([
    ["0", "Daily"],
    ["1", "Weekly"],
    ["2", "Monthly"]
  ])("periodicity %s is %s", (periodicity, name) => {
    expect(Result.getOrThrow(of({ periodicity })).recurrence?.periodicity).toBe(name)
  })

  it.each(["128", "256", "384", "512", "1024", "3072", "5120", "7680", "10240", "20480"])(
    "a limit of %s Kbit/s is one of the interface's",
    (limit) => {
      expect(fieldOf(limited(limit))).toBeNull()
    }
  )
})

describe("Terms are refused by field (P1)", () => {
  const wholeNumbers = [
    ["dataMegaBytes", 2_147_483_647],
    ["periodDays", 3_660],
    ["occurrences", 1_000]
  ] as const

  it.each(wholeNumbers)("%s is an integer from 1 to %i", (field, maximum) => {
    const short = { periodicity: "0", frequency: 1 }
    for (const right of [1, 2, maximum - 1, maximum]) expect(fieldOf({ ...short, [field]: right })).toBeNull()
    for (const wrong of [0, -1, maximum + 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(fieldOf({ ...short, [field]: wrong })).toBe(field)
    }
  })

  it.each(["12", null, undefined, true, [12]])("occurrences is a number, not %j", (occurrences) => {
    expect(fieldOf({ occurrences })).toBe("occurrences")
  })

  it.each([0, -1, 0.5, Number.NaN, "1", null, undefined])(
    "frequency is an integer of at least 1, not %j",
    (frequency) => {
      expect(fieldOf({ frequency })).toBe("frequency")
    }
  )

  it.each(["3", "-1", "", "00", "Daily", 0, 2, null, undefined])(
    "periodicity is 0, 1 or 2 as text, not %j",
    (other) => {
      expect(fieldOf({ periodicity: other })).toBe("periodicity")
    }
  )

  it.each(["", " ", "\t\n"])("name is not empty: %j", (name) => {
    expect(fieldOf({ name })).toBe("name")
  })

  it.each(["32", "64", "100", "0", "", " 128", 128, null, undefined])("a limit is not %j", (limit) => {
    expect(fieldOf(limited(limit))).toBe("throttlingThreshold1Limit")
  })

  it("each threshold and limit is named as its own", () => {
    const [first, second, third] = termsRequest().thresholds ?? []
    const bad = { percentage: 0, limit: "1" }
    expect(fieldOf({ thresholds: [] })).toBe("throttlingThreshold1Percentage")
    expect(fieldOf({ thresholds: [first ?? bad] })).toBe("throttlingThreshold2Percentage")
    expect(fieldOf({ thresholds: [first ?? bad, second ?? bad] })).toBe("throttlingThreshold3Percentage")
    expect(fieldOf({ thresholds: [first ?? bad, { percentage: 80, limit: "1" }, third ?? bad] })).toBe(
      "throttlingThreshold2Limit"
    )
    expect(fieldOf({ thresholds: [first ?? bad, second ?? bad, { percentage: 90, limit: undefined }] })).toBe(
      "throttlingThreshold3Limit"
    )
  })

  it("percentages are integers from 1 to 100", () => {
    expect(fieldOf(steps(1, 2, 100))).toBeNull()
    expect(fieldOf(steps(98, 99, 100))).toBeNull()
    for (const wrong of [0, -1, 0.5, 101, "50", null]) {
      expect(fieldOf(steps(wrong, 60, 70))).toBe("throttlingThreshold1Percentage")
    }
    expect(fieldOf(steps(1, 2, 101))).toBe("throttlingThreshold3Percentage")
  })

  it("and strictly rise", () => {
    expect(fieldOf(steps(50, 50, 70))).toBe("throttlingThreshold2Percentage")
    expect(fieldOf(steps(50, 49, 70))).toBe("throttlingThreshold2Percentage")
    expect(fieldOf(steps(50, 60, 60))).toBe("throttlingThreshold3Percentage")
  })
})

describe("Terms end before the year 10000 (P1)", () => {
  const end = instant(10_000, 1, 1)
  const lasting = { throttling: false, recurring: true, periodicity: "0" as const, frequency: 1, occurrences: 1 }

  it("the last millisecond of 9999 is inside, the next is not", () => {
    const now = end - 30 * DAY_MS
    expect(fieldOf({ ...lasting, periodDays: 30 }, now - 1)).toBeNull()
    expect(fieldOf({ ...lasting, periodDays: 30 }, now)).toBe("frequency")
  })

  it("which holds for a plan that does not recur, too", () => {
    const now = end - 30 * DAY_MS
    expect(fieldOf({ throttling: false, recurring: false, periodDays: 30 }, now - 1)).toBeNull()
    expect(fieldOf({ throttling: false, recurring: false, periodDays: 30 }, now)).toBe("periodDays")
  })

  it.each(["0", "1", "2"])("periodicity %s reaches no further, however rare", (periodicity) => {
    for (const frequency of [1e6, 1e9, 1e12, Number.MAX_SAFE_INTEGER]) {
      expect(fieldOf({ ...lasting, periodicity, frequency, occurrences: 1_000 })).toBe("frequency")
    }
  })

  it("a frequency that is never waited for is any integer", () => {
    expect(fieldOf({ ...lasting, frequency: Number.MAX_SAFE_INTEGER, occurrences: 1 })).toBeNull()
  })
})

describe("The coverage profile (W8)", () => {
  it("that is not there is told once the fields are right", () => {
    const refusal = (changes: Partial<Plan.TermsRequest>) =>
      Result.getOrThrow(Result.flip(Plan.terms(termsRequest(changes), null, NOW)))
    expect(refusal({})).toMatchObject({ _tag: "NotFound", resource: "coverage profile", id: "coverage" })
    expect(refusal({ periodDays: 0 })).toMatchObject({ _tag: "InvalidField", field: "periodDays" })
  })
})

describe("A plan's allowance (T1)", () => {
  it("is exact to the byte, a megabyte being 1,048,576 of them", () => {
    expect(Plan.allowanceBytes(terms({ dataMegaBytes: 1 }))).toBe(1_048_576)
    expect(BigInt(Plan.allowanceBytes(terms({ dataMegaBytes: 2_147_483_647 })))).toBe(2_147_483_647n * 1_048_576n)
  })
})
