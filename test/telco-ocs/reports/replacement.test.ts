/**
 * A subscription that moves to another SIM (rule S8) of an online charging system: when the new SIM
 * is polled, and how the usage of the old one is compared.
 */
import { Context, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Attachments, Replacements, Sims, Time, Usage } from "simplan"
import { Package, UsageBook } from "simplan/ports"
import { describe, expect } from "vitest"
import * as PollSchedule from "../../../adapters/telco-calls/polls/PollSchedule.ts"
import { GIGABYTE, ICCID, inWorld, START, TELCO, type World } from "./ReportsWorld.ts"

const NEXT = "8991000000000000020"

/** Polls a SIM at an instant, whenever it is due; when it is polled again. */
const pollAt = (world: World, iccid: string, instant: number) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(instant)
    const entry = () => world.journal.get({ telco: TELCO, kind: "sim", key: iccid })
    yield* world.polling.poll((yield* entry()) ?? expect.fail())
    return (yield* entry())?.dueAt ?? null
  })

/** Moves the subscription to another SIM, and does the jobs. */
const replace = ({ organizationId, services, work }: World) =>
  Effect.gen(function* () {
    const row = { iccid: NEXT, label: "Green", isEsim: true, lpa: "LPA:1$smdp.example$DEF" }
    yield* Context.get(services, Sims.Sims).importRows({ organizationId, rows: Stream.make(row) })
    yield* Context.get(services, Replacements.Replacements).replace({ organizationId, iccid: ICCID })
    yield* work
  })

describe("A subscription that has moved", () => {
  inWorld("says what was assumed where the system does not list the old package any more", function* (world) {
    yield* world.subscribe({ megaBytes: 1_024, start: START })
    world.model.change(1, { usedBytes: 100 * 1_048_576 })
    yield* pollAt(world, ICCID, START + Time.HOUR)
    world.model.change(1, { usedBytes: 990 * 1_048_576 })
    world.model.packages = []
    yield* replace(world)
    expect(world.model.packages).toMatchObject([{ iccid: NEXT, allowanceBytes: 924 * 1_048_576 }])
    const attachments = Context.get(world.services, Attachments.Attachments)
    const listed = yield* attachments.list({ organizationId: world.organizationId, iccid: NEXT })
    expect(listed.flatMap(({ packages }) => packages.map(Package.assumedUsedBytes))).toEqual([100 * 1_048_576])
  })

  inWorld("is polled by the thresholds of its plan, and not by those of what was left", function* (world) {
    yield* world.subscribe({ megaBytes: 102_400, start: START })
    world.model.change(1, { usedBytes: 40 * GIGABYTE })
    yield* pollAt(world, ICCID, START + Time.HOUR)
    yield* replace(world)
    expect(world.model.packages).toMatchObject([{ iccid: NEXT, allowanceBytes: 60 * GIGABYTE, usedBytes: 0 }])
    // It was idle for long: half of the plan may be reached with 10 GB more, and half of what was
    // left with 30 GB.
    const now = START + 20 * Time.HOUR
    expect(yield* pollAt(world, NEXT, now)).toBe(now + (10 * GIGABYTE) / PollSchedule.PEAK + PollSchedule.TOLERANCE)
    world.model.change(2, { usedBytes: 50 * GIGABYTE })
    yield* pollAt(world, NEXT, now + Time.HOUR)
    const attachments = Context.get(world.services, Attachments.Attachments)
    const listed = yield* attachments.list({ organizationId: world.organizationId, iccid: NEXT })
    expect(listed.map(({ usedBytes }) => usedBytes)).toEqual([90 * GIGABYTE])
  })

  inWorld("has its usage on the old SIM moved to the days and countries of the system's book, too", function* (world) {
    const { model, organizationId, problems, services } = world
    const [today, tomorrow] = [UsageBook.dayOf(START), UsageBook.dayOf(START) + Time.DAY]
    yield* world.subscribe({ megaBytes: 1_024, start: START })
    model.change(1, { usedBytes: 700 })
    model.usage = [
      { iccid: ICCID, at: START + Time.HOUR, countryAlpha2: "DE", bytes: 400 },
      { iccid: ICCID, at: START + 2 * Time.HOUR, countryAlpha2: "FR", bytes: 300 }
    ]
    yield* pollAt(world, ICCID, START + 3 * Time.HOUR)
    // Found after midnight, and used before.
    model.change(1, { usedBytes: 750 })
    model.usage = [...model.usage, { iccid: ICCID, at: tomorrow - Time.MINUTE, countryAlpha2: "FR", bytes: 50 }]
    yield* pollAt(world, ICCID, tomorrow + Time.MINUTE)
    yield* replace(world)
    yield* pollAt(world, ICCID, tomorrow + 4 * Time.HOUR)
    const sums = Context.get(services, Usage.Usage)
      .ofSim({ organizationId, iccid: ICCID, by: ["day", "country"], from: UsageBook.dateOf(today) })
      .pipe(Stream.runCollect)
    expect(yield* sums).toEqual([
      { day: today, countryAlpha2: "DE", bytes: 400 },
      { day: today, countryAlpha2: "FR", bytes: 350 }
    ])
    yield* pollAt(world, ICCID, tomorrow + Time.DAY)
    expect(yield* problems).toEqual([])
  })
})
