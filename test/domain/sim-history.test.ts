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

const endpoint = (endpointId: string, url: string) => Values.endpoint({ endpointId, url })

const logged = (endpointId: string, changes: Parameters<typeof Values.delivery>[0] = {}, eventId = "event") => ({
  delivery: Values.delivery({ deliveryId: `${eventId}:${endpointId}`, eventId, endpointId, ...changes }),
  event: Values.event({
    eventId,
    payload: {
      type: "attachment.allowanceConsumed",
      data: {
        usagePercentage: 80,
        dataUsageBytes: 9,
        esim: Values.ICCID,
        planId: "p",
        attachmentId: "a",
        subscriptionId: "s",
        metadata: ""
      }
    }
  })
})

it("L3: an event is one entry, which names its threshold and each endpoint with what became of it there", () => {
  const failed = { status: "Failed", lastError: "status 500", attempts: 2 } as const
  const deliveries = [
    logged("handler:crm", { status: "Delivered" }),
    logged("b", failed),
    logged("a"),
    logged("gone"),
    logged("a", {}, "before")
  ]
  const { entries, until } = SimHistory.ofEvents(deliveries, null)
  expect([entries.length, until]).toEqual([2, null])
  expect(entries.map(({ position }) => position.id)).toEqual(["5:event:gone", "5:before:a"])
  const endpoints = [endpoint("a", "https://a.example/?key=secret"), endpoint("b", "https://b.example/")]
  const page = { items: entries, next: null }
  expect(SimHistory.tried(page)).toEqual(["event:b"])
  const attempt = { number: 1, at: 1, durationMillis: 2, responseStatus: 500, error: "status 500" }
  const later = { ...attempt, number: 2, at: 3 }
  const whole = SimHistory.withAttempts(page, [{ deliveryId: "event:b", attempts: [later, attempt] }], endpoints)
  const [first] = whole.items.map(({ fact }) => fact)
  if (first?._tag !== "Event") throw new Error("no event")
  expect(SimHistory.summary(first)).toEqual({
    type: "event",
    what: "attachment.allowanceConsumed",
    detail:
      "80 %; the handler crm: delivered; https://b.example/: failed, status 500; https://a.example/?key=***: pending; a deleted endpoint: pending",
    by: null,
    resourceId: "event"
  })
  expect(SimHistory.attemptsOf(first)).toEqual([later, attempt])
  expect(SimHistory.hasEvents(page)).toBe(true)
  expect(SimHistory.hasEvents({ items: [], next: null })).toBe(false)
})

it("L3: a list of deliveries that has stopped within an event is cut, and one behind it is not", () => {
  const at = (id: string) => ({ createdAt: Values.NOW, id })
  expect(SimHistory.isCut([logged("b")], at("event:b"))).toBe(true)
  expect(SimHistory.isCut([logged("b")], at("even:a"))).toBe(false)
  expect(SimHistory.isCut([logged("b")], null)).toBe(false)
  expect(SimHistory.isCut([], at("event:b"))).toBe(false)
})
