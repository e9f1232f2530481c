/**
 * A charging system with a clock, a zone and lists of its own: over HTTP with the fake, with a
 * journal that goes on through restarts, in which the settings may change; and what is behind, over
 * the model and a clock of the test's.
 */
import { Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Telco } from "simplan/ports"
import { afterEach, describe, expect, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Api, HttpApi, Ocs, type Orders } from "../../adapters/telco-ocs/index.ts"
import * as Fake from "../fakes/ocs/Fake.mjs"
import * as Model from "./Model.ts"
import { orderOf } from "./simulation/Orders.ts"
import * as Tests from "../setup/Tests.ts"

let ocs: Fake.Fake | null = null
afterEach(async () => {
  await ocs?.close()
  ocs = null
})

const startFake = async (options: Fake.Options) => {
  ocs = await Fake.start({ subscribers: 4, ...options })
  return ocs
}

const orders = [1, 2, 3, 4].map((n) => orderOf(Fake.iccidOf(n)))

const order = (n: number, packageId: string, window: Telco.PackageOrder["window"] = null) =>
  orders[n - 1]?.(packageId, { window }) ?? expect.fail()

interface Settings {
  readonly timeZone?: string
  readonly listLag?: number
}

/** A process with the settings, on a journal that others may use too. */
const inProcess =
  ({ url, urlV2 }: Fake.Fake, journal: Journal.Journal["Service"]) =>
  <A, E>(
    settings: Settings,
    use: (telco: Telco.Telco["Service"]) => Effect.Effect<A, E, Orders.Orders>
  ): Promise<A> => {
    const connection = { url, urlV2, token: Redacted.make("ocs-token"), resellerId: 1, callsPerSecond: 1_000 }
    const layer = Ocs.layer({
      telco: "ocs",
      resellerId: 1,
      zones: { Green: { FR: 27 } },
      mobilePlanId: null,
      listLag: 0,
      ...settings
    }).pipe(Layer.provide([HttpApi.layer({ ...connection, ...settings }), Layer.succeed(Journal.Journal, journal)]))
    const run = Effect.flatMap(Telco.Telco, use).pipe(
      Effect.provide(Layer.fresh(layer)),
      Effect.provideService(Logger.CurrentLoggers, new Set())
    )
    return Effect.runPromise(run)
  }

const live = (fake: Fake.Fake) => fake.books().packages.filter(({ deletedAt }) => deletedAt === null)

const calls = (fake: Fake.Fake, name: string) => fake.books().calls.filter(({ operation }) => operation === name).length
const ordered = (fake: Fake.Fake) => calls(fake, "affectPackageToSubscriber")

const unanswered: Fake.Fault = { fault: "lose_answer", operation: "affectPackageToSubscriber", times: 1, at: "start" }

/** A system that lists its packages only once the test says so. */
const startBehind = async (options: Fake.Options, ahead = 0) => {
  let passed = 0
  const now = () => Date.now() + ahead * 1_000 + passed
  const fake = await startFake({ ...options, now, listLag: 600_000 })
  const list = () => {
    passed += 600_000
  }
  return { fake, list }
}

describe("A system with a clock of its own", () => {
  it.each([-600, -90, -1.5, 0, 600])(
    "has one package where an order's answer is lost and the device is online at once, %d s ahead",
    async (ahead) => {
      const { fake, list } = await startBehind({}, ahead)
      const run = inProcess(fake, await Effect.runPromise(Journal.makeMemory))
      fake.setFaults([unanswered])
      const lost = await run({}, (telco) => Effect.flip(telco.createPackage(order(1, "a:0"))))
      expect(lost).toMatchObject({ _tag: "Telco.Unavailable" })
      await fake.useData({ iccid: Fake.iccidOf(1), bytes: 5 })
      list()
      const { telcoPackageId } = await run({}, (telco) => telco.createPackage(order(1, "a:0")))
      expect(live(fake).map(({ id }) => String(id))).toEqual([telcoPackageId])
      expect(ordered(fake)).toBe(1)
    }
  )
})

describe("A system that reads the windows of orders in another zone than UTC", () => {
  const summer = { start: Date.UTC(2040, 6, 1, 10), end: Date.UTC(2040, 6, 31, 10) }
  const winter = { start: Date.UTC(2040, 0, 1, 10), end: Date.UTC(2040, 0, 31, 10) }

  it("gets no order with a window before time_zone names the zone, and keeps nothing of the first one", async () => {
    const fake = await startFake({ timeZone: "Europe/Paris" })
    const run = inProcess(fake, await Effect.runPromise(Journal.makeMemory))
    const create = (n: number, key: string, window: Telco.PackageOrder["window"]) => (telco: Telco.Telco["Service"]) =>
      telco.createPackage(order(n, key, window))
    const refused = (n: number, key: string) => run({}, (telco) => Effect.flip(create(n, key, summer)(telco)))

    const first = await refused(1, "a:0")
    expect(first).toMatchObject({ _tag: "Telco.Unavailable" })
    for (const part of ["2040-07-01T08:00:00", "2040-07-01T10:00:00", "UTC+02:00", "Set time_zone"])
      expect(first.message).toContain(part)
    expect([live(fake), ordered(fake)]).toEqual([[], 1])

    // Every process stops, also for other SIMs; what has no window goes on.
    expect((await refused(2, "b:0")).message).toBe(first.message)
    expect(ordered(fake)).toBe(1)
    await run({}, create(3, "c:0", null))
    expect(live(fake)).toHaveLength(1)

    const paris = { timeZone: "Europe/Paris" }
    const { telcoPackageId, ...times } = await run(paris, create(1, "a:0", summer))
    expect(times).toEqual({ activationAt: summer.start, expirationAt: summer.end })
    await run(paris, create(2, "b:0", winter))
    expect(live(fake).map((one) => [one.activationAt, one.expirationAt])).toEqual([
      [null, null],
      [summer.start, summer.end],
      [winter.start, winter.end]
    ])
    expect(live(fake).map(({ id }) => String(id))).toContain(telcoPackageId)
  })

  it("is found out in summer where the zone that is set differs in summer alone", async () => {
    const fake = await startFake({ timeZone: "Europe/London" })
    const run = inProcess(fake, await Effect.runPromise(Journal.makeMemory))
    await run({}, (telco) => telco.createPackage(order(1, "a:0", winter)))
    const across = { start: winter.start, end: summer.end }
    const stopped = await run({}, (telco) => Effect.flip(telco.createPackage(order(2, "b:0", across))))
    expect(stopped.message).toContain("UTC+01:00")
    expect(live(fake).map(({ iccid }) => iccid)).toEqual([Fake.iccidOf(1)])
  })

  it("keeps nothing of an order without an answer, whether that is asked for again or cancelled", async () => {
    for (const end of ["created", "cancelled"]) {
      const { fake, list } = await startBehind({ timeZone: "America/New_York" })
      const run = inProcess(fake, await Effect.runPromise(Journal.makeMemory))
      const create = () => run({}, (telco) => Effect.flip(telco.createPackage(order(1, "a:0", summer))))
      fake.setFaults([unanswered])
      await create()
      list()
      expect(live(fake)).toHaveLength(1)
      if (end === "created") expect((await create()).message).toContain("UTC-04:00")
      else await run({}, (telco) => telco.cancelPackage({ iccid: Fake.iccidOf(1), packageId: "a:0" }))
      expect([live(fake), ordered(fake)]).toEqual([[], 1])
      await fake.close()
    }
  })

  it("is asked for its list once for each day on which windows begin or end, over all processes", async () => {
    const fake = await startFake({ timeZone: "Europe/Paris" })
    const run = inProcess(fake, await Effect.runPromise(Journal.makeMemory))
    const lists = async (n: number, window: Telco.PackageOrder["window"]) => {
      const before = calls(fake, "listSubscriberPrepaidPackages")
      await run({ timeZone: "Europe/Paris" }, (telco) => telco.createPackage(order(n, `${n}:0`, window)))
      return calls(fake, "listSubscriberPrepaidPackages") - before
    }
    expect([await lists(1, summer), await lists(2, summer), await lists(3, winter), await lists(4, winter)]).toEqual([
      2, 1, 2, 1
    ])
  })

  it("gets times that its clocks show once, where an hour comes twice", async () => {
    const fake = await startFake({ timeZone: "Europe/Paris" })
    const run = inProcess(fake, await Effect.runPromise(Journal.makeMemory))
    const change = Date.UTC(2040, 9, 28, 1)
    const half = 1_800_000
    const window = { start: change + half, end: Date.UTC(2041, 9, 27, 1) - half }
    const reported = await run({ timeZone: "Europe/Paris" }, (telco) => telco.createPackage(order(1, "a:0", window)))
    expect([window.start - reported.activationAt!, reported.expirationAt! - window.end]).toEqual([4 * half, 4 * half])
    expect(live(fake)).toMatchObject([{ activationAt: reported.activationAt, expirationAt: reported.expirationAt }])
  })
})

describe("Lists that are behind", () => {
  const iccid = "8988303000000000017"
  const orderOfModel = orderOf(iccid)

  const makeModel = Effect.sync(() => {
    let isFirst = true
    return Model.make({
      lag: () => 5_000,
      fault: (name) => {
        if (name !== "affectPackage" || !isFirst) return null
        isFirst = false
        return { kind: "answer cut" }
      }
    })
  })
  const withModel = (name: string, body: Tests.Body<Telco.Telco, [model: Model.Model]>) =>
    Tests.onTestClock(name, function* () {
      const model = yield* makeModel
      const layer = Ocs.layer({ telco: "ocs", resellerId: 1, zones: { Green: { FR: 27 } }, mobilePlanId: null }).pipe(
        Layer.provide([Journal.layerMemory, Layer.succeed(Api.Api, model.api)])
      )
      yield* Effect.provide(
        Effect.gen(() => body(model)),
        layer
      )
    })

  withModel("make no second package of an order without an answer", function* (model) {
    const create = Telco.Telco.use((telco) => telco.createPackage(orderOfModel("a:0")))
    yield* Effect.flip(create)
    yield* TestClock.adjust("4 seconds")
    expect(yield* Effect.flip(create)).toMatchObject({ _tag: "Telco.Unavailable", retryAfterSeconds: 6 })
    yield* TestClock.adjust("6 seconds")
    const { telcoPackageId } = yield* create
    expect([...model.packages.keys()].map(String)).toEqual([telcoPackageId])
  })

  withModel("let no cancellation end before they show what the order's call has done", function* (model) {
    const telco = yield* Telco.Telco
    yield* Effect.flip(telco.createPackage(orderOfModel("a:0")))
    const cancel = telco.cancelPackage({ packageId: "a:0", iccid })
    expect(yield* Effect.flip(cancel)).toMatchObject({ _tag: "Telco.Unavailable", retryAfterSeconds: 10 })
    yield* TestClock.adjust("10 seconds")
    yield* cancel
    expect(model.packages.size).toBe(0)
  })

  withModel("hold up the first order with a window, and no other", function* (model) {
    const telco = yield* Telco.Telco
    const window = { start: Date.UTC(2040, 0, 1), end: Date.UTC(2040, 0, 8) }
    const create = (key: string) => telco.createPackage(orderOfModel(key, { window }))
    yield* Effect.flip(create("a:0"))
    yield* TestClock.adjust("10 seconds")
    yield* create("a:0")
    const day = { start: window.start + 86_400_000, end: window.end }
    const first = yield* Effect.forkChild(telco.createPackage(orderOfModel("b:0", { window: day })), {
      startImmediately: true
    })
    yield* TestClock.adjust("4 seconds")
    expect(first.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("2 seconds")
    const { telcoPackageId } = yield* Fiber.join(first)
    expect((yield* telco.createPackage(orderOfModel("c:0", { window: day }))).telcoPackageId).not.toBe(telcoPackageId)
    expect(model.packages.size).toBe(3)
  })
})
