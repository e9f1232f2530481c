/**
 * Which thresholds of usage polls leave to the OCS's notifications: those that come, whatever the
 * settings say.
 */
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Time } from "simplan"
import { describe, expect } from "vitest"
import * as OrderJournal from "../../../adapters/telco-ocs/orders/OrderJournal.ts"
import * as PollSchedule from "../../../adapters/telco-calls/polls/PollSchedule.ts"
import { GIGABYTE, ICCID, inWorld, START, TELCO, type World } from "./ReportsWorld.ts"

/** A notification that a package has crossed a threshold. */
const crossed = (percent: number) => ({
  subscriberPrepaidPackage: {
    unitsBefore: TENTH - 1,
    unitsAfter: TENTH,
    thresholdPercentage: String(percent),
    thresholdUnits: "0",
    subscriberPackageId: 1,
    totalUnits: GIGABYTE,
    subscriberId: 4,
    subscriberIMSI: "240010000000001",
    usageType: "DATA"
  }
})

const TENTH = Math.round(0.1 * GIGABYTE)
const SIX_TENTHS = Math.round(0.6 * GIGABYTE)

/** A package that has used a tenth and is idle since. */
const idle = Effect.fnUntraced(function* ({ model, polling, subscribe }: World, alertThresholds = [50, 80, 100]) {
  yield* subscribe({ megaBytes: 1024, start: START, alertThresholds })
  model.change(1, { usedBytes: TENTH })
  yield* polling.due
  yield* TestClock.adjust("20 hours")
})

/** How long after a poll now the next one is planned. */
const wait = Effect.fnUntraced(function* ({ journal, polling }: World) {
  const entry = yield* journal.get({ telco: TELCO, kind: "sim", key: ICCID })
  if (entry === null) throw new Error("there is no SIM to poll")
  yield* polling.poll(entry)
  const after = yield* journal.get({ telco: TELCO, kind: "sim", key: ICCID })
  return (after?.dueAt ?? 0) - (yield* Clock.currentTimeMillis)
})

const SOON = 15 * Time.MINUTE
const SLOWEST = 6 * Time.HOUR

describe("A threshold that the settings call notified", () => {
  inWorld(
    "is found by polls as long as none has come, and left to notifications for a day after one",
    function* (world) {
      yield* idle(world)
      expect(yield* wait(world)).toBeLessThan(SOON)
      yield* world.take(crossed(80))
      expect(yield* wait(world)).toBeLessThan(SOON)
      yield* world.take(crossed(50))
      expect(yield* wait(world)).toBe(SLOWEST)
      yield* TestClock.adjust("23 hours")
      expect(yield* wait(world)).toBe(SLOWEST)
      yield* TestClock.adjust("2 hours")
      expect(yield* wait(world)).toBeLessThan(SOON)
    }
  )

  inWorld("is found by polls while it cannot be read what was notified", function* (world) {
    yield* idle(world)
    for (const percent of [50, 80]) yield* world.take(crossed(percent))
    expect(yield* wait(world)).toBe(SLOWEST)
    world.journalFails.get = "thresholds"
    yield* TestClock.adjust(SLOWEST)
    const now = yield* Clock.currentTimeMillis
    expect(yield* world.polling.due).toEqual({ polls: 1, failed: 0 })
    const entry = yield* world.journal.get({ telco: TELCO, kind: "sim", key: ICCID })
    expect((entry?.dueAt ?? 0) - now).toBeLessThan(SOON)
  })

  inWorld("is found by polls while it cannot be written what was notified, and its usage counts", function* (world) {
    yield* idle(world)
    world.journalFails.get = "thresholds"
    expect(
      yield* world.take({
        subscriberPrepaidPackage: { ...crossed(50).subscriberPrepaidPackage, unitsAfter: SIX_TENTHS }
      })
    ).toMatchObject({ result: { code: 0 } })
    expect((yield* world.attachment).usedBytes).toBe(SIX_TENTHS)
    delete world.journalFails.get
    expect(yield* wait(world)).toBeLessThan(SOON)
    for (const percent of [50, 80]) yield* world.take(crossed(percent))
    expect(yield* wait(world)).toBe(SLOWEST)
  })

  inWorld("is found by polls again once the OCS notifies two others", function* (world) {
    yield* idle(world)
    for (const percent of [50, 80]) yield* world.take(crossed(percent))
    expect(yield* wait(world)).toBe(SLOWEST)
    for (const percent of [75, 90]) {
      yield* TestClock.adjust("1 second")
      yield* world.take(crossed(percent))
    }
    expect(yield* wait(world)).toBeLessThan(SOON)
  })

  inWorld("is found in time although the OCS is set to others, and notifies 75 % and 90 %", function* (world) {
    yield* idle(world)
    for (const percent of [75, 90]) yield* world.take(crossed(percent))
    yield* world.background
    yield* TestClock.adjust("1 hour")
    world.model.change(1, { usedBytes: SIX_TENTHS })
    yield* TestClock.adjust(SOON)
    expect((yield* world.attachment).usedBytes).toBe(SIX_TENTHS)
  })
})

describe("A threshold that the plan names", () => {
  inWorld("is found by polls, before one that the OCS notifies", function* (world) {
    yield* idle(world, [20])
    for (const percent of [50, 80]) yield* world.take(crossed(percent))
    const left = Math.ceil(0.2 * GIGABYTE) - TENTH
    expect(yield* wait(world)).toBeCloseTo(left / PollSchedule.PEAK + PollSchedule.TOLERANCE, -2)
    world.model.change(1, { usedBytes: 2 * TENTH + 1 })
    yield* wait(world)
    yield* TestClock.adjust("20 hours")
    expect(yield* wait(world)).toBe(SLOWEST)
  })

  inWorld(
    "is not known of a package that was ordered before they were kept: it has the default ones",
    function* (world) {
      yield* idle(world, [20])
      for (const percent of [50, 80]) yield* world.take(crossed(percent))
      const [order] = yield* world.journal.ofSim({ telco: TELCO, kind: OrderJournal.KIND, iccid: ICCID })
      if (order === undefined) throw new Error("there is no order")
      const { thresholds, ...asked } = Object(order.document["asked"])
      expect(thresholds).toEqual([20, 50, 80, 100])
      yield* world.journal.replace({ ...order, document: { ...order.document, asked } })
      expect(yield* wait(world)).toBe(SLOWEST)
      yield* world.take(crossed(80))
      world.model.change(1, { usedBytes: SIX_TENTHS + 3 * TENTH })
      expect(yield* wait(world)).toBeLessThan(SLOWEST)
    }
  )
})
