/**
 * The daily comparison (rule S5) over HTTP, against the fake of the charging system: what somebody
 * has changed there by hand is found among the problems, and nothing else is.
 */
import { Clock, Context, Effect, Layer, Logger, Redacted, Stream } from "effect"
import { Attachments, Problems, Time, Usage, Worker } from "simplan"
import { Telco, UsageBook } from "simplan/ports"
import { describe, expect } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { HttpApi, Ocs, Orders, Reporting } from "../../adapters/telco-ocs/index.ts"
import * as Polling from "../../adapters/telco-ocs/Polling.ts"
import * as Fake from "../fakes/ocs/Fake.mjs"
import * as Service from "./Service.ts"
import { orderOf } from "./simulation/Orders.ts"
import * as Tests from "../setup/Tests.ts"

const ICCID = Fake.iccidOf(1)

/** The clock of the service that much later. */
const later =
  (millis: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.clockWith((clock) =>
      Effect.provideService(effect, Clock.Clock, {
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis),
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + millis,
        currentTimeNanos: clock.currentTimeNanos,
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        sleep: (duration) => clock.sleep(duration)
      })
    )

const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const start = Effect.promise(() => Fake.start({ subscribers: 1, now: () => clock.currentTimeMillisUnsafe() }))
  const ocs = yield* Effect.acquireRelease(start, (fake) => Effect.promise(() => fake.close()))
  const journal = yield* Journal.makeMemory
  const { url, urlUsage, urlV2 } = ocs
  const token = Redacted.make("ocs-token")
  const api = yield* Layer.build(HttpApi.layer({ url, urlUsage, urlV2, token, resellerId: 1, callsPerSecond: 1_000 }))
  const below = Layer.merge(Layer.succeedContext(api), Layer.succeed(Journal.Journal, journal))
  const options = { telco: "ocs", resellerId: 1, zones: { Green: { EUROPE: 28, FR: 27 } }, mobilePlanId: null }
  const orders = yield* Layer.build(Layer.provide(Ocs.layer(options), below))
  const service = yield* Service.make(orders, ICCID)
  const polling = yield* Polling.make({
    telco: "ocs",
    fastest: 10 * Time.SECOND,
    slowest: 6 * Time.HOUR,
    notified: [50, 80],
    meter: Reporting.makeMeter(20)
  }).pipe(Effect.provide(Layer.mergeAll(below, Layer.succeedContext(service.services), Layer.succeedContext(orders))))
  const problems = Context.get(service.services, Problems.Problems)
  const { organizationId } = service
  return {
    ...service,
    ocs,
    telco: Context.get(orders, Telco.Telco),
    /**
     * Compares the SIM so long from now, and settles its orders; the ids of all findings by then.
     */
    compare: (millis: number) =>
      Effect.gen(function* () {
        yield* Context.get(orders, Orders.Orders).settle({ limit: 100, report: () => Effect.void })
        const entry = yield* journal.get({ telco: "ocs", kind: "sim", key: ICCID })
        yield* polling.poll(entry ?? expect.fail())
        const { items } = yield* problems.page({ after: null, limit: 100 })
        return items.map(({ jobId, refused }) => [jobId.replace("review:ocs/", ""), refused?.message ?? ""] as const)
      }).pipe(later(millis)),
    /** What simplan's book of usage has by day and country. */
    usage: Context.get(service.services, Usage.Usage)
      .ofSim({ organizationId, iccid: ICCID, by: ["day", "country"] })
      .pipe(
        Stream.runCollect,
        Effect.map((sums) => sums.map((one) => [UsageBook.dateOf(one.day ?? 0), one.countryAlpha2, one.bytes])),
        later(3 * DAY)
      ),
    problems: Effect.map(problems.page({ after: null, limit: 100 }), ({ items }) => items),
    resolve: (problemId: string) => problems.resolve({ problemId }),
    /** Suspends the attachment that was made last, and waits until the telco was called. */
    suspend: Effect.gen(function* () {
      const { attachmentId } = (yield* service.attachment).attachment
      const attachments = Context.get(service.services, Attachments.Attachments)
      yield* attachments.suspend({ organizationId, iccid: ICCID, attachmentId })
      yield* Context.get(service.services, Worker.Worker).drain
    }),
    /** The only package there. */
    listed: Effect.sync(() => {
      const [one = expect.fail(), ...others] = ocs.books().packages.filter(({ deletedAt }) => deletedAt === null)
      expect(others).toEqual([])
      return one
    })
  }
})

type World = Effect.Success<typeof make>

/** The time of day decides when a book of usage is read, so that each test begins at this one. */
const START = Date.parse("2026-11-25T12:00:00Z")

const inWorld = Tests.given(make, (test) =>
  test.pipe(Effect.scoped, later(START - Date.now()), Effect.provide(Logger.layer([])), Effect.runPromise)
)

const DAY = Time.DAY + Time.HOUR

const WATCH = 16 * Time.MINUTE

/** A subscription whose books agree until the next day. */
const agreed = (world: World, start?: number) =>
  Effect.gen(function* () {
    const { attachmentId } = yield* world.subscribe({ megaBytes: 1024, ...(start !== undefined && { start }) })
    expect(yield* world.compare(WATCH)).toEqual([])
    return { ...(yield* world.listed), packageId: `${attachmentId}:0` }
  })

describe("The daily comparison", () => {
  inWorld("finds a package that was deactivated by hand, and none that was suspended here", function* (world) {
    const { id, packageId } = yield* agreed(world)
    world.ocs.changePackage({ id, isActive: false })
    expect(yield* world.compare(DAY)).toEqual([
      [
        `inactive/${packageId}`,
        `ocs: package ${packageId} (${id}) is not active, and nothing here has suspended it. Activate ${id} at ocs, or suspend its plan attachment, then resolve this problem`
      ]
    ])
    world.ocs.changePackage({ id, isActive: true })
    const [{ jobId: problemId } = expect.fail()] = yield* world.problems
    yield* world.resolve(problemId)
    yield* world.suspend
    expect((yield* world.listed).isActive).toBe(false)
    expect(yield* world.compare(2 * DAY)).toEqual([])
  })

  inWorld("finds a changed limit", function* (world) {
    const { allowanceBytes, id, packageId } = yield* agreed(world)
    world.ocs.changePackage({ id, allowanceBytes: 2 * allowanceBytes })
    expect(yield* world.compare(DAY)).toEqual([
      [
        `limit/${packageId}`,
        `ocs: package ${packageId} (${id}) was ordered with 1073741824 bytes, and has 2147483648. Set the allowance of ${id} at ocs to that which was ordered, then resolve this problem`
      ]
    ])
  })

  inWorld("finds a changed expiry, of a package with a window and of one from its first use on", function* (world) {
    const now = yield* Clock.currentTimeMillis
    const first = yield* agreed(world, now)
    world.ocs.changePackage({ id: first.id, expirationAt: now + 40 * Time.DAY })
    yield* world.subscribe({ megaBytes: 2048 })
    const second = world.ocs.books().packages.at(-1) ?? expect.fail()
    yield* Effect.promise(() => world.ocs.useData({ iccid: ICCID, bytes: 10, packageId: second.id }))
    expect((yield* world.compare(DAY)).map(([id]) => id)).toEqual([`times/${first.packageId}`])
    const { expirationAt } = world.ocs.books().packages.at(-1) ?? expect.fail()
    world.ocs.changePackage({ id: second.id, expirationAt: (expirationAt ?? 0) + Time.DAY })
    expect((yield* world.compare(2 * DAY)).map(([id]) => id.slice(0, 6))).toEqual(["times/", "times/"])
  })

  inWorld("finds an end that was set before the first use, and none that follows from that use", function* (world) {
    const { id, packageId } = yield* agreed(world)
    const end = Math.floor((yield* Clock.currentTimeMillis) / Time.SECOND) * Time.SECOND + 3 * Time.DAY
    world.ocs.changePackage({ id, expirationAt: end })
    const [[, message] = expect.fail(), ...others] = yield* world.compare(DAY)
    expect(others).toEqual([])
    expect(message).toMatch(
      `package ${packageId} (${id}) was ordered from its first use on, and lasts from its first use to ${Time.toIso(end)}`
    )
    const [{ jobId: problemId } = expect.fail()] = yield* world.problems
    world.ocs.changePackage({ id, expirationAt: null })
    yield* world.resolve(problemId)
    yield* Effect.promise(() => world.ocs.useData({ iccid: ICCID, bytes: 10, packageId: id }))
    expect(yield* world.compare(2 * DAY)).toEqual([])
  })

  inWorld("finds a template that was edited, once for all packages of it", function* (world) {
    const { templateId } = yield* agreed(world)
    const throttling = { throttlingActive: true, throttlingThreshold1Perc: 50, throttlingThreshold1Limit: 512 }
    world.ocs.changeTemplate({ id: templateId, perioddays: 60, databyte: 5 * 1_048_576, ...throttling })
    const description = `ocs: template ${templateId}, "simplan z28 1024MB 30d", was edited: its allowance in bytes is 5242880, and was 1073741824, its number of days is 60, and was 30, its throttling is 50:512, and was none. Set it back at ocs, and correct the packages that were made from it meanwhile, then resolve this problem`
    expect(yield* world.compare(DAY)).toEqual([[`template/${templateId}`, description]])
    yield* world.subscribe({ megaBytes: 1024 })
    expect((yield* world.compare(2 * DAY)).filter(([id]) => id.startsWith("template/"))).toHaveLength(1)
  })

  inWorld("finds a day later a template that was edited where none could be read", function* (world) {
    const { templateId } = yield* agreed(world)
    world.ocs.changeTemplate({ id: templateId, perioddays: 60 })
    const operation = "listPrepaidPackageTemplate"
    world.ocs.setFaults([{ operation, fault: "http", status: 503 }])
    expect(yield* world.compare(DAY)).toEqual([])
    expect(world.ocs.books().calls.at(-1)).toMatchObject({ operation, fault: "http" })
    world.ocs.setFaults([])
    expect((yield* world.compare(2 * DAY)).map(([id]) => id)).toEqual([`template/${templateId}`])
  })

  inWorld("finds a package that is gone after the watch time, and not in a list that is behind", function* (world) {
    const { id, packageId } = yield* agreed(world)
    world.ocs.changePackage({ id, deletedAt: 1 })
    expect(yield* world.compare(DAY)).toEqual([])
    world.ocs.changePackage({ id, deletedAt: null })
    expect(yield* world.compare(DAY + WATCH)).toEqual([])
    world.ocs.changePackage({ id, deletedAt: 1 })
    expect(yield* world.compare(2 * DAY + WATCH)).toEqual([])
    expect((yield* world.compare(2 * DAY + 2 * WATCH)).map(([finding]) => finding)).toEqual([`missing/${packageId}`])
  })

  inWorld("finds a package that no subscription owns, though its order stands in the journal", function* (world) {
    yield* agreed(world)
    const order = orderOf(ICCID)("forgotten:0")
    const { telcoPackageId } = yield* world.telco.createPackage(order)
    expect(yield* world.compare(DAY)).toEqual([])
    expect(yield* world.compare(DAY + WATCH)).toEqual([
      [
        "ownerless/forgotten:0",
        `ocs: package forgotten:0 (${telcoPackageId}) is active, no subscription has it, and 0 bytes of it are used. Delete package ${telcoPackageId} at ocs, then resolve this problem`
      ]
    ])
  })

  inWorld("moves usage to the day and country of the system's book, and finds what it has beside", function* (world) {
    const now = yield* Clock.currentTimeMillis
    yield* agreed(world, now)
    yield* Effect.promise(() => world.ocs.useData({ iccid: ICCID, bytes: 900, mcc: 262, mnc: 1 }))
    yield* Effect.promise(() => world.ocs.useData({ iccid: ICCID, bytes: 100, mcc: 208, mnc: 1 }))
    const date = UsageBook.dateOf(UsageBook.dayOf(now))
    expect(yield* world.compare(DAY)).toEqual([])
    expect((yield* world.usage).slice(0, 2)).toEqual([
      [date, "DE", 900],
      [date, "FR", 100]
    ])
  })

  inWorld("finds usage that the system has charged outside of all packages", function* (world) {
    const now = yield* Clock.currentTimeMillis
    yield* agreed(world, now)
    yield* Effect.promise(() => world.ocs.useData({ iccid: ICCID, bytes: 1000, mcc: 262, mnc: 1 }))
    world.ocs.addUsage({ iccid: ICCID, bytes: 7, mcc: 222, mnc: 1 })
    expect(yield* world.compare(DAY)).toEqual([])
    const [[id, message] = expect.fail(), ...others] = yield* world.compare(DAY + 7 * Time.HOUR)
    expect(others).toEqual([])
    expect(id).toBe(`usage/${ICCID}/${UsageBook.dateOf(UsageBook.dayOf(now))}`)
    expect(message).toContain("the SIM has used 1000 bytes by simplan's book, and 1007 by that of ocs")
  })
})
