/**
 * Random books of a SIM and of its telco (rule U1): bytes move to the day and country in which the
 * telco has them, never leave their attachment, and are nowhere taken that were not there; what
 * moves once does not move again.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as UsageBook from "../../src/domain/UsageBook.ts"
import * as Reconciling from "../../src/domain/UsageReconciliation.ts"
import { DAY_MS } from "../domain/Calendar.ts"
import { NOW } from "../domain/Values.ts"

const TODAY = UsageBook.dayOf(NOW)
const days = [TODAY - 3 * DAY_MS, TODAY - 2 * DAY_MS, TODAY - DAY_MS]
const countries = [null, "DE", "FR"]

const places = fc.record({ day: fc.constantFrom(...days, TODAY), countryAlpha2: fc.constantFrom(...countries) })

const entries: fc.Arbitrary<ReadonlyArray<UsageBook.SimEntry>> = fc
  .array(fc.tuple(places, fc.constantFrom("a", "b", "gone"), fc.integer({ min: 1, max: 100 })), { maxLength: 12 })
  .map((all) => [
    ...new Map(
      all.map(([place, attachmentId, bytes]) => [keyOf({ ...place, attachmentId }), { ...place, attachmentId, bytes }])
    ).values()
  ])

const used: fc.Arbitrary<ReadonlyArray<Reconciling.Used>> = fc
  .array(fc.tuple(fc.constantFrom(...days), fc.constantFrom(...countries), fc.integer({ min: 1, max: 150 })), {
    maxLength: 8
  })
  .map((all) => [
    ...new Map(
      all.map(([day, countryAlpha2, bytes]) => [`${day} ${countryAlpha2}`, { day, countryAlpha2, bytes }])
    ).values()
  ])

const sinces = fc.tuple(fc.constantFrom(...days), fc.constantFrom(...days)).map(
  ([a, b]) =>
    new Map([
      ["a", a],
      ["b", b]
    ])
)

const books = fc.tuple(used, fc.nat({ max: 100 }), fc.nat({ max: 50 })).map(
  ([used, least, more]): Reconciling.TelcoBook => ({
    from: days[0] ?? TODAY,
    until: TODAY,
    used,
    since: { least, most: least + more }
  })
)

function keyOf({ attachmentId, countryAlpha2, day }: Omit<UsageBook.SimEntry, "bytes">): string {
  return `${attachmentId} ${day} ${countryAlpha2}`
}

/** The entries after what is moved. */
const written = (before: ReadonlyArray<UsageBook.SimEntry>, { moved }: Reconciling.Reconciled) => {
  const all = new Map(before.map((entry) => [keyOf(entry), entry]))
  for (const entry of moved) {
    const bytes = (all.get(keyOf(entry))?.bytes ?? 0) + entry.bytes
    if (bytes === 0) all.delete(keyOf(entry))
    else all.set(keyOf(entry), { ...entry, bytes })
  }
  return [...all.values()]
}

const sum = (all: ReadonlyArray<{ readonly bytes: number }>): number =>
  all.reduce((total, { bytes }) => total + bytes, 0)

const byPlace = (all: ReadonlyArray<Pick<UsageBook.SimEntry, "day" | "countryAlpha2" | "bytes">>) => {
  const sums = new Map<string, number>()
  for (const { bytes, countryAlpha2, day } of all) {
    const key = `${day} ${countryAlpha2}`
    sums.set(key, (sums.get(key) ?? 0) + bytes)
  }
  return Object.fromEntries([...sums].sort(([left], [right]) => (left < right ? -1 : 1)))
}

describe("A reconciliation of usage (U1)", () => {
  it("keeps the sum of each attachment, takes nothing that is not there, and leaves those of others as they are", () => {
    fc.assert(
      fc.property(entries, sinces, books, (before, since, book) => {
        const reconciled = Reconciling.reconcile(before, since, book)
        const next = written(before, reconciled)
        for (const attachmentId of ["a", "b", "gone"]) {
          const of = (all: ReadonlyArray<UsageBook.SimEntry>) => all.filter((one) => one.attachmentId === attachmentId)
          expect(sum(of(next))).toBe(sum(of(before)))
        }
        for (const { bytes } of next) expect(bytes).toBeGreaterThan(0)
        for (const { attachmentId, day } of reconciled.moved.filter(({ bytes }) => bytes > 0))
          expect(day ?? 0).toBeGreaterThanOrEqual(since.get(attachmentId) ?? Number.POSITIVE_INFINITY)
      })
    )
  })

  it("returns exactly the days whose totals are others afterwards, with both figures", () => {
    fc.assert(
      fc.property(entries, sinces, books, (before, since, book) => {
        const reconciled = Reconciling.reconcile(before, since, book)
        const next = written(before, reconciled)
        const expected = days
          .map((day) => ({
            day,
            booked: sum(next.filter((one) => one.day === day)),
            telco: sum(book.used.filter((one) => one.day === day))
          }))
          .filter(({ booked, telco }) => booked !== telco)
        expect(reconciled.differences).toEqual(expected)
      })
    )
  })

  it("moves nothing a second time", () => {
    fc.assert(
      fc.property(entries, books, (before, book) => {
        const since = new Map(["a", "b"].map((one) => [one, days[0] ?? TODAY]))
        const first = Reconciling.reconcile(before, since, book)
        const second = Reconciling.reconcile(written(before, first), since, book)
        expect(second).toEqual({ moved: [], differences: first.differences })
      })
    )
  })

  it("makes both books equal by day and country, whatever was guessed, where no bytes are missing", () => {
    const guesses = fc.array(
      fc.record({
        day: fc.constantFrom(...days, TODAY),
        countryAlpha2: fc.constantFrom("DE", "FR"),
        guessed: fc.constantFrom(...countries),
        /**
         * A poll finds it on its day or a later one; a clock that is behind has it on the day
         * before.
         */
        shift: fc.constantFrom(0, 0, 1, 2, -1),
        attachmentId: fc.constantFrom("a", "b", "c"),
        bytes: fc.integer({ min: 1, max: 100 })
      }),
      { maxLength: 20 }
    )
    const since = new Map(["a", "b", "c"].map((one, index) => [one, days[index] ?? TODAY]))
    const bornOn = (attachmentId: string): number => since.get(attachmentId) ?? TODAY
    const possible = guesses.map((all) =>
      all.map((one) => ({ ...one, day: Math.max(one.day, bornOn(one.attachmentId)) }))
    )
    fc.assert(
      fc.property(possible, (all) => {
        const ours = new Map<string, UsageBook.SimEntry>()
        for (const { attachmentId, bytes, day, guessed, shift } of all) {
          const on = Math.max(bornOn(attachmentId), Math.min(TODAY, day + shift * DAY_MS))
          const entry = { attachmentId, day: on, countryAlpha2: guessed, bytes }
          ours.set(keyOf(entry), { ...entry, bytes: bytes + (ours.get(keyOf(entry))?.bytes ?? 0) })
        }
        const over = all.filter(({ day }) => day < TODAY)
        const cells = new Map<string, Reconciling.Used>()
        for (const { bytes, countryAlpha2, day } of over) {
          const key = `${day} ${countryAlpha2}`
          cells.set(key, { day, countryAlpha2, bytes: bytes + (cells.get(key)?.bytes ?? 0) })
        }
        const now = sum(all.filter(({ day }) => day === TODAY))
        const book = {
          from: days[0] ?? TODAY,
          until: TODAY,
          used: [...cells.values()],
          since: { least: now, most: now }
        }
        const reconciled = Reconciling.reconcile([...ours.values()], since, book)
        const next = written([...ours.values()], reconciled)
        expect(reconciled.differences).toEqual([])
        expect(byPlace(next.filter(({ day }) => day !== TODAY))).toEqual(byPlace(over))
        expect(sum(next.filter(({ day }) => day === TODAY))).toBe(now)
      })
    )
  })

  it("lists each day that cannot be compared, with all that our book has of it, and moves nothing of it", () => {
    const place = fc.nat({ max: 3 })
    fc.assert(
      fc.property(entries, sinces, books, place, place, (before, since, book, one, other) => {
        const [wanted, from] = [TODAY - Math.max(one, other) * DAY_MS, TODAY - Math.min(one, other) * DAY_MS]
        const cut = { ...book, wanted, from, used: book.used.filter(({ day }) => day >= from) }
        const unread = Reconciling.unread(before, cut)
        const expected = days.filter((day) => day >= wanted && day < from)
        expect(unread).toEqual(
          expected.map((day) => ({ day, booked: sum(before.filter((entry) => entry.day === day)) }))
        )
        const reconciled = Reconciling.reconcile(before, since, cut)
        const compared = [...reconciled.moved, ...reconciled.differences]
        expect(compared.filter(({ day }) => day !== null && day < from)).toEqual([])
      })
    )
  })

  it("ends soon for 35 days, however bytes would have to go from day to day", () => {
    const MOST = 35
    const dayOf = (place: number) => TODAY - (MOST - place) * DAY_MS
    const place = fc.nat({ max: MOST })
    const bytes = fc.integer({ min: 1, max: 100 })
    const entry = fc.tuple(place, fc.constantFrom(..."abcdef"), bytes)
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 40, maxLength: 120 }),
        fc.array(fc.tuple(fc.nat({ max: MOST - 1 }), bytes), { minLength: 20, maxLength: 60 }),
        fc.array(place, { minLength: 6, maxLength: 6 }),
        (booked, charged, born) => {
          const ours = new Map<string, UsageBook.SimEntry>()
          for (const [on, attachmentId, bytes] of booked) {
            const one = { attachmentId, day: dayOf(on), countryAlpha2: null, bytes }
            ours.set(keyOf(one), one)
          }
          const theirs = new Map(
            charged.map(([on, bytes]) => [on, { day: dayOf(on), countryAlpha2: null, bytes: bytes * 4 }])
          )
          const since = new Map(born.map((on, index) => ["abcdef"[index] ?? "", dayOf(on)]))
          const book = { from: dayOf(0), until: TODAY, used: [...theirs.values()], since: { least: 0, most: 0 } }
          const entries = [...ours.values()]
          const reconciled = Reconciling.reconcile(entries, since, book)
          expect(sum(written(entries, reconciled))).toBe(sum(entries))
        }
      ),
      { numRuns: 50 }
    )
  })
})
