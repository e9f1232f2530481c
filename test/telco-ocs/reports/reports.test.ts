/**
 * What the OCS notifies and what polls of it find, as the core has it afterwards.
 */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Time } from "simplan"
import { describe, expect } from "vitest"
import { GIGABYTE, ICCID, inWorld, LEASE, START, type World } from "./ReportsWorld.ts"

const OK = { result: { code: 0, msg: "OK" } }

const usage = (units: { readonly before: number; readonly after: number }, changes: object = {}) => ({
  subscriberPrepaidPackage: {
    unitsBefore: units.before,
    unitsAfter: units.after,
    thresholdPercentage: "80",
    thresholdUnits: String(0.8 * GIGABYTE),
    subscriberPackageId: 1,
    totalUnits: GIGABYTE,
    subscriberId: 4,
    subscriberIMSI: "240010000000001",
    usageType: "DATA",
    ...changes
  }
})

const status = (to: string) => ({ iccid: ICCID, imsi: "240010000000001", eid: "89049032", subsId: 4, status: to })

const state = (name: string, minutes: number, result: string | null = "Executed-Success") => ({
  status: name,
  startedAt: START + minutes * Time.MINUTE,
  modificationResult: result
})

const kinds = ({ reported }: World) => reported.map(({ fact }) => fact._tag)

describe("A notification of a package's usage", () => {
  inWorld("is counted once, with the first use at the OCS's own time", function* (world) {
    const { model, take } = world
    yield* world.subscribe({ megaBytes: 1024 })
    yield* TestClock.adjust("2 hours")
    const firstUse = START + Time.HOUR
    model.change(1, {
      activationAt: firstUse,
      expirationAt: firstUse + 30 * Time.DAY,
      usedBytes: Math.round(0.6 * GIGABYTE)
    })
    const body = usage({ before: Math.round(0.7 * GIGABYTE), after: Math.round(0.8 * GIGABYTE) })
    expect(yield* take(body)).toEqual(OK)
    expect(yield* take(body)).toEqual(OK)
    const { activationAt, usedBytes } = yield* world.attachment
    expect({ activationAt, usedBytes }).toEqual({ activationAt: firstUse, usedBytes: Math.round(0.8 * GIGABYTE) })
    expect(kinds(world).filter((kind) => kind === "FirstUse")).toHaveLength(1)
  })

  inWorld("waits for the first use's time where the OCS cannot be asked, and loses nothing", function* (world) {
    const { model, polling, take } = world
    yield* world.subscribe({ megaBytes: 1024 })
    model.change(1, {
      activationAt: START + Time.HOUR,
      expirationAt: START + 31 * Time.DAY,
      usedBytes: 900_000_000
    })
    model.failing = new Set(["packages"])
    yield* TestClock.adjust("2 hours")
    expect(yield* take(usage({ before: 0, after: 900_000_000 }))).toEqual(OK)
    expect((yield* world.attachment).activationAt).toBeNull()
    model.failing = new Set()
    yield* polling.due
    const { activationAt, usedBytes } = yield* world.attachment
    expect({ activationAt, usedBytes }).toEqual({ activationAt: START + Time.HOUR, usedBytes: 900_000_000 })
  })

  inWorld("reports units that fall as what is left", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    expect(yield* world.take(usage({ before: 500, after: 400 }, { totalUnits: "1000" }))).toEqual(OK)
    expect((yield* world.attachment).usedBytes).toBe(600)
  })

  inWorld("is refused with a reason where it is about nothing of simplan's", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    yield* world.polling.due
    const units = { before: 0, after: 500 }
    const answers = yield* Effect.forEach(
      [
        usage(units, { subscriberPackageId: 99 }),
        usage(units, { subscriberId: 5 }),
        { hello: 1 },
        null,
        usage(units, { unitsAfter: -1 })
      ],
      world.take
    )
    expect(answers.map(({ result }) => result.code)).toEqual([2, 2, 1, 1, 1])
    for (const { result } of answers) expect(result.msg).not.toBe("")
    expect(yield* world.take(usage(units, { usageType: "MO_SMS" }))).toEqual(OK)
    expect(world.reported).toEqual([])
  })
})

describe("A notification of a profile's status", () => {
  inWorld("reports the history with its own times, once", function* (world) {
    const { model, polling, take } = world
    yield* world.subscribe({ megaBytes: 1024 })
    yield* TestClock.adjust("1 hour")
    model.history = [state("Enable", 7), state("Installed", 6), state("Available", 1)]
    expect(yield* take(status("Enable"))).toEqual(OK)
    expect(yield* take(status("Enable"))).toEqual(OK)
    yield* TestClock.adjust("1 minute")
    yield* polling.due
    expect(world.reported.map(({ fact, occurredAt }) => [fact, occurredAt])).toEqual([
      [
        { _tag: "SmdpState", state: "BPP Installation", modificationResult: "Executed-Success" },
        START + 6 * Time.MINUTE
      ],
      [{ _tag: "SmdpState", state: "Enable", modificationResult: "Executed-Success" }, START + 7 * Time.MINUTE]
    ])
  })

  inWorld(
    "is reported itself where the history lacks it, and not a second time when the history has it",
    function* (world) {
      const { model, polling, take } = world
      yield* world.subscribe({ megaBytes: 1024 })
      model.history = [state("Installed", 0)]
      yield* TestClock.adjust("1 hour")
      expect(yield* take(status("Enable"))).toEqual(OK)
      model.history = [state("Enable", 59), state("Installed", 0)]
      yield* TestClock.adjust("1 minute")
      yield* polling.due
      expect(world.reported.map(({ fact }) => (fact._tag === "SmdpState" ? fact.state : fact._tag))).toEqual([
        "BPP Installation",
        "Enable"
      ])
    }
  )

  inWorld(
    "is reported itself, once, where the history cannot be read; a status without a word in the interface is not",
    function* (world) {
      const { model, take } = world
      yield* world.subscribe({ megaBytes: 1024 })
      model.failing = new Set(["profileHistory"])
      expect(yield* take(status("Disable"))).toEqual(OK)
      yield* TestClock.adjust("1 minute")
      expect(yield* take(status("Disable"))).toEqual(OK)
      expect(yield* take(status("Linked"))).toEqual(OK)
      expect(new Set(world.reported.map(({ reportId }) => reportId)).size).toBe(1)
      expect((yield* take({ ...status("Enable"), iccid: "8991000000000000020" })).result.code).toBe(2)
    }
  )
})

describe("A poll", () => {
  inWorld("reports first use, usage and location, and then nothing until there is something new", function* (world) {
    const { model, polling } = world
    yield* world.subscribe({ megaBytes: 1024 })
    yield* polling.due
    expect(world.reported).toEqual([])
    model.change(1, { activationAt: START + 5_000, expirationAt: START + 30 * Time.DAY + 5_000, usedBytes: 1_000 })
    model.network = { at: START + 6_000, mcc: 240, mnc: 1, rat: "4G - LTE", imei: "354647888013844" }
    yield* TestClock.adjust("10 seconds")
    yield* polling.due
    expect(kinds(world)).toEqual(["FirstUse", "Usage", "Location"])
    const { activationAt, usedBytes } = yield* world.attachment
    expect({ activationAt, usedBytes }).toEqual({ activationAt: START + 5_000, usedBytes: 1_000 })
    expect(world.reported.at(-1)?.fact).toMatchObject({ countryAlpha2: "SE", rat: "4G", imei: "354647888013844" })
    for (let round = 0; round < 5; round++) {
      yield* TestClock.adjust("6 hours")
      yield* polling.due
    }
    expect(world.reported).toHaveLength(3)
  })

  for (const [minutes, seconds] of [
    [-10, 0],
    [10, 30]
  ] as const) {
    inWorld(`reports a first use at once where the clock of the OCS is ${minutes} minutes ahead`, function* (world) {
      const { model, polling } = world
      yield* world.subscribe({ megaBytes: 1024 })
      const firstUse = START + minutes * Time.MINUTE + 10_000
      model.change(1, { activationAt: firstUse, expirationAt: firstUse + 30 * Time.DAY, usedBytes: 1_000 })
      yield* TestClock.adjust("30 seconds")
      yield* polling.due
      expect(kinds(world)).toEqual(["FirstUse", "Usage"])
      expect((yield* world.attachment).activationAt).toBe(START + seconds * Time.SECOND)
      yield* TestClock.adjust("1 day")
      yield* polling.due
      expect(world.reported).toHaveLength(2)
    })
  }

  inWorld("asks when the SIM was seen where the network is given without its time", function* (world) {
    const { model, polling } = world
    yield* world.subscribe({ megaBytes: 1024 })
    model.network = { at: null, mcc: 240, mnc: 1, rat: null, imei: null }
    yield* polling.due
    expect(model.calls).toContain("lastSeen")
    expect(world.reported).toEqual([])
    model.change(1, { activationAt: START + 5_000, expirationAt: START + 30 * Time.DAY + 5_000, usedBytes: 1_000 })
    model.lastSeen = START + 6_000
    yield* TestClock.adjust("10 seconds")
    yield* polling.due
    expect(world.reported.at(-1)).toMatchObject({ occurredAt: START + 6_000, fact: { countryAlpha2: "SE" } })
  })

  inWorld(
    "reports no location from before the SIM was ordered for, and nothing of a SIM that has no package",
    function* (world) {
      const { model, polling } = world
      model.network = { at: START - 1, mcc: 240, mnc: 1, rat: "4G - LTE", imei: null }
      const { attachmentId } = yield* world.subscribe({ megaBytes: 1024 })
      yield* polling.due
      expect(model.calls).toContain("subscriber")
      expect(world.reported).toEqual([])
      yield* world.telco.cancelPackage({ packageId: `${attachmentId}:0`, iccid: ICCID })
      model.network = { ...model.network, at: START + Time.DAY }
      model.history = [state("Enable", 0)]
      for (let day = 0; day < 3; day++) {
        yield* TestClock.adjust("1 day")
        yield* polling.due
      }
      expect(world.reported).toEqual([])
    }
  )

  inWorld("closes in on 100 %, which the OCS does not notify", function* (world) {
    const { model, polling } = world
    yield* world.subscribe({ megaBytes: 1024, start: START })
    yield* polling.due
    // From 80 % on at 1 % in ten minutes.
    for (let minute = 0; minute <= 230; minute++) {
      model.change(1, { usedBytes: Math.min(GIGABYTE, Math.round((0.8 + minute / 1_000) * GIGABYTE)) })
      yield* TestClock.adjust("1 minute")
      yield* polling.due
    }
    const full = world.reported.find(({ fact }) => fact._tag === "Usage" && fact.usage.bytes === GIGABYTE)
    expect((full?.occurredAt ?? 0) - START).toBeLessThanOrEqual(211 * Time.MINUTE)
    expect(model.calls.filter((name) => name === "packages").length).toBeLessThan(60)
  })

  inWorld("is repeated later and later while the OCS fails, and goes on after that", function* (world) {
    const { model, polling } = world
    yield* world.subscribe({ megaBytes: 1024, start: START })
    model.failing = new Set(["packages"])
    let polls = 0
    for (let minute = 0; minute < 24 * 60; minute++) {
      polls += (yield* polling.due).polls
      yield* TestClock.adjust("1 minute")
    }
    expect(polls).toBeGreaterThan(8)
    expect(polls).toBeLessThan(16)
    model.failing = new Set()
    model.change(1, { usedBytes: 5_000 })
    yield* TestClock.adjust("6 hours")
    yield* polling.due
    expect((yield* world.attachment).usedBytes).toBe(5_000)
  })

  inWorld(
    "is handed back when its process stops, and falls due after the lease that is set when it dies",
    function* (world) {
      const { journal, model, polling, renewals } = world
      const entry = Effect.orDie(journal.get({ telco: "ocs", kind: "sim", key: ICCID }))
      yield* world.subscribe({ megaBytes: 1024, start: START })
      model.hanging = new Set(["packages"])
      const running = yield* Effect.forkChild(polling.due, { startImmediately: true })
      yield* TestClock.adjust("1 second")
      expect((yield* entry)?.dueAt).toBe(START + LEASE)
      // A poll that takes longer stays one process's.
      yield* TestClock.adjust("1 minute")
      expect((yield* polling.due).polls).toBe(0)
      yield* Fiber.interrupt(running)
      expect((yield* entry)?.dueAt).toBeLessThanOrEqual(START + 1_000)
      yield* Effect.forkChild(polling.due, { startImmediately: true })
      renewals.areMade = false
      model.hanging = new Set()
      model.change(1, { usedBytes: 9 })
      yield* TestClock.adjust(LEASE - 1)
      expect((yield* polling.due).polls).toBe(0)
      yield* TestClock.adjust(1)
      expect((yield* polling.due).polls).toBe(1)
      expect((yield* world.attachment).usedBytes).toBe(9)
    }
  )

  inWorld("falls due after the lease also where it cannot be handed back", function* (world) {
    const { journal, journalFails, model, polling } = world
    yield* world.subscribe({ megaBytes: 1024, start: START })
    model.hanging = new Set(["packages"])
    const running = yield* Effect.forkChild(polling.due, { startImmediately: true })
    journalFails.replace = "sim"
    yield* Fiber.interrupt(running)
    expect((yield* journal.get({ telco: "ocs", kind: "sim", key: ICCID }))?.dueAt).toBe(START + LEASE)
    delete journalFails.replace
    model.hanging = new Set()
    model.change(1, { usedBytes: 9 })
    yield* TestClock.adjust(LEASE)
    yield* polling.due
    expect((yield* world.attachment).usedBytes).toBe(9)
  })

  inWorld("reports again what the core did not take", function* (world) {
    const { journal, model, polling } = world
    yield* world.subscribe({ megaBytes: 1024, start: START })
    const entry = yield* journal.ofExternalId({ telco: "ocs", kind: "package", externalId: "1" })
    if (entry === null) throw new Error("there is no entry")
    // A package whose creation the core has not committed yet.
    const early = { ...entry, key: "another:0", externalId: "2" }
    yield* journal.add(early)
    model.packages.push({ ...(model.packages[0] ?? expect.fail()), id: 2, usedBytes: 7 })
    yield* polling.due
    yield* TestClock.adjust("6 hours")
    yield* polling.due
    expect(world.reported.map(({ fact }) => (fact._tag === "Usage" ? fact.packageId : ""))).toEqual([
      "another:0",
      "another:0"
    ])
    expect((yield* world.attachment).usageAsOf?.has("another:0")).toBe(false)
  })

  inWorld("says until when usage is counted: the last one that has listed the package (T6)", function* (world) {
    const { model, polling } = world
    const { attachmentId } = yield* world.subscribe({ megaBytes: 1024, start: START })
    const asOf = Effect.map(world.attachment, ({ usageAsOf }) => [...(usageAsOf ?? [])])
    expect(yield* asOf).toEqual([])
    yield* polling.due
    expect(yield* asOf).toEqual([[`${attachmentId}:0`, START]])
    const polledAfter = (hours: number) => Effect.andThen(TestClock.adjust(`${hours} hours`), polling.due)
    model.failing = new Set(["packages"])
    expect(yield* polledAfter(6)).toEqual({ polls: 1, failed: 1 })
    expect(yield* asOf).toEqual([[`${attachmentId}:0`, START]])
    model.failing = new Set()
    model.unknown = new Set(["packages"])
    expect(yield* polledAfter(6)).toEqual({ polls: 1, failed: 0 })
    expect(yield* asOf).toEqual([[`${attachmentId}:0`, START]])
    model.unknown = new Set()
    expect(yield* polledAfter(6)).toEqual({ polls: 1, failed: 0 })
    expect(yield* asOf).toEqual([[`${attachmentId}:0`, START + 18 * Time.HOUR]])
    world.journalFails.get = "sim"
    expect(yield* asOf).toEqual([])
  })
})
