/**
 * The book of usage (rule U1): what a report adds to it, for which days it can be asked, and how it
 * is summed.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import * as UsageBook from "../../src/domain/UsageBook.ts"
import { DAY_MS } from "./Calendar.ts"
import { aggregate, attached, delta, firstUse, ICCID, NOW, report, total } from "./Values.ts"

const TODAY = UsageBook.dayOf(NOW)

const used = (usedBytes: number) => [
  attached({ createdAt: NOW - 50 * DAY_MS }, [
    { activationAt: NOW - 40 * DAY_MS, expirationAt: NOW + DAY_MS, usedBytes }
  ])
]

const booked = (fact: TelcoReport.Fact, occurredAt = NOW, of = aggregate(used(100))) =>
  Result.getOrThrow(TelcoReport.apply(of, report(fact, occurredAt), NOW)).usage

const inCountry = (fact: TelcoReport.Fact, countryAlpha2: string | null): TelcoReport.Fact =>
  fact._tag === "Usage" ? { ...fact, countryAlpha2 } : fact

describe("A report adds to the book (U1)", () => {
  it("what it raises the total by", () => {
    expect(booked(total(130)).map(({ bytes }) => bytes)).toEqual([30])
    expect(booked(delta(30)).map(({ bytes }) => bytes)).toEqual([30])
  })

  it("nothing if it raises nothing", () => {
    for (const fact of [total(100), total(99), delta(0), firstUse()]) expect(booked(fact)).toEqual([])
    expect(booked(delta(1), NOW, aggregate(used(Number.MAX_SAFE_INTEGER)))).toEqual([])
  })

  it("to the SIM and the attachment, with its plan and label", () => {
    const [entry] = booked(total(130))
    expect(entry).toEqual({
      organizationId: "organization",
      iccid: ICCID,
      attachmentId: "attachment",
      planId: "plan",
      label: "Green",
      day: TODAY,
      countryAlpha2: null,
      bytes: 30
    })
  })

  it("on the UTC day at which it happened, from midnight to midnight", () => {
    const days = [TODAY - 1, TODAY, TODAY - 3 * DAY_MS].map((at) => booked(total(130), at).map(({ day }) => day))
    expect(days).toEqual([[TODAY - DAY_MS], [TODAY], [TODAY - 3 * DAY_MS]])
    expect(UsageBook.dayOf(-1)).toBe(-DAY_MS)
  })

  it("in its own country, else where the SIM was then, else in none", () => {
    const location = { countryAlpha2: "SE", operator: "Telia", rat: "5G", imei: "1", at: NOW - 5 }
    const of = aggregate(used(100), { location })
    const countries = [
      booked(inCountry(total(130), "NO"), NOW, of),
      booked(inCountry(total(130), null), NOW, of),
      booked(total(130), NOW - 5, of),
      booked(total(130), NOW - 6, of),
      booked(total(130))
    ].map(([entry]) => entry?.countryAlpha2)
    expect(countries).toEqual(["NO", "SE", "SE", null, null])
  })

  it.each(["no", "N", "NOR", "", "N1"])("and none of a country %j", (country) => {
    const applied = TelcoReport.apply(aggregate(used(100)), report(inCountry(total(130), country)), NOW)
    expect(applied).toEqual(Result.fail({ field: "countryAlpha2", message: "must be an ISO 3166 alpha-2 code" }))
  })
})

describe("The days that are asked for (U1)", () => {
  const asked = (from?: string, to?: string) => UsageBook.days({ from, to }, Date.UTC(2026, 10, 26, 23, 59))
  const day = (text: string) => Date.parse(`${text}T00:00:00Z`)

  it("are both included, in UTC", () => {
    expect(asked("2026-11-01", "2026-11-30")).toEqual(
      Result.succeed({ from: day("2026-11-01"), until: day("2026-12-01") })
    )
    expect(asked("2026-11-01", "2026-11-01")).toEqual(
      Result.succeed({ from: day("2026-11-01"), until: day("2026-11-02") })
    )
  })

  it("are the last 30 unless they are named", () => {
    expect(asked()).toEqual(Result.succeed({ from: day("2026-10-28"), until: day("2026-11-27") }))
    expect(asked("2026-11-20")).toEqual(Result.succeed({ from: day("2026-11-20"), until: day("2026-11-27") }))
    expect(asked(undefined, "2026-01-30")).toEqual(
      Result.succeed({ from: day("2026-01-01"), until: day("2026-01-31") })
    )
  })

  it("are 400 at most", () => {
    expect(Result.isSuccess(asked("2025-01-01", "2026-02-04"))).toBe(true)
    expect(asked("2025-01-01", "2026-02-05")).toEqual(
      Result.fail({ field: "to", message: "must be within 400 days of from" })
    )
  })

  it("are dates that there are, in order", () => {
    const wrong = { field: "from", message: "must be a day, such as 2026-11-30" }
    for (const from of ["2026-02-29", "2026-11", "20261101", "2026-11-01T00:00:00Z", "x", ""]) {
      expect(asked(from, "2026-11-30")).toEqual(Result.fail(wrong))
    }
    expect(asked("2026-11-01", "2026-13-01")).toEqual(Result.fail({ ...wrong, field: "to" }))
    expect(asked("2026-11-02", "2026-11-01")).toEqual(Result.fail({ field: "to", message: "must not be before from" }))
  })
})

describe("Usage is kept (U1)", () => {
  it("by whole months, for at least as long as it is to be kept", () => {
    const kept = UsageBook.keptFrom(Date.UTC(2026, 10, 26, 12), 400 * DAY_MS)
    expect(UsageBook.dateOf(kept)).toBe("2025-10-01")
  })
})

describe("Usage is listed (U1)", () => {
  const entry = (day: number | null, countryAlpha2: string | null, attachmentId: string, bytes: number) => ({
    day,
    countryAlpha2,
    attachmentId,
    bytes
  })
  const entries = [
    entry(null, null, "a", 1),
    entry(0, null, "a", 2),
    entry(0, "FR", "a", 4),
    entry(0, "FR", "b", 8),
    entry(DAY_MS, "FR", "a", 16)
  ]
  const listed = (by: ReadonlyArray<UsageBook.SimGroup>) => {
    const sums = UsageBook.sums(by)
    return [...entries.flatMap((one) => sums.add([one])), ...sums.end()]
  }

  it("by day, what was used before the book began first", () => {
    expect(listed(["day"])).toEqual([
      { day: null, bytes: 1 },
      { day: 0, bytes: 14 },
      { day: DAY_MS, bytes: 16 }
    ])
  })

  it("by day and country", () => {
    expect(listed(["country", "day"])).toEqual([
      { day: null, countryAlpha2: null, bytes: 1 },
      { day: 0, countryAlpha2: null, bytes: 2 },
      { day: 0, countryAlpha2: "FR", bytes: 12 },
      { day: DAY_MS, countryAlpha2: "FR", bytes: 16 }
    ])
  })

  it("by country or by attachment, without what has no day", () => {
    expect(listed(["country"])).toEqual([
      { countryAlpha2: null, bytes: 2 },
      { countryAlpha2: "FR", bytes: 28 }
    ])
    expect(listed(["attachment"])).toEqual([
      { attachmentId: "a", bytes: 22 },
      { attachmentId: "b", bytes: 8 }
    ])
  })
})
