/**
 * A history that is read in pages has all that happened once and in order (rule L3), however far
 * each book is read at a time.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as UsageBook from "../../src/domain/UsageBook.ts"
import * as SimHistory from "../../src/domain/SimHistory.ts"
import * as Values from "../domain/Values.ts"

/** A book that is read by position: audit entries, or deliveries. */
const book = fc.uniqueArray(
  fc.record({ at: fc.integer({ min: 0, max: 6 }), id: fc.integer({ min: 10, max: 99 }).map(String) }),
  { selector: ({ id }) => id, maxLength: 14 }
)

const reports = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 5 })

const change = (at: number, id: string): SimHistory.Fact => ({
  _tag: "Change",
  entry: Values.auditEntry({ createdAt: at, entryId: id })
})

/** The deliveries of an event of each row, to one endpoint or to three, newest first. */
const deliveriesOf = (rows: Rows) =>
  rows
    .flatMap(({ at, id }) => {
      const eventId = `${id}@${at}`
      return (at % 2 === 0 ? ["a"] : ["c", "b", "a"]).map((endpointId) => ({
        delivery: Values.delivery({ createdAt: at, deliveryId: `${eventId}:${endpointId}`, eventId, endpointId }),
        event: Values.event({ createdAt: at, eventId })
      }))
    })
    .toSorted(({ delivery: a }, { delivery: b }) => b.createdAt - a.createdAt || (a.deliveryId < b.deliveryId ? 1 : -1))

/** The log as the history reads it: so many deliveries, and on to the end of an event. */
const sent = (rows: Rows, cursor: SimHistory.Position | null, limit: number) => {
  const after = SimHistory.after("Event", cursor)
  const left = deliveriesOf(rows).filter(
    ({ delivery: { createdAt, deliveryId } }) =>
      after === null || createdAt < after.createdAt || (createdAt === after.createdAt && deliveryId < after.id)
  )
  const stopAt = (count: number): SimHistory.Position | null => {
    const last = left[count - 1]
    if (last === undefined || count >= left.length) return null
    return { createdAt: last.delivery.createdAt, id: last.delivery.deliveryId }
  }
  let count = limit
  while (SimHistory.isCut(left.slice(0, count), stopAt(count))) count += 1
  return SimHistory.ofEvents(left.slice(0, count), stopAt(count))
}

/** A book of usage: the days are instants here. */
const usage = fc.uniqueArray(
  fc.record({
    attachmentId: fc.constantFrom("a", "b"),
    day: fc.integer({ min: 0, max: 6 }),
    countryAlpha2: fc.constantFrom(null, "FR", "SE"),
    bytes: fc.constant(1)
  }),
  { selector: (entry) => JSON.stringify(entry), maxLength: 14 }
)

/** The book as a storage reads it: so many entries before one, newest first. */
const used = (book: ReadonlyArray<UsageBook.SimEntry>, cursor: SimHistory.Position | null, limit: number) => {
  const before = SimHistory.usageBefore(cursor)
  const left = book.filter((entry) => before === null || UsageBook.compare(entry, before) < 0)
  return SimHistory.ofUsage(left.toSorted(UsageBook.compare).toReversed().slice(0, limit), limit)
}

type Rows = ReadonlyArray<{ readonly at: number; readonly id: string }>

/** A filtered list as a storage reads it: so many rows of it, newest first, and where to go on. */
const scan = (
  kind: "Change",
  rows: Rows,
  fact: (at: number, id: string) => SimHistory.Fact,
  cursor: SimHistory.Position | null,
  limit: number
) => {
  const after = SimHistory.after(kind, cursor)
  const left = rows
    .toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
    .filter(({ at, id }) => after === null || at < after.createdAt || (at === after.createdAt && id < after.id))
  const found = left.slice(0, limit)
  const last = found.at(-1)
  const next = found.length < left.length && last !== undefined ? { createdAt: last.at, id: last.id } : null
  return SimHistory.read(
    kind,
    found.map(({ at, id }) => [at, id, fact(at, id)] as const),
    next
  )
}

const label = ({ fact, position }: SimHistory.Entry): string => `${position.createdAt} ${position.id} ${fact._tag}`

describe("L3: a history", () => {
  it("has everything once, newest first, in pages of any size", () => {
    const sizes = fc.record({ page: fc.integer({ min: 1, max: 9 }), scan: fc.integer({ min: 1, max: 9 }) })
    fc.assert(
      fc.property(book, book, reports, usage, sizes, (audit, deliveries, states, days, { page, scan: step }) => {
        const entries = states
          .toSorted((a, b) => a - b)
          .map((modifiedAt, index) => ({
            organizationId: "o",
            iccid: "i",
            reportId: String(index),
            state: "Enable" as const,
            modificationResult: "Success",
            modifiedAt
          }))
        const packages = [Values.attached({}, [{ activationAt: 2, expirationAt: 4 }])]
        const job = {
          ...Values.job({ jobId: "review:é 1", work: { _tag: "ReviewPackage", iccid: "i", findingId: "1" } })
        }
        const waiting = { reason: "unavailable" as const, message: "No answer", since: 3 }
        const jobs = [
          { ...job, endedAt: 3 },
          { ...job, jobId: "waits", waiting }
        ]
        const visits = [
          { countryAlpha2: "SE", at: 5 },
          { countryAlpha2: "FR", at: 3 }
        ]
        const last = { countryAlpha2: "SE", operator: "o", rat: "4G", imei: "1", at: 5, visits }
        const read: Array<SimHistory.Entry> = []
        let cursor: SimHistory.Position | null = null
        let pages = 0
        do {
          const found: SimHistory.Page = SimHistory.merged(
            [
              scan("Change", audit, change, cursor, step),
              sent(deliveries, cursor, step),
              SimHistory.ofProfile(entries, cursor),
              SimHistory.ofPackages(packages, cursor, 6),
              used(days, cursor, step),
              SimHistory.ofNetworks(last, cursor),
              SimHistory.ofJobs(jobs, cursor),
              SimHistory.ofProblems(jobs, cursor)
            ],
            page
          )
          expect(found.items.length).toBeLessThanOrEqual(page)
          read.push(...found.items)
          cursor = found.next
          expect(++pages).toBeLessThan(100)
        } while (cursor !== null)
        const labels = read.map(label)
        expect(new Set(labels).size).toBe(labels.length)
        expect(read).toHaveLength(audit.length + deliveries.length + states.length + days.length + 6)
        const positions = read.map(({ position }) => position)
        for (const [index, one] of positions.entries()) {
          const next = positions[index + 1]
          if (next === undefined) continue
          expect(one.createdAt > next.createdAt || (one.createdAt === next.createdAt && one.id > next.id)).toBe(true)
        }
      }),
      { numRuns: 1_000 }
    )
  })

  it("of packages has no instant that lies ahead", () => {
    const packages = [Values.attached({}, [{ activationAt: 2, expirationAt: 4 }])]
    const times = (now: number) => SimHistory.ofPackages(packages, null, now).entries.map(({ fact }) => fact)
    expect(times(1)).toEqual([])
    expect(times(3)).toEqual([{ _tag: "Package", packageId: "attachment:0", became: "active" }])
    expect(times(4).map((fact) => fact._tag === "Package" && fact.became)).toEqual(["over", "active"])
  })
})
