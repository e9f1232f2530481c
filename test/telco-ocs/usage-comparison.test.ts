/**
 * The daily comparison of usage with the charging system's own book of it (rule U1): when the book
 * is read, what moves in simplan's, and what becomes a problem.
 */
import { Context, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Problems, Time, Usage } from "simplan"
import { UsageBook } from "simplan/ports"
import { describe, expect } from "vitest"
import { ICCID, inWorld, START, TELCO, type World } from "./reports/ReportsWorld.ts"

const TODAY = UsageBook.dayOf(START)
const TOMORROW = TODAY + Time.DAY
/** From when on the system's book of a day is read, after its end. */
const CLOSING = 3 * Time.HOUR

/** Polls the SIM at an instant, whenever it is due. */
const pollAt = (world: World, instant: number) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(instant)
    const entry = yield* world.journal.get({ telco: TELCO, kind: "sim", key: ICCID })
    yield* world.polling.poll(entry ?? expect.fail())
    return (yield* world.journal.get({ telco: TELCO, kind: "sim", key: ICCID }))?.dueAt ?? null
  })

/** What simplan's book has by day and country. */
const book = ({ organizationId, services }: World) =>
  Context.get(services, Usage.Usage)
    .ofSim({ organizationId, iccid: ICCID, by: ["day", "country"], from: UsageBook.dateOf(TODAY) })
    .pipe(
      Stream.runCollect,
      Effect.map((sums) => sums.map((one) => [UsageBook.dateOf(one.day ?? 0), one.countryAlpha2, one.bytes]))
    )

/** So many bytes are used in a package at an instant. */
const use = (world: World, id: number, at: number, countryAlpha2: string | null, bytes: number) => {
  const one = world.model.packages.find((pack) => pack.id === id) ?? expect.fail()
  world.model.change(id, { activationAt: one.activationAt ?? at, usedBytes: one.usedBytes + bytes })
  world.model.usage = [...(world.model.usage ?? []), { iccid: ICCID, at, countryAlpha2, bytes }]
}

const reads = ({ model }: World) => model.calls.filter((name) => name === "usage").length

const differing = (world: World) =>
  Effect.map(world.problems, (problems) =>
    problems.flatMap(({ refused, work }) => (work._tag === "UsageDiffers" ? [[work.usage, refused?.message]] : []))
  )

const [day, next] = [UsageBook.dateOf(TODAY), UsageBook.dateOf(TOMORROW)]

describe("The daily comparison of usage", () => {
  inWorld("replaces guessed countries and days from 3 hours after midnight on, with one call a day", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    use(world, 1, START + Time.HOUR, "DE", 500)
    use(world, 1, START + 2 * Time.HOUR, "FR", 200)
    yield* pollAt(world, START + 3 * Time.HOUR)
    use(world, 1, TOMORROW - Time.MINUTE, "FR", 40)
    use(world, 1, TOMORROW + Time.MINUTE, "IT", 3)
    yield* pollAt(world, TOMORROW + CLOSING - 1)
    expect(reads(world)).toBe(0)
    expect(yield* book(world)).toEqual([
      [day, null, 700],
      [next, null, 43]
    ])
    yield* pollAt(world, TOMORROW + CLOSING)
    const expected = [
      [day, "DE", 500],
      [day, "FR", 240],
      [next, null, 3]
    ]
    expect(yield* book(world)).toEqual(expected)
    yield* pollAt(world, TOMORROW + 4 * Time.HOUR)
    expect(reads(world)).toBe(1)
    yield* pollAt(world, TOMORROW + Time.DAY + CLOSING)
    expect(reads(world)).toBe(2)
    expect(yield* book(world)).toEqual([...expected.slice(0, 2), [next, "IT", 3]])
    yield* pollAt(world, TOMORROW + 2 * Time.DAY + 4 * Time.HOUR)
    expect(reads(world)).toBe(2)
    expect(yield* world.problems).toEqual([])
    expect((yield* world.attachment).usedBytes).toBe(743)
  })

  inWorld("compares what a poll has found, though a list that is behind lacks it", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    const before = world.model.packages
    use(world, 1, START + Time.HOUR, "DE", 500)
    yield* pollAt(world, START + 2 * Time.HOUR)
    const after = world.model.packages
    world.model.packages = before
    yield* pollAt(world, START + 3 * Time.HOUR)
    expect(yield* book(world)).toEqual([[day, null, 500]])
    // Also where no list of the day has it again, as of a SIM that a subscription has left.
    yield* pollAt(world, TOMORROW + CLOSING)
    expect(reads(world)).toBe(1)
    expect(yield* book(world)).toEqual([[day, "DE", 500]])
    world.model.packages = after
    yield* pollAt(world, TOMORROW + Time.DAY + CLOSING)
    expect([reads(world), yield* book(world)]).toEqual([1, [[day, "DE", 500]]])
  })

  inWorld("asks for days after an outage, a week at a time, and for none without use", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    yield* pollAt(world, START + Time.HOUR)
    yield* pollAt(world, TOMORROW + 4 * Time.HOUR)
    expect(reads(world)).toBe(0)
    use(world, 1, TOMORROW + 5 * Time.HOUR, "FR", 10)
    use(world, 1, TOMORROW + Time.DAY, "DE", 20)
    yield* pollAt(world, TOMORROW + 4 * Time.DAY + 4 * Time.HOUR)
    expect(reads(world)).toBe(1)
    expect(yield* book(world)).toEqual([
      [next, "FR", 10],
      [UsageBook.dateOf(TOMORROW + Time.DAY), "DE", 20]
    ])
    use(world, 1, TOMORROW + 5 * Time.DAY, "FR", 30)
    yield* pollAt(world, TOMORROW + 11 * Time.DAY + 4 * Time.HOUR)
    expect([reads(world), yield* world.problems]).toEqual([3, []])
    expect(yield* book(world)).toEqual([
      [next, "FR", 10],
      [UsageBook.dateOf(TOMORROW + Time.DAY), "DE", 20],
      [UsageBook.dateOf(TOMORROW + 5 * Time.DAY), "FR", 30]
    ])
  })

  /** An outage of so many days, in which the SIM is used on each of them. */
  const outage = function* (world: World, days: number) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    yield* world.subscribe({ megaBytes: 1024 })
    for (let place = 0; place < days; place++)
      use(world, place < 30 ? 1 : 2, START + place * Time.DAY, "FR", 100 + place)
    yield* pollAt(world, TODAY + days * Time.DAY + CLOSING)
  }

  inWorld("compares each of 35 days after an outage, by six reads", function* (world) {
    yield* outage(world, 35)
    expect([reads(world), yield* world.problems]).toEqual([6, []])
    expect(yield* book(world)).toEqual(
      Array.from({ length: 35 }, (_, place) => [UsageBook.dateOf(TODAY + place * Time.DAY), "FR", 100 + place])
    )
  })

  const unread = (world: World) =>
    Effect.map(world.problems, (problems) =>
      problems.flatMap(({ refused, work }) =>
        work._tag === "ReviewPackage" ? [[work.findingId, work.sides, refused?.message]] : []
      )
    )

  inWorld(
    "lists days that are longer ago, with what simplan has of them, and the rest as a difference",
    function* (world) {
      yield* outage(world, 37)
      const last = UsageBook.dateOf(TOMORROW)
      const list = `the usage of the days from ${day} to ${last} was not compared, and cannot be read any more`
      const message = `ocs: ${list}; simplan's book has 0 bytes. Ask ocs for its usage of these days, if they are to be compared, then resolve this problem`
      const found = [
        `ocs/usage-unread/${ICCID}/${day}`,
        { ours: `0 bytes from ${day} to ${last}`, theirs: "not read" },
        message
      ]
      expect(yield* unread(world)).toEqual([found])
      expect([reads(world), (yield* book(world)).length]).toEqual([6, 36])
      // What was used on the two days was found on the day of the poll, and stays there.
      use(world, 2, TODAY + 37 * Time.DAY + 5 * Time.HOUR, "FR", 1)
      yield* pollAt(world, TODAY + 38 * Time.DAY + CLOSING)
      yield* pollAt(world, TODAY + 38 * Time.DAY + 10 * Time.HOUR)
      expect(yield* unread(world)).toEqual([found])
      expect((yield* differing(world)).map(([usage]) => usage)).toEqual([
        { day: TODAY + 37 * Time.DAY, booked: 201, telco: 1 }
      ])
    }
  )

  inWorld("lists days that the system refuses to answer, and compares the later ones", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    use(world, 1, START + Time.HOUR, "FR", 500)
    yield* pollAt(world, START + 2 * Time.HOUR)
    use(world, 1, TOMORROW + 7 * Time.DAY, "DE", 20)
    world.model.usageFrom = TOMORROW
    yield* pollAt(world, TOMORROW + 9 * Time.DAY + CLOSING)
    expect(yield* book(world)).toEqual([
      [day, null, 500],
      [UsageBook.dateOf(TOMORROW + 7 * Time.DAY), "DE", 20]
    ])
    const [[id, sides, message] = []] = yield* unread(world)
    const until = UsageBook.dateOf(TOMORROW + 3 * Time.DAY)
    expect([id, sides]).toEqual([
      `ocs/usage-unread/${ICCID}/${day}`,
      { ours: `500 bytes from ${day} to ${until}`, theirs: "not read" }
    ])
    expect(message).toContain(`simplan's book has 500 bytes (${day}: 500). Ask ocs`)
    expect(reads(world)).toBe(2)
  })

  inWorld("compares all days later where a read of earlier ones has no answer", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    use(world, 1, START + Time.HOUR, "FR", 500)
    world.model.failing = new Set(["usage"])
    yield* pollAt(world, TOMORROW + 9 * Time.DAY + CLOSING)
    expect(yield* world.problems).toEqual([])
    world.model.failing = new Set()
    yield* pollAt(world, TOMORROW + 10 * Time.DAY + CLOSING)
    expect([yield* book(world), yield* world.problems]).toEqual([[[day, "FR", 500]], []])
  })

  inWorld(
    "compares a day that differs once more, and then makes it a problem, once, with both figures",
    function* (world) {
      yield* world.subscribe({ megaBytes: 1024, start: START })
      use(world, 1, START + Time.HOUR, "FR", 500)
      yield* pollAt(world, START + 2 * Time.HOUR)
      world.model.usage = [...(world.model.usage ?? []), { iccid: ICCID, at: START, countryAlpha2: "FR", bytes: 7 }]
      yield* pollAt(world, TOMORROW + CLOSING)
      yield* pollAt(world, TOMORROW + CLOSING + 6 * Time.HOUR - 1)
      expect([reads(world), yield* world.problems]).toEqual([1, []])
      yield* pollAt(world, TOMORROW + CLOSING + 6 * Time.HOUR)
      const message = `ocs: on ${day} the SIM has used 500 bytes by simplan's book, and 507 by that of ocs. Find out at ocs what was used outside the packages of simplan, or was not charged to them, then resolve this problem`
      expect(yield* differing(world)).toEqual([[{ day: TODAY, booked: 500, telco: 507 }, message]])
      const [problem] = yield* world.problems
      yield* Context.get(world.services, Problems.Problems).resolve({ problemId: problem?.jobId ?? "" })
      use(world, 1, TOMORROW + 12 * Time.HOUR, "FR", 1)
      yield* pollAt(world, TOMORROW + Time.DAY + 4 * Time.HOUR)
      expect([reads(world), yield* world.problems]).toEqual([3, []])
    }
  )

  inWorld("withdraws a problem, or changes its figures, where the day is compared once more", function* (world) {
    const { journal, model } = world
    yield* world.subscribe({ megaBytes: 1024, start: START })
    use(world, 1, START + Time.HOUR, "FR", 500)
    yield* pollAt(world, START + 2 * Time.HOUR)
    const written = model.usage ?? []
    const late = (bytes: number) => [...written, { iccid: ICCID, at: START, countryAlpha2: "FR", bytes }]
    model.usage = late(7)
    yield* pollAt(world, TOMORROW + CLOSING)
    const place = { telco: TELCO, kind: "sim", key: ICCID }
    const { document } = (yield* journal.get(place)) ?? expect.fail()
    /** As if the process had died before it had written that it has compared. */
    const again = Effect.gen(function* () {
      yield* journal.replace({ ...((yield* journal.get(place)) ?? expect.fail()), document })
      yield* pollAt(world, TOMORROW + CLOSING + 7 * Time.HOUR)
      return (yield* differing(world)).map(([usage]) => usage)
    })
    expect(yield* again).toEqual([{ day: TODAY, booked: 500, telco: 507 }])
    model.usage = late(9)
    expect(yield* again).toEqual([{ day: TODAY, booked: 500, telco: 509 }])
    model.usage = written
    expect(yield* again).toEqual([])
  })

  /**
   * A day on which so many bytes more are in the system's book, found to differ by two comparisons.
   */
  const differs = function* (world: World, day: number, bytes: number) {
    use(world, 1, day + 13 * Time.HOUR, "FR", 500)
    yield* pollAt(world, day + 14 * Time.HOUR)
    const written = world.model.usage ?? []
    world.model.usage = [...written, { iccid: ICCID, at: day + 13 * Time.HOUR, countryAlpha2: "FR", bytes }]
    yield* pollAt(world, day + Time.DAY + CLOSING)
    yield* pollAt(world, day + Time.DAY + CLOSING + 6 * Time.HOUR)
  }

  const problemOf = (day: number) => ({ problemId: `review:ocs/usage/${ICCID}/${UsageBook.dateOf(day)}` })

  /** An operator has it tried again. */
  const retry = (world: World, day: number) =>
    Effect.andThen(Context.get(world.services, Problems.Problems).retry(problemOf(day)), world.work)

  const found = (world: World) => Effect.map(differing(world), (all) => all.map(([usage]) => usage))

  inWorld("compares the day of a problem again that is retried, at once, and no other one", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    yield* differs(world, TODAY, 7)
    yield* differs(world, TOMORROW, 8)
    const problems = Context.get(world.services, Problems.Problems)
    yield* problems.resolve(problemOf(TOMORROW))
    const after = TOMORROW + Time.DAY + 12 * Time.HOUR
    const before = reads(world)
    yield* pollAt(world, after)
    expect(reads(world)).toBe(before)
    yield* retry(world, TODAY)
    expect(yield* world.problems).toEqual([])
    const entry = yield* world.journal.get({ telco: TELCO, kind: "sim", key: ICCID })
    expect(entry?.dueAt).toBe(after)
    yield* pollAt(world, after)
    expect(yield* found(world)).toEqual([{ day: TODAY, booked: 500, telco: 507 }])
    yield* retry(world, TODAY)
    world.model.usage = world.model.usage?.filter(({ bytes }) => bytes !== 7) ?? []
    yield* pollAt(world, after + Time.MINUTE)
    yield* pollAt(world, after + 2 * Time.DAY)
    expect(yield* world.problems).toEqual([])
    expect(reads(world)).toBe(before + 2)
  })

  inWorld("compares it again also where a poll was under way, or the system does not answer", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    yield* differs(world, TODAY, 7)
    const after = TOMORROW + 12 * Time.HOUR
    yield* pollAt(world, after)
    const begun = yield* world.journal.get({ telco: TELCO, kind: "sim", key: ICCID })
    yield* retry(world, TODAY)
    yield* world.polling.poll(begun ?? expect.fail())
    expect([yield* found(world), (yield* world.journal.get(begun ?? expect.fail()))?.dueAt]).toEqual([[], after])
    world.model.failing = new Set(["usage"])
    yield* pollAt(world, after)
    world.model.failing = new Set()
    yield* pollAt(world, after + Time.DAY)
    expect(yield* found(world)).toEqual([{ day: TODAY, booked: 500, telco: 507 }])
  })

  inWorld("is not made by a poll for a notification, which leaves it as another one has made it", function* (world) {
    const { journal, polling } = world
    yield* world.subscribe({ megaBytes: 1024, start: START })
    use(world, 1, START + Time.HOUR, "FR", 500)
    yield* pollAt(world, START + 2 * Time.HOUR)
    yield* TestClock.setTime(TOMORROW + CLOSING)
    const entry = (yield* journal.get({ telco: TELCO, kind: "sim", key: ICCID })) ?? expect.fail()
    yield* polling.pollBeside(entry)
    expect(reads(world)).toBe(0)
    yield* pollAt(world, TOMORROW + CLOSING)
    yield* polling.pollBeside(entry)
    yield* pollAt(world, TOMORROW + CLOSING)
    expect(reads(world)).toBe(1)
  })

  inWorld("begins with the day of the order, too, where the first poll was for a notification", function* (world) {
    const { journal, polling } = world
    yield* world.subscribe({ megaBytes: 1024, start: START })
    use(world, 1, START + Time.HOUR, "FR", 500)
    yield* TestClock.setTime(TOMORROW + Time.HOUR)
    yield* polling.pollBeside((yield* journal.get({ telco: TELCO, kind: "sim", key: ICCID })) ?? expect.fail())
    expect(yield* book(world)).toEqual([[next, null, 500]])
    yield* pollAt(world, TOMORROW + CLOSING)
    expect(yield* book(world)).toEqual([[day, "FR", 500]])
  })

  inWorld("waits for what the system writes late, and makes no problem of it", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    use(world, 1, START + Time.HOUR, "FR", 500)
    yield* pollAt(world, START + 2 * Time.HOUR)
    const written = world.model.usage
    world.model.usage = []
    yield* pollAt(world, TOMORROW + CLOSING)
    world.model.usage = written
    yield* pollAt(world, TOMORROW + 10 * Time.HOUR)
    expect([reads(world), yield* world.problems]).toEqual([2, []])
    expect(yield* book(world)).toEqual([[day, "FR", 500]])
  })

  inWorld("reads a day later what cannot be read, and a poll goes on meanwhile", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    use(world, 1, START + Time.HOUR, "FR", 500)
    world.model.failing = new Set(["usage"])
    yield* pollAt(world, TOMORROW + CLOSING)
    expect((yield* world.attachment).usedBytes).toBe(500)
    yield* pollAt(world, TOMORROW + 12 * Time.HOUR)
    expect(reads(world)).toBe(1)
    world.model.failing = new Set()
    yield* pollAt(world, TOMORROW + Time.DAY + CLOSING)
    expect(yield* book(world)).toEqual([[day, "FR", 500]])
    expect(reads(world)).toBe(2)
  })

  inWorld("reads no book of a day that has just ended, whatever was put off", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    use(world, 1, START + Time.HOUR, "FR", 500)
    world.model.failing = new Set(["usage"])
    yield* pollAt(world, TOMORROW + 23 * Time.HOUR)
    world.model.failing = new Set()
    const midnight = TOMORROW + 2 * Time.DAY
    yield* pollAt(world, midnight + CLOSING - 1)
    expect(reads(world)).toBe(1)
    yield* pollAt(world, midnight + CLOSING)
    expect(reads(world)).toBe(2)
    expect(yield* book(world)).toEqual([[day, "FR", 500]])
  })

  inWorld("compares a day that has begun for the system, whose clock is ahead, when a SIM was used", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    use(world, 1, TOMORROW + Time.MINUTE, "DE", 500)
    yield* pollAt(world, TOMORROW - Time.MINUTE)
    yield* pollAt(world, TOMORROW + CLOSING)
    yield* pollAt(world, TOMORROW + Time.DAY + CLOSING)
    expect(yield* book(world)).toEqual([[next, "DE", 500]])
    expect(yield* world.problems).toEqual([])
  })

  inWorld("polls a SIM once more whose packages are over, for its last day", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START - 29 * Time.DAY })
    const end = START + Time.DAY
    use(world, 1, end - Time.HOUR, "FR", 500)
    const compareAt = TOMORROW + Time.DAY + CLOSING
    expect(yield* pollAt(world, end + 2 * Time.MINUTE)).toBe(compareAt)
    yield* pollAt(world, compareAt)
    expect(yield* book(world)).toEqual([[next, "FR", 500]])
  })

  inWorld("begins with the next day for a SIM that was polled before there was a comparison", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    use(world, 1, START + Time.HOUR, "FR", 500)
    yield* pollAt(world, START + 2 * Time.HOUR)
    const entry = (yield* world.journal.get({ telco: TELCO, kind: "sim", key: ICCID })) ?? expect.fail()
    const { usage: _, ...reports } = Object(entry.document["reports"])
    yield* world.journal.replace({ ...entry, document: { ...entry.document, reports } })
    yield* pollAt(world, TOMORROW + 4 * Time.HOUR)
    expect(reads(world)).toBe(0)
    use(world, 1, TOMORROW + 5 * Time.HOUR, "DE", 20)
    yield* pollAt(world, TOMORROW + Time.DAY + 4 * Time.HOUR)
    expect(yield* book(world)).toEqual([
      [day, null, 500],
      [next, "DE", 20]
    ])
  })

  inWorld("is not made where the settings name no address of the book", function* (world) {
    yield* world.subscribe({ megaBytes: 1024, start: START })
    use(world, 1, START + Time.HOUR, "FR", 500)
    world.model.usage = null
    yield* pollAt(world, TOMORROW + 4 * Time.HOUR)
    expect(yield* book(world)).toEqual([[next, null, 500]])
    world.model.usage = []
    yield* pollAt(world, TOMORROW + 5 * Time.HOUR)
    expect([reads(world), yield* world.problems]).toEqual([0, []])
  })
})
