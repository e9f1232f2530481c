/**
 * What a history says of each kind of entry (rule L3), and the attempts that it shows.
 */
import { expect, it } from "vitest"
import type * as Location from "../../src/domain/Location.ts"
import * as SimHistory from "../../src/domain/SimHistory.ts"
import * as Values from "./Values.ts"

const seen: Location.LastOperator = {
  countryAlpha2: "SE",
  operator: "Telia",
  rat: "4G",
  imei: "490154203237518",
  at: 5,
  visits: [
    { countryAlpha2: "SE", at: 5 },
    { countryAlpha2: "FR", at: 2 },
    { countryAlpha2: "SE", at: 1 }
  ]
}

const summaries = ({ entries }: SimHistory.Read) => entries.map(({ fact }) => SimHistory.summary(fact))

it("L3: a network is that of the last report, and the countries before it are those that are kept", () => {
  const networks = SimHistory.ofNetworks(seen, null)
  expect(summaries(networks)).toEqual([
    { type: "network", what: "SE", detail: "Telia, 4G", by: null, resourceId: null },
    { type: "network", what: "FR", detail: null, by: null, resourceId: null },
    { type: "network", what: "SE", detail: null, by: null, resourceId: null }
  ])
  expect(SimHistory.ofNetworks({ ...seen, at: 6 }, null).entries.map(({ position }) => position.createdAt)).toEqual([
    6, 5, 2, 1
  ])
  const { visits: _, ...alone } = seen
  expect(SimHistory.ofNetworks(alone, null).entries).toHaveLength(1)
  expect(SimHistory.ofNetworks(null, null)).toEqual({ entries: [], until: null })
  expect(JSON.stringify(networks)).not.toContain(seen.imei)
})

it("L3: usage stands at the beginning of its day, and what has no day is left out", () => {
  const entry = { attachmentId: "attachment", day: Values.NOW, countryAlpha2: "SE", bytes: 1_572_864 }
  const read = SimHistory.ofUsage([entry, { ...entry, countryAlpha2: null, bytes: 12 }, { ...entry, day: null }], 3)
  expect(read.entries.map(({ position }) => position.createdAt)).toEqual([Values.NOW, Values.NOW])
  expect(summaries(read)).toEqual([
    { type: "usage", what: "SE", detail: "1.5 MB", by: null, resourceId: "attachment" },
    { type: "usage", what: "unknown", detail: "12 bytes", by: null, resourceId: "attachment" }
  ])
  expect(read.until).toEqual(read.entries.at(-1)?.position)
  expect(SimHistory.ofUsage([entry], 2).until).toBeNull()
})

it("L3: a job waits since its first try, and says why and until when", () => {
  const work = { _tag: "SetService", iccid: Values.ICCID, changeId: "change" } as const
  const waiting = { reason: "held_back", message: "The telco at 10.0.0.1 did not answer", since: 3 } as const
  const job = Values.job({ jobId: "service:1", work, dueAt: Values.NOW, waiting })
  const ended = { ...job, jobId: "ended", endedAt: 4 }
  const read = SimHistory.ofJobs([job, Values.job({ jobId: "untried", work }), ended], null)
  const wait = `held back, next try at ${new Date(Values.NOW).toISOString()}`
  expect(read.entries.map(({ position }) => position.createdAt)).toEqual([3])
  expect(summaries(read)).toEqual([
    { type: "job", what: "SetService", detail: `${wait}: ${waiting.message}`, by: null, resourceId: "service:1" }
  ])
  expect(SimHistory.waitOf({ ...job, waiting })).toBe(wait)
  expect(SimHistory.ofProblems([job, ended], null).entries.map(({ position }) => position.createdAt)).toEqual([4])
})

it("L3: attempts are read of the deliveries of a page that were tried", () => {
  const event = (deliveryId: string, attempts: number): SimHistory.Entry => ({
    fact: {
      _tag: "Event",
      logged: { delivery: Values.delivery({ deliveryId, attempts }), event: Values.event() },
      attempts: []
    },
    position: { createdAt: 1, id: deliveryId }
  })
  const change: SimHistory.Entry = {
    fact: { _tag: "Change", entry: Values.auditEntry() },
    position: { createdAt: 1, id: "change" }
  }
  const page = { items: [event("tried", 2), change, event("untried", 0)], next: null }
  expect(SimHistory.tried(page)).toEqual(["tried"])
  const attempt = { number: 1, at: 1, durationMillis: 2, responseStatus: 500, error: "status 500" }
  const whole = SimHistory.withAttempts(page, [{ deliveryId: "tried", attempts: [attempt] }])
  expect(whole.items.map(({ fact }) => (fact._tag === "Event" ? fact.attempts : null))).toEqual([[attempt], null, []])
  expect(whole.items[1]).toBe(change)
})
