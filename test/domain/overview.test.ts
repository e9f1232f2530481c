/**
 * What operators see first: how work that waits is taken together, how telcos stand by it, how long
 * a stock lasts, and whose load it is.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Label } from "../../src/domain/Label.ts"
import type { WaitingJob, WaitingReason } from "../../src/domain/Job.ts"
import * as Overview from "../../src/domain/Overview.ts"
import { DAY, HOUR } from "../../src/domain/Time.ts"
import { job, NOW } from "./Values.ts"

const waits = (jobId: string, reason: WaitingReason, since: number, telco?: string): WaitingJob => ({
  ...job({ jobId, work: { _tag: "SendSms", iccid: "8933", messageId: "", from: "", text: "" }, dueAt: since + HOUR }),
  waiting: { reason, message: "no answer", since, ...(telco !== undefined && { telco }) }
})

describe("Work that waits", () => {
  it("is taken together by kind, reason and telco, those that wait longest first", () => {
    const jobs = [
      waits("a", "unavailable", NOW, "north"),
      waits("b", "unavailable", NOW - 5, "north"),
      waits("c", "unavailable", NOW - 9, "south"),
      waits("d", "refused", NOW - 7, "north")
    ]
    expect(Overview.waitingGroups(jobs)).toEqual([
      { kind: "SendSms", reason: "unavailable", telco: "south", count: 1, since: NOW - 9, nextAt: NOW - 9 + HOUR },
      { kind: "SendSms", reason: "refused", telco: "north", count: 1, since: NOW - 7, nextAt: NOW - 7 + HOUR },
      { kind: "SendSms", reason: "unavailable", telco: "north", count: 2, since: NOW - 5, nextAt: NOW - 5 + HOUR }
    ])
  })

  it("is counted whole, in the same order however it is given", () => {
    const reasons = fc.constantFrom<WaitingReason>("unavailable", "refused", "busy")
    const drawn = fc.tuple(reasons, fc.integer({ min: 0, max: 3 }), fc.constantFrom(undefined, "north", "south"))
    fc.assert(
      fc.property(fc.array(drawn), (all) => {
        const jobs = all.map(([reason, since, telco], at) => waits(String(at), reason, since, telco))
        const groups = Overview.waitingGroups(jobs)
        expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(jobs.length)
        expect(Overview.waitingGroups(jobs.toReversed())).toEqual(groups)
        const ofNone = all.map(([reason, since], at) => waits(String(at), reason, since))
        expect(Overview.ofAnyTelco(groups)).toEqual(Overview.waitingGroups(ofNone))
        expect(groups.map(({ since }) => since)).toEqual(groups.map(({ since }) => since).toSorted((a, b) => a - b))
      })
    )
  })
})

describe("A telco", () => {
  const standing = (jobs: ReadonlyArray<WaitingJob>, names: ReadonlyArray<string | null> = []) =>
    Overview.telcos(Overview.waitingGroups(jobs), names)

  it("answers while nothing waits for it, or only what it refuses", () => {
    const idle = { answers: true, since: null, waiting: 0, oldest: null, nextAt: null }
    expect(standing([], [null])).toEqual([{ name: null, ...idle }])
    expect(standing([waits("a", "refused", NOW, "north")], ["north", "south"])).toEqual([
      { name: "north", answers: true, since: null, waiting: 1, oldest: NOW, nextAt: NOW + HOUR },
      { name: "south", ...idle }
    ])
  })

  it("does not answer since the first of what waits for its answer", () => {
    const jobs = [waits("a", "refused", NOW - 9), waits("b", "unavailable", NOW - 5), waits("c", "unavailable", NOW)]
    expect(standing(jobs)).toEqual([
      { name: null, answers: false, since: NOW - 5, waiting: 3, oldest: NOW - 9, nextAt: NOW - 9 + HOUR }
    ])
  })

  it("is not what waits for something else", () => {
    expect(standing([waits("a", "busy", NOW, "north")])).toEqual([])
  })
})

describe("A stock", () => {
  it("lasts as long as it does at the rate of the span", () => {
    const stock = { free: 30, sold: 14, soldSince: NOW - 7 * DAY }
    expect([Overview.soldADay(stock, NOW), Overview.daysLeft(stock, NOW)]).toEqual([2, 15])
  })

  it("lasts for ever where nothing was sold, and a span is a minute at least", () => {
    expect(Overview.daysLeft({ free: 3, sold: 0, soldSince: NOW }, NOW)).toBeNull()
    expect(Overview.soldADay({ sold: 1, soldSince: NOW }, NOW)).toBe(1_440)
  })
})

it("The scarcest stocks come first, so many at most", () => {
  const stock = (label: Label, free: number, sold: number, isLow = false): Overview.WatchedStock => ({
    ...{ organizationId: "o", label, free, sold, isLow },
    level: isLow ? 9 : null,
    soldSince: NOW - 7 * DAY
  })
  const stocks = [
    stock("Green", 5, 0),
    stock("Blue", 3, 0),
    stock("Red", 900, 7),
    stock("Grey", 8, 1),
    stock("Aqua", 8, 0, true)
  ]
  const labels = (of: ReadonlyArray<Overview.WatchedStock>) => of.map(({ label }) => label)
  expect(labels(Overview.scarcest(stocks, NOW))).toEqual(["Aqua", "Grey", "Red", "Blue", "Green"])
  expect(labels(Overview.scarcest(stocks.toReversed(), NOW))).toEqual(["Aqua", "Grey", "Red", "Blue", "Green"])
  const many = Array.from({ length: Overview.STOCKS + 1 }, (_, at) => ({
    ...stock("Green", at, 0),
    organizationId: `${at}`
  }))
  expect(Overview.scarcest(many.toReversed(), NOW)).toEqual(many.slice(0, Overview.STOCKS))
})

it("The heaviest organizations come first, so many at most", () => {
  const load = (organizationId: string, waitingJobs: number, pendingDeliveries: number) => ({
    organizationId,
    waitingJobs,
    pendingDeliveries
  })
  const few = [load("b", 1, 1), load("c", 0, 9), load("a", 2, 0)]
  expect(Overview.heaviest(few).map(({ organizationId }) => organizationId)).toEqual(["c", "a", "b"])
  const many = Array.from({ length: 30 }, (_, at) => load(`organization ${at}`, at, 0))
  expect(Overview.heaviest(many).map(({ waitingJobs }) => waitingJobs)).toEqual(
    Array.from({ length: Overview.LOADS }, (_, at) => 29 - at)
  )
})
