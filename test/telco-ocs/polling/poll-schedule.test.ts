/**
 * When a SIM is polled again, for any packages; and how late 100 % is found of some thousand SIMs
 * with few calls. The full measurement is `npm run test:ocs-polling`.
 */
import * as fc from "fast-check"
import { Time } from "simplan"
import { describe, expect, it } from "vitest"
import * as PollSchedule from "../../../adapters/telco-calls/polls/PollSchedule.ts"
import * as Simulation from "./Simulation.ts"

const NOW = Date.UTC(2026, 5, 1)
const GIGABYTE = 1024 ** 3
const DEFAULT = [50, 80, 100]
const SETTINGS = { fastest: 10 * Time.SECOND, slowest: 6 * Time.HOUR, notified: [50, 80] }
const LIMITS = { ...SETTINGS, spacing: PollSchedule.UNHURRIED }

const ago = fc.integer({ min: 0, max: 30 * Time.DAY }).map((millis) => NOW - millis)
const ahead = fc.integer({ min: 1, max: 30 * Time.DAY }).map((millis) => NOW + millis)
const bytes = fc.integer({ min: 0, max: GIGABYTE })

const inUse: fc.Arbitrary<PollSchedule.Pack> = fc.record({
  allowanceBytes: fc.constantFrom(null, GIGABYTE),
  usedBytes: bytes,
  thresholds: fc.constantFrom(DEFAULT, [10], [1, 33, 90, 95], []),
  whole: fc.option(fc.record({ allowanceBytes: fc.constant(GIGABYTE), usedBefore: bytes })),
  rate: fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 10_000, noNaN: true })),
  usedAt: ago,
  assignedAt: ago,
  activationAt: ago,
  expirationAt: ahead
})
const waiting = inUse.map((pack) => ({ ...pack, activationAt: null, expirationAt: null, usedBytes: 0 }))
const planned = fc.tuple(inUse, ahead).map(([pack, activationAt]) => ({
  ...pack,
  activationAt,
  expirationAt: activationAt + 30 * Time.DAY,
  usedBytes: 0
}))
const over = fc.tuple(inUse, ago).map(([pack, end]) => ({ ...pack, expirationAt: end - PollSchedule.CLOSING }))

const packages = fc.array(fc.oneof(inUse, waiting, planned, over), { maxLength: 5 })

const limits = fc
  .tuple(fc.integer({ min: 10, max: Time.HOUR }), fc.nat(Time.DAY), fc.nat(Time.DAY))
  .map(([fastest, more, spacing]) => ({ fastest, slowest: fastest + more, notified: [50, 80], spacing }))

describe("The next poll", () => {
  it("is never sooner than the fastest, and of a package in its period never later than the slowest", () => {
    fc.assert(
      fc.property(packages, limits, (of, limit) => {
        const next = PollSchedule.next(of, limit, NOW)
        if (next !== null) expect(next).toBeGreaterThanOrEqual(NOW + Math.min(limit.fastest, PollSchedule.CLOSING))
        const live = of.filter(
          ({ activationAt, expirationAt }) => (activationAt ?? 0) <= NOW && (expirationAt ?? NOW + 1) > NOW
        )
        if (live.length > 0) expect(next).toBeLessThanOrEqual(NOW + limit.slowest)
      })
    )
  })

  it("is the soonest that any of the packages wants", () => {
    fc.assert(
      fc.property(packages, (of) => {
        const alone = of.flatMap((one) => PollSchedule.next([one], LIMITS, NOW) ?? [])
        expect(PollSchedule.next(of, LIMITS, NOW)).toBe(alone.length === 0 ? null : Math.min(...alone))
      })
    )
  })

  it("is never before a planned start, and never again after the end", () => {
    fc.assert(
      fc.property(planned, over, (future, past) => {
        expect(PollSchedule.next([future], LIMITS, NOW)).toBeGreaterThan(future.activationAt)
        expect(PollSchedule.next([past], LIMITS, NOW)).toBeNull()
      })
    )
  })

  it("comes once more when the package is over, for its last total", () => {
    fc.assert(
      fc.property(inUse, (pack) => {
        const end = NOW + Time.MINUTE
        const next = PollSchedule.next([{ ...pack, expirationAt: end }], LIMITS, end - 1) ?? 0
        expect(next).toBeLessThanOrEqual(end + PollSchedule.CLOSING)
        expect(PollSchedule.next([{ ...pack, expirationAt: end }], LIMITS, end)).toBe(
          Math.min(
            end + PollSchedule.CLOSING,
            PollSchedule.next([{ ...pack, expirationAt: end + Time.DAY }], LIMITS, end) ?? 0
          )
        )
      })
    )
  })

  it("finds a threshold that the OCS does not notify within the tolerance, at any rate up to the peak", () => {
    fc.assert(
      fc.property(inUse, fc.double({ min: 0.001, max: 1, noNaN: true }), fc.boolean(), (pack, share, isNotified) => {
        const usedBytes = Math.max(pack.usedBytes, isNotified ? 0.8 * GIGABYTE : 0)
        const of = { ...pack, allowanceBytes: GIGABYTE, usedBytes, whole: null }
        const limit = { ...LIMITS, notified: isNotified ? [50, 80] : [] }
        const threshold = pack.thresholds.map((one) => (one * GIGABYTE) / 100).find((one) => one > usedBytes)
        fc.pre(threshold !== undefined && (pack.expirationAt ?? 0) > NOW + Time.DAY)
        const crossedAt = NOW + ((threshold ?? 0) - usedBytes) / (share * PollSchedule.PEAK)
        expect((PollSchedule.next([of], limit, NOW) ?? 0) - crossedAt).toBeLessThanOrEqual(PollSchedule.TOLERANCE + 1)
      })
    )
  })

  it("finds a threshold of the plan in what is left of it on another SIM, and waits for one that the OCS notifies before it", () => {
    const share = fc.double({ min: 0.001, max: 1, noNaN: true })
    fc.assert(
      fc.property(inUse, bytes, bytes, share, (pack, usedBefore, usedHere, rate) => {
        fc.pre(usedBefore < GIGABYTE && (pack.expirationAt ?? 0) > NOW + Time.DAY)
        const allowanceBytes = GIGABYTE - usedBefore
        const usedBytes = Math.min(usedHere, allowanceBytes - 1)
        const of = { ...pack, allowanceBytes, usedBytes, whole: { allowanceBytes: GIGABYTE, usedBefore } }
        const left = pack.thresholds.map((one) => (one * GIGABYTE) / 100 - usedBefore)
        const reachedAt = left.find((one) => one > usedBytes) ?? 0
        fc.pre(reachedAt > 0)
        const notifiedAt = [0.5, 0.8].map((one) => one * allowanceBytes).find((one) => one > usedBytes)
        const crossedAt = NOW + (reachedAt - usedBytes) / (rate * PollSchedule.PEAK)
        const late = (notified: ReadonlyArray<number>) =>
          (PollSchedule.next([of], { ...LIMITS, notified }, NOW) ?? 0) - crossedAt
        expect(late([])).toBeLessThanOrEqual(PollSchedule.TOLERANCE + 1)
        if (notifiedAt === undefined || notifiedAt > reachedAt)
          expect(late([50, 80])).toBeLessThanOrEqual(PollSchedule.TOLERANCE + 1)
      })
    )
    const idle = { usedBytes: 0, thresholds: DEFAULT, rate: 0, usedAt: NOW - Time.DAY, assignedAt: NOW }
    const moved = { ...idle, activationAt: NOW, expirationAt: NOW + Time.DAY }
    const wait = (usedBefore: number) => {
      const whole = { allowanceBytes: GIGABYTE, usedBefore: usedBefore * GIGABYTE }
      const pack = { ...moved, allowanceBytes: (1 - usedBefore) * GIGABYTE, whole }
      return (PollSchedule.next([pack], LIMITS, NOW) ?? 0) - NOW
    }
    expect(wait(0)).toBe(LIMITS.slowest)
    expect(wait(0.4)).toBeCloseTo((0.1 * GIGABYTE) / PollSchedule.PEAK + PollSchedule.TOLERANCE, 0)
    // At half of what was granted here the OCS notifies, before the plan's 100 %.
    expect(wait(0.8)).toBe(LIMITS.slowest)
  })

  it("waits no longer for one of the plan than for a default one, and is not hurried by those that the plan has not", () => {
    const used = { allowanceBytes: GIGABYTE, whole: null, rate: 0, assignedAt: NOW, activationAt: NOW }
    const pack = { ...used, usedAt: NOW - Time.DAY, expirationAt: NOW + Time.DAY }
    const wait = (thresholds: ReadonlyArray<number>, percent: number) =>
      (PollSchedule.next([{ ...pack, thresholds, usedBytes: (percent * GIGABYTE) / 100 }], LIMITS, NOW) ?? 0) - NOW
    const closing = wait(DEFAULT, 90)
    expect(closing).toBeLessThan(LIMITS.slowest)
    for (const percent of [1, 20, 49, 60, 99, 100]) expect(wait([percent], percent - 1)).toBeLessThanOrEqual(closing)
    expect([wait([20], 90), wait([], 90), wait([95], 96)]).toEqual([LIMITS.slowest, LIMITS.slowest, LIMITS.slowest])
    // The OCS notifies 50 % on the way to 60 %.
    expect(wait([60], 45)).toBe(LIMITS.slowest)
  })

  it("comes soon after use where calls are to spare, whether the next threshold is notified or not", () => {
    const used = {
      allowanceBytes: GIGABYTE,
      thresholds: DEFAULT,
      whole: null,
      rate: 0,
      assignedAt: NOW,
      activationAt: NOW
    }
    const pack = { ...used, expirationAt: NOW + Time.DAY, usedAt: NOW - Time.MINUTE }
    const wait = (spacing: number, usedBytes = 100) =>
      (PollSchedule.next([{ ...pack, usedBytes }], { ...LIMITS, spacing }, NOW) ?? 0) - NOW
    expect(wait(LIMITS.fastest)).toBe(30 * Time.SECOND)
    expect(wait(PollSchedule.UNHURRIED)).toBe(Time.HOUR)
    expect(wait(LIMITS.fastest, 0.9 * GIGABYTE)).toBe(30 * Time.SECOND)
    expect(wait(PollSchedule.UNHURRIED, 0.9 * GIGABYTE)).toBeGreaterThan(PollSchedule.TOLERANCE)
  })

  it("after failures waits longer and longer, up to the slowest", () => {
    const waits = Array.from(
      { length: 40 },
      (_, failures) => PollSchedule.afterFailure(failures + 1, LIMITS, NOW) - NOW
    )
    expect(waits.every((wait, index) => index === 0 || wait >= (waits[index - 1] ?? 0))).toBe(true)
    expect([waits[0], waits.at(-1)]).toEqual([20 * Time.SECOND, LIMITS.slowest])
  })
})

describe("The load of polls", () => {
  const spacing = (load: PollSchedule.Load, now: number) => PollSchedule.spacing(load, SETTINGS, now)

  it("leaves SIMs in stock a quarter of the calls, and less where polls take most of them", () => {
    const perSecond = (polls: number) => {
      const meter = PollSchedule.makeMeter(20)
      for (let at = NOW; at <= NOW + Time.HOUR; at += Time.SECOND) meter.count(polls, at)
      return 10_000 / meter.stockMillis(10, NOW + Time.HOUR)
    }
    expect(perSecond(0)).toBe(5)
    expect(perSecond(14)).toBe(5)
    expect(perSecond(18)).toBeCloseTo(2, 0)
    expect(perSecond(20)).toBe(1)
    expect(perSecond(40)).toBe(1)
  })

  it("is forgotten within minutes, and rises to the share of the calls that is used", () => {
    let load = PollSchedule.NO_LOAD
    expect(spacing(load, NOW)).toBe(SETTINGS.fastest)
    for (let at = NOW; at < NOW + 30 * Time.MINUTE; at += Time.SECOND) load = PollSchedule.loadAfter(load, 16, 20, at)
    expect(load.share).toBeCloseTo(0.8, 1)
    expect(spacing(load, load.at)).toBe(PollSchedule.UNHURRIED)
    expect(spacing(load, load.at + 20 * Time.MINUTE)).toBe(SETTINGS.fastest)
  })

  it("is no higher after the clock was set back, and is forgotten within minutes of the next poll", () => {
    const back = NOW - 10 * Time.MINUTE
    const load = PollSchedule.loadAfter({ share: 0.8, at: NOW }, 16, 20, back)
    expect(load.share).toBeCloseTo(0.8, 1)
    expect(spacing(load, back + 20 * Time.MINUTE)).toBe(SETTINGS.fastest)
  })

  it("makes polls wait the longer the higher it is, and never longer than the slowest", () => {
    fc.assert(
      fc.property(
        limits,
        fc.double({ min: 0, max: 2, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (of, share, less) => {
          const at = (one: number) => PollSchedule.spacing({ share: one, at: NOW }, of, NOW)
          expect(at(share)).toBeGreaterThanOrEqual(of.fastest)
          expect(at(share)).toBeLessThanOrEqual(of.slowest)
          expect(at(share * less)).toBeLessThanOrEqual(at(share))
        }
      )
    )
  })
})

describe("Polls of 500 SIMs with six calls a minute", () => {
  it("find thresholds in time where the OCS notifies 50 % and 80 %", () => {
    const outcome = Simulation.run({ sims: 500, callsPerSecond: 0.1, days: 3, limits: SETTINGS, seed: 1 })
    const late = outcome.lateness.get(100) ?? []
    expect(late.length).toBeGreaterThan(3)
    expect(late.filter((one) => one <= 15 * Time.MINUTE).length / late.length).toBeGreaterThan(0.9)
    expect(outcome.lateness.get(50)?.every((one) => one <= Time.MINUTE)).toBe(true)
  })
})
