/**
 * What moves where a telco keeps a book of usage of its own (rule U1), and what does not.
 */
import { describe, expect, it } from "vitest"
import * as UsageBook from "../../src/domain/UsageBook.ts"
import { reconcile, type TelcoBook } from "../../src/domain/UsageReconciliation.ts"
import { DAY_MS } from "./Calendar.ts"
import { NOW } from "./Values.ts"

const TODAY = UsageBook.dayOf(NOW)
const YESTERDAY = TODAY - DAY_MS

const entry = (day: number | null, countryAlpha2: string | null, bytes: number, attachmentId = "a") => ({
  attachmentId,
  day,
  countryAlpha2,
  bytes
})

const book = (used: TelcoBook["used"], least = 0, most = least): TelcoBook => ({
  from: YESTERDAY,
  until: TODAY,
  used,
  since: { least, most }
})

const there = new Map([
  ["a", YESTERDAY],
  ["b", YESTERDAY]
])

describe("A reconciliation of usage (U1)", () => {
  it("leaves what is where the telco has it", () => {
    const ours = [entry(null, null, 9), entry(YESTERDAY, "FR", 5), entry(TODAY, null, 3)]
    expect(reconcile(ours, there, book([{ day: YESTERDAY, countryAlpha2: "FR", bytes: 5 }], 3))).toEqual({
      moved: [],
      differences: []
    })
  })

  it("replaces the countries that were guessed, and no more of them than is wrong", () => {
    const telco = book([
      { day: YESTERDAY, countryAlpha2: "DE", bytes: 4 },
      { day: YESTERDAY, countryAlpha2: "FR", bytes: 6 }
    ])
    const ours = [entry(YESTERDAY, null, 2), entry(YESTERDAY, "FR", 8, "b")]
    expect(reconcile(ours, there, telco)).toEqual({
      moved: [
        entry(YESTERDAY, null, -2),
        entry(YESTERDAY, "DE", 2),
        entry(YESTERDAY, "DE", 2, "b"),
        entry(YESTERDAY, "FR", -2, "b")
      ],
      differences: []
    })
  })

  it("takes back what a poll has found after midnight, and not what was used since", () => {
    const telco = book([{ day: YESTERDAY, countryAlpha2: "FR", bytes: 10 }], 3, 4)
    expect(reconcile([entry(YESTERDAY, "FR", 6), entry(TODAY, "FR", 7)], there, telco)).toEqual({
      moved: [entry(YESTERDAY, "FR", 4), entry(TODAY, "FR", -4)],
      differences: []
    })
    expect(reconcile([entry(YESTERDAY, "FR", 6), entry(TODAY, "FR", 5)], there, telco)).toEqual({
      moved: [entry(YESTERDAY, "FR", 2), entry(TODAY, "FR", -2)],
      differences: [{ day: YESTERDAY, booked: 8, telco: 10 }]
    })
  })

  it("moves on what the telco has after midnight, and not what it has nowhere", () => {
    const telco = book([{ day: YESTERDAY, countryAlpha2: "FR", bytes: 10 }], 3, 4)
    expect(reconcile([entry(YESTERDAY, "FR", 12), entry(TODAY, "FR", 2)], there, telco)).toEqual({
      moved: [entry(YESTERDAY, "FR", -2), entry(TODAY, "FR", 2)],
      differences: []
    })
    expect(reconcile([entry(YESTERDAY, "FR", 12), entry(TODAY, "FR", 4)], there, telco)).toEqual({
      moved: [],
      differences: [{ day: YESTERDAY, booked: 12, telco: 10 }]
    })
  })

  it("leaves the bytes of older attachments for earlier days", () => {
    const telco = book(
      [
        { day: YESTERDAY, countryAlpha2: "FR", bytes: 5 },
        { day: YESTERDAY - DAY_MS, countryAlpha2: "DE", bytes: 5 }
      ],
      0
    )
    const since = new Map([
      ["a", YESTERDAY - DAY_MS],
      ["young", YESTERDAY]
    ])
    const ours = [entry(TODAY, "IT", 5), entry(TODAY, "IT", 5, "young")]
    expect(reconcile(ours, since, { ...telco, from: YESTERDAY - DAY_MS })).toEqual({
      moved: [
        entry(YESTERDAY - DAY_MS, "DE", 5),
        entry(YESTERDAY, "FR", 5, "young"),
        entry(TODAY, "IT", -5),
        entry(TODAY, "IT", -5, "young")
      ],
      differences: []
    })
  })

  it("moves the bytes of the youngest attachment first", () => {
    const since = new Map([
      ["a", YESTERDAY - DAY_MS],
      ["young", YESTERDAY]
    ])
    const telco = book([{ day: YESTERDAY, countryAlpha2: "FR", bytes: 5 }], 5)
    expect(reconcile([entry(TODAY, "FR", 5), entry(TODAY, "FR", 5, "young")], since, telco)).toEqual({
      moved: [entry(YESTERDAY, "FR", 5, "young"), entry(TODAY, "FR", -5, "young")],
      differences: []
    })
  })

  it("moves nothing of an attachment that is gone, nor to a day before an attachment was there", () => {
    const telco = book([{ day: YESTERDAY, countryAlpha2: "FR", bytes: 5 }])
    const since = new Map([["new", TODAY]])
    expect(reconcile([entry(YESTERDAY, null, 5, "gone"), entry(TODAY, null, 5, "new")], since, telco)).toEqual({
      moved: [],
      differences: []
    })
    expect(reconcile([entry(TODAY, null, 5, "new")], since, telco).differences).toEqual([
      { day: YESTERDAY, booked: 0, telco: 5 }
    ])
  })
})
