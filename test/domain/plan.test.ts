/**
 * Plans: a wrong field is refused by its name, and bounds are exact (rule P1); archiving,
 * unarchiving and deleting (rule P2).
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Plan from "../../src/domain/Plan.ts"
import * as Recurrence from "../../src/domain/Recurrence.ts"
import { DAY_MS, instant } from "./Calendar.ts"
import { NOW, termsRequest, plan } from "./Values.ts"

const coverage = { regionCode: "EUROPE", label: "Voilet" } as const
const of = (changes: Partial<Plan.TermsRequest>, now = NOW) => Plan.terms(termsRequest(changes), coverage, now)
const fieldOf = (changes: Partial<Plan.TermsRequest>, now = NOW): string | null =>
  Result.match(of(changes, now), {
    onSuccess: () => null,
    onFailure: (refusal) => (refusal._tag === "InvalidField" ? refusal.field : refusal._tag)
  })

const steps = (...percentages: ReadonlyArray<number>) => ({
  throttling: percentages.map((percentage) => ({ percentage, limit: "128" }) as const)
})
const daily = { periodicity: "Daily", frequency: 1, occurrences: 12 } as const

describe("Terms are granted as requested (P1)", () => {
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

  it("without throttling and recurrence", () => {
    const granted = Result.getOrThrow(of({ throttling: [], recurrence: null }))
    expect(granted).toMatchObject({ throttling: [], recurrence: null })
  })

  it.each(Recurrence.periodicities)("with a periodicity of %s", (periodicity) => {
    expect(Result.getOrThrow(of({ recurrence: { ...daily, periodicity } })).recurrence?.periodicity).toBe(periodicity)
  })
})

describe("Terms are refused by field (P1)", () => {
  const wholeNumbers = [
    ["dataMegaBytes", 2_147_483_647, (value: number) => ({ dataMegaBytes: value })],
    ["periodDays", 3_660, (value: number) => ({ periodDays: value })],
    ["occurrences", 1_000, (value: number) => ({ recurrence: { ...daily, occurrences: value } })]
  ] as const

  it.each(wholeNumbers)("%s is an integer from 1 to %i", (field, maximum, changes) => {
    for (const right of [1, 2, maximum - 1, maximum])
      expect(fieldOf({ recurrence: daily, ...changes(right) })).toBeNull()
    for (const wrong of [0, -1, maximum + 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(fieldOf({ recurrence: daily, ...changes(wrong) })).toBe(field)
    }
  })

  it.each([0, -1, 0.5, Number.NaN])("frequency is an integer of at least 1, not %j", (frequency) => {
    expect(fieldOf({ recurrence: { ...daily, frequency } })).toBe("frequency")
  })

  it.each(["", " ", "\t\n"])("name is not empty: %j", (name) => {
    expect(fieldOf({ name })).toBe("name")
  })

  it("percentages of alerts are 1 to 100, up to ten, and taken once each in rising order (U2)", () => {
    expect(Result.getOrThrow(of({ alertThresholds: [100, 1, 50, 1] })).alertThresholds).toEqual([1, 50, 100])
    expect(Result.getOrThrow(of({ alertThresholds: [] })).alertThresholds).toEqual([])
    expect(Result.getOrThrow(of({}))).not.toHaveProperty("alertThresholds")
    for (const wrong of [0, 101, -1, 1.5, Number.NaN]) {
      expect(fieldOf({ alertThresholds: [50, wrong] })).toBe("alertThresholds")
    }
    expect(fieldOf({ alertThresholds: Array.from({ length: 10 }, (_, index) => index + 1) })).toBeNull()
    expect(fieldOf({ alertThresholds: Array.from({ length: 11 }, (_, index) => index + 1) })).toBe("alertThresholds")
  })

  it("there are three thresholds, or none", () => {
    expect(fieldOf(steps())).toBeNull()
    expect(fieldOf(steps(10))).toBe("throttling")
    expect(fieldOf(steps(10, 20))).toBe("throttling")
    expect(fieldOf(steps(10, 20, 30, 40))).toBe("throttling")
  })

  it("percentages are integers from 1 to 100", () => {
    expect(fieldOf(steps(1, 2, 100))).toBeNull()
    expect(fieldOf(steps(98, 99, 100))).toBeNull()
    for (const wrong of [0, -1, 0.5, 101, Number.NaN]) {
      expect(fieldOf(steps(wrong, 60, 70))).toBe("throttlingThreshold1Percentage")
    }
    expect(fieldOf(steps(1, 2, 101))).toBe("throttlingThreshold3Percentage")
  })

  it("percentages rise strictly", () => {
    expect(fieldOf(steps(50, 50, 70))).toBe("throttlingThreshold2Percentage")
    expect(fieldOf(steps(50, 49, 70))).toBe("throttlingThreshold2Percentage")
    expect(fieldOf(steps(50, 60, 60))).toBe("throttlingThreshold3Percentage")
  })
})

describe("Terms end before the year 10000 (P1)", () => {
  const end = instant(10_000, 1, 1)
  const lasting = { throttling: [], recurrence: { ...daily, occurrences: 1 } }

  it("the last millisecond of 9999 is inside, the next is not", () => {
    const now = end - 30 * DAY_MS
    expect(fieldOf({ ...lasting, periodDays: 30 }, now - 1)).toBeNull()
    expect(fieldOf({ ...lasting, periodDays: 30 }, now)).toBe("frequency")
  })

  it("the same holds for a non-recurring plan", () => {
    const now = end - 30 * DAY_MS
    expect(fieldOf({ throttling: [], recurrence: null, periodDays: 30 }, now - 1)).toBeNull()
    expect(fieldOf({ throttling: [], recurrence: null, periodDays: 30 }, now)).toBe("periodDays")
  })

  it.each(Recurrence.periodicities)("and for a rare periodicity of %s", (periodicity) => {
    for (const frequency of [1e6, 1e9, 1e12, Number.MAX_SAFE_INTEGER]) {
      expect(fieldOf({ throttling: [], recurrence: { periodicity, frequency, occurrences: 1_000 } })).toBe("frequency")
    }
  })

  it("with one occurrence any frequency is valid", () => {
    expect(
      fieldOf({ throttling: [], recurrence: { ...daily, frequency: Number.MAX_SAFE_INTEGER, occurrences: 1 } })
    ).toBeNull()
  })
})

describe("The coverage profile (W8)", () => {
  it("is checked after the fields: an unknown one is not found", () => {
    const refusal = (changes: Partial<Plan.TermsRequest>) =>
      Result.getOrThrow(Result.flip(Plan.terms(termsRequest(changes), null, NOW)))
    expect(refusal({})).toMatchObject({ _tag: "NotFound", resource: "coverage profile", id: "coverage" })
    expect(refusal({ periodDays: 0 })).toMatchObject({ _tag: "InvalidField", field: "periodDays" })
  })
})

describe("What a plan is sold for (P7)", () => {
  const asked = (amount: string | null, currency: string | null) => Plan.amountOf({ field: "price", amount, currency })

  it("is an exact decimal of a currency, or nothing", () => {
    expect(asked(null, null)).toEqual(Result.succeed(null))
    expect(asked("19.90", "SEK")).toEqual(Result.succeed({ units: 1990, scale: 2, currency: "SEK" }))
    expect(asked("0", "EUR")).toEqual(Result.succeed({ units: 0, scale: 0, currency: "EUR" }))
    expect(asked("0.000001", "EUR")).toEqual(Result.succeed({ units: 1, scale: 6, currency: "EUR" }))
  })

  it.each([
    ["19.90", null, "currency"],
    ["19.90", "sek", "currency"],
    ["19.90", "SEKK", "currency"],
    [null, "SEK", "price"],
    ["19,90", "SEK", "price"],
    ["", "SEK", "price"],
    ["1e3", "SEK", "price"],
    ["0.0000001", "SEK", "price"],
    ["9007199254740993", "SEK", "price"],
    ["-0.01", "SEK", "price"]
  ])("is refused where it is %j of %j, for its %s", (amount, currency, field) => {
    expect(Result.getOrThrow(Result.flip(asked(amount, currency)))).toMatchObject({ _tag: "InvalidField", field })
  })

  it("changes nothing else of it, and is in the words of the audit log (W11)", () => {
    const price = { units: 1990, scale: 2, currency: "SEK" }
    const sold = plan({ metadata: "article 1200" })
    expect(Plan.priced(sold, price)).toEqual({ ...sold, price })
    expect(Plan.priced(Plan.priced(sold, price), null)).toEqual(sold)
    expect(Plan.facts(Plan.priced(sold, price))).toMatchObject({ price: "19.90 SEK" })
    expect(Plan.facts(sold)).toMatchObject({ price: null })
  })
})

describe("A plan exists (P2)", () => {
  it("while it is live, and while it is archived", () => {
    for (const one of [plan(), plan({ archivedAt: NOW })]) {
      expect(Result.getOrThrow(Plan.existing(one, "plan"))).toBe(one)
    }
  })

  it("neither after it was deleted, archived or not, nor if there is none", () => {
    const gone = [null, plan({ deletedAt: NOW }), plan({ archivedAt: NOW, deletedAt: NOW })]
    for (const one of gone) {
      expect(Result.getOrThrow(Result.flip(Plan.existing(one, "p-1")))).toMatchObject({
        _tag: "NotFound",
        resource: "plan",
        id: "p-1"
      })
    }
  })
})

describe("Archiving a plan (P2)", () => {
  it("notes the first instant, and changes nothing else", () => {
    expect(Plan.archived(plan(), NOW)).toEqual(plan({ archivedAt: NOW }))
    expect(Plan.archived(plan({ archivedAt: NOW }), NOW + 1)).toEqual(plan({ archivedAt: NOW }))
  })

  it("is undone by unarchiving, which does not change a live plan", () => {
    expect(Plan.unarchived(plan({ archivedAt: NOW }))).toEqual(plan())
    expect(Plan.unarchived(plan())).toEqual(plan())
  })
})

describe("Deleting a plan (P2)", () => {
  it("notes the instant, and changes nothing else", () => {
    expect(Plan.deleted(plan({ archivedAt: NOW }), NOW + 1)).toEqual(plan({ archivedAt: NOW, deletedAt: NOW + 1 }))
  })
})
