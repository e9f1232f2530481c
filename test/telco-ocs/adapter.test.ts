/**
 * The whole adapter: over HTTP against the fake of the charging system, and its journal in PGlite
 * for the suite.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { Telco } from "simplan/ports"
import { afterAll, describe, expect, it } from "vitest"
import { Journal, SqlJournal } from "../../adapters/telco-calls/index.ts"
import { HttpApi, Ocs, Zones } from "../../adapters/telco-ocs/index.ts"
import * as TelcoSuite from "../../src/testing/TelcoSuite.ts"
import { embedded } from "../conformance/telcos/SimulatorBooks.ts"
import * as Fake from "../fakes/ocs/Fake.mjs"
import { orderOf, terms } from "./simulation/Orders.ts"
import * as Tests from "../setup/Tests.ts"

class Behind extends Context.Service<Behind, Fake.Fake>()("test/Fake") {}

const options = {
  telco: "ocs",
  resellerId: 1,
  zones: { Green: { FR: 27, EUROPE: 28, ASIA: 99 } },
  mobilePlanId: 10,
  listLag: 0
}

const fake = Layer.effect(
  Behind,
  Effect.acquireRelease(
    Effect.promise(() => Fake.start({ subscribers: 3 })),
    (ocs) => Effect.promise(() => ocs.close())
  )
)

const api = Layer.unwrap(
  Effect.map(Behind, ({ url, urlV2 }) =>
    HttpApi.layer({
      url,
      urlV2,
      token: Redacted.make("ocs-token"),
      resellerId: 1,
      timeout: "1 second",
      callsPerSecond: 1_000
    })
  )
)

const system = (journal: Layer.Layer<Journal.Journal>) =>
  Ocs.layer(options).pipe(Layer.provideMerge([journal, api]), Layer.provideMerge(fake))

const inPglite = Layer.orDie(Layer.provide(SqlJournal.layer, embedded))

const iccid = Fake.iccidOf(1)

const observe: TelcoSuite.Observe<Behind | Journal.Journal> = {
  packages: Effect.fnUntraced(function* (ids) {
    const there = (yield* Behind).books().packages.filter(({ deletedAt }) => deletedAt === null)
    const journal = yield* Journal.Journal
    const entries = yield* Effect.forEach(ids, (key) => journal.get({ telco: "ocs", kind: "package", key }))
    return there.filter(({ id }) => entries.some((entry) => entry?.externalId === String(id))).length
  }),
  messages: (to, text) =>
    Effect.map(Behind, (ocs) => ocs.books().messages.filter((one) => one.iccid === to && one.text === text).length),
  mobilePlan: (of) =>
    Effect.map(Behind, (ocs) => ocs.books().subscribers.find((one) => one.iccid === of)?.mobilePlanId === 10)
}

TelcoSuite.run("The charging system over HTTP", system(inPglite), { describe, it, afterAll }, { iccid, observe })

const order = orderOf(iccid)

describe("The charging system over HTTP", () => {
  const run = Tests.by<Telco.Telco | Ocs.Services | Behind>((test) =>
    Effect.runPromise(Effect.provide(test, Layer.fresh(system(Journal.layerMemory))))
  )

  const faults = [
    { fault: "lose_request", operation: "affectPackageToSubscriber", times: 1 },
    { fault: "lose_answer", operation: "affectPackageToSubscriber", times: 1, at: "start", cut: true },
    { fault: "lose_answer", operation: "affectPackageToSubscriber", times: 1, at: "headers", cut: true },
    { fault: "lose_answer", operation: "affectPackageToSubscriber", times: 1, at: "body", cut: true },
    { fault: "garbage", operation: "affectPackageToSubscriber", times: 1 },
    { fault: "traffic_control", operation: "affectPackageToSubscriber", times: 1 },
    { fault: "http", operation: "affectPackageToSubscriber", times: 1, status: 503 }
  ] as const satisfies ReadonlyArray<Fake.Fault>

  run("has one package after a call that goes wrong, whichever way", function* () {
    const telco = yield* Telco.Telco
    const ocs = yield* Behind
    const ids = new Set<string>()
    for (const [index, fault] of faults.entries()) {
      ocs.setFaults([fault])
      const create = telco.createPackage(order(`faulty:${index}`))
      const { telcoPackageId } = yield* Effect.retry(create, { times: 3 })
      expect(yield* create).toMatchObject({ telcoPackageId })
      ids.add(telcoPackageId)
    }
    expect(ocs.books().packages.map(({ id }) => String(id))).toEqual([...ids])
  })

  run("says that nothing is done where a call fails before the order, and not after it (S5)", function* () {
    const telco = yield* Telco.Telco
    const ocs = yield* Behind
    yield* telco.createPackage(order("before:0"))
    const failed = (key: string, operation: string) => {
      ocs.setFaults([{ fault: "http", operation, times: 1, status: 503 }])
      return Effect.flip(telco.createPackage(order(key)))
    }
    expect(yield* failed("first:0", "listSubscriberPrepaidPackages")).toMatchObject({ isDone: false })
    expect(ocs.books().packages).toHaveLength(1)
    const asked = yield* failed("second:0", "affectPackageToSubscriber")
    expect(asked).toMatchObject({ _tag: "Telco.Unavailable" })
    expect(asked).not.toHaveProperty("isDone")
  })

  run("orders what the terms say, under one template for each grant", function* () {
    const telco = yield* Telco.Telco
    const ocs = yield* Behind
    const window = { start: Date.UTC(2031, 0, 1) + 123, end: Date.UTC(2031, 0, 31) + 123 }
    const first = yield* telco.createPackage(order("a:0", { window }))
    expect(first).toMatchObject({ activationAt: window.start, expirationAt: window.end })
    yield* telco.createPackage(order("b:0", { terms: { ...terms, name: "Another name" } }))
    yield* telco.createPackage(order("c:0", { terms: { ...terms, throttling: [] } }))
    expect(ocs.books().templates).toMatchObject([
      {
        prepaidpackagetemplatename: "simplan z27 1024MB 30d t50:512,80:256,95:128",
        locationzoneid: 27,
        databyte: 1_073_741_824,
        perioddays: 30
      },
      { prepaidpackagetemplatename: "simplan z27 1024MB 30d" }
    ])
  })

  run("refuses a coverage profile without a zone, and takes a custom region's once it is set", function* () {
    const telco = yield* Telco.Telco
    const zones = yield* Zones.Zones
    const custom = { ...terms, regionCode: "R-1", coverageId: "c-1" }
    const refused = yield* Effect.flip(telco.createPackage(order("d:0", { terms: custom })))
    expect(refused).toMatchObject({ _tag: "Telco.Refused" })
    for (const word of ["Green", "R-1", "c-1"]) expect(refused.message).toContain(word)
    yield* zones.set({ label: "Green", coverageId: "c-1", zoneId: 27 })
    yield* zones.set({ label: "Green", coverageId: "c-1", zoneId: 28 })
    expect(yield* zones.of(custom)).toBe(28)
    yield* telco.createPackage(order("d:0", { terms: custom }))
    const missing = yield* zones.check
    expect(missing).toEqual([{ label: "Green", regionCode: "ASIA", zoneId: 99 }])
    expect(Zones.describe(missing)).toBe("label Green, region ASIA: there is no location zone 99")
  })

  run("refuses what the system refuses, for good, and orders again under another key", function* () {
    const telco = yield* Telco.Telco
    const ocs = yield* Behind
    ocs.setFaults([{ fault: "refuse", operation: "affectPackageToSubscriber", times: 1, code: 14 }])
    const refused = yield* Effect.flip(telco.createPackage(order("e:0")))
    expect(refused).toMatchObject({ _tag: "Telco.Refused" })
    expect(refused.message).toContain("OPERATION_IMPOSSIBLE")
    expect(yield* Effect.flip(telco.createPackage(order("e:0")))).toEqual(refused)
    yield* telco.createPackage(order("e:1"))
    const unknown = order("f:0", { iccid: "8900000000000000000" })
    expect(yield* Effect.flip(telco.createPackage(unknown))).toMatchObject({ _tag: "Telco.Refused" })
  })
})
