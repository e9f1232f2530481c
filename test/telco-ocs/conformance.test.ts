/**
 * The adapter of the online charging system is a telco, over a model of the system and a journal in
 * memory.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Api, Ocs, Orders } from "../../adapters/telco-ocs/index.ts"
import { Telco } from "simplan/ports"
import { afterAll, describe, expect, it } from "vitest"
import * as TelcoSuite from "../../src/testing/TelcoSuite.ts"
import * as Model from "./Model.ts"
import { orderOf, terms } from "./simulation/Orders.ts"

class Behind extends Context.Service<Behind, Model.Model>()("test/Behind") {}

const options = { telco: "ocs", resellerId: 1, zones: { Green: { FR: 27, EUROPE: 28 } }, mobilePlanId: 10, listLag: 0 }

const system = (model: Model.Model = Model.make()) =>
  Ocs.layer(options).pipe(
    Layer.provideMerge([Journal.layerMemory, Layer.succeed(Api.Api, model.api), Layer.succeed(Behind, model)])
  )

/** The model's id of a package, once the journal has it. */
const idOf = (packageId: string) =>
  Effect.gen(function* () {
    const journal = yield* Journal.Journal
    const entry = yield* journal.get({ telco: "ocs", kind: "package", key: packageId })
    return entry?.externalId == null ? null : Number(entry.externalId)
  })

const observe: TelcoSuite.Observe<Behind | Journal.Journal> = {
  // A package without an owner counts for whoever asks.
  packages: Effect.fnUntraced(function* (ids) {
    const { packages } = yield* Behind
    const journal = yield* Journal.Journal
    const ours = (yield* Effect.forEach(ids, idOf)).filter((id) => id !== null && packages.has(id))
    const strangers = yield* Effect.filter([...packages.keys()], (id) =>
      Effect.map(
        journal.ofExternalId({ telco: "ocs", kind: "package", externalId: String(id) }),
        (entry) => entry === null
      )
    )
    return ours.length + strangers.length
  }),
  messages: (iccid, text) =>
    Effect.map(
      Behind,
      ({ messages }) => messages.filter((one) => one.imsi.endsWith(iccid.slice(-10)) && one.text === text).length
    ),
  mobilePlan: (iccid) => Effect.map(Behind, ({ mobilePlans }) => (mobilePlans.get(iccid) ?? null) !== null),
  service: (iccid) => Effect.map(Behind, ({ suspended }) => !suspended.has(iccid))
}

/** What befalls the next call of a name. */
let next: { readonly name: keyof Api.Api["Service"]; readonly fault: Model.Fault } | null = null

const takeFault = (name: keyof Api.Api["Service"]): Model.Fault | null => {
  if (next?.name !== name) return null
  const { fault } = next
  next = null
  return fault
}

const names = {
  createPackage: "affectPackage",
  suspendPackage: "setPackageStatus",
  cancelPackage: "deletePackage",
  sendSms: "sendSms",
  setMobilePlan: "setMobilePlan",
  setService: "setSubscriberStatus",
  // The system has no such call, and this one is made by no operation.
  releaseProfile: "profileHistory"
} as const satisfies Record<TelcoSuite.Operation, keyof Api.Api["Service"]>

const befall = (fault: Model.Fault) => (operation: TelcoSuite.Operation) =>
  Effect.sync(() => {
    next = { name: names[operation], fault }
  })

/** The watch time of orders, and more. */
const LATER = 20 * 60_000

const later = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.clockWith((clock) =>
    Effect.provideService(effect, Clock.Clock, {
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + LATER),
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + LATER,
      currentTimeNanos: clock.currentTimeNanos,
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      sleep: (duration) => clock.sleep(duration)
    })
  )

const faults: TelcoSuite.Faults<Behind | Journal.Journal | Orders.Orders> = {
  loseRequest: befall({ kind: "request lost" }),
  loseAnswer: befall({ kind: "answer cut" }),
  // The caller's time-out in the model is 10 s, and the effect comes 0.1 s after the call.
  doLate: (operation) => Effect.as(befall({ kind: "late", after: -9_900 })(operation), Effect.sleep(200)),
  refuse: befall({ kind: "refused" }),
  reportTimes: Effect.fnUntraced(function* (packageId) {
    const { packages } = yield* Behind
    const found = packages.get((yield* idOf(packageId)) ?? 0)
    if (found !== undefined) packages.set(found.id, { ...found, activationAt: 1_000, expirationAt: 2_000 })
  }),
  use: Effect.fnUntraced(function* (packageId, bytes) {
    const model = yield* Behind
    model.use((yield* idOf(packageId)) ?? 0, bytes, yield* Clock.currentTimeMillis)
  }),
  settle: Effect.flatMap(Orders.Orders, ({ settle }) => later(settle({ limit: 100, report: () => Effect.void })))
}

TelcoSuite.run(
  "The online charging system",
  system(Model.make({ fault: takeFault })),
  { describe, it, afterAll },
  { observe, faults, findsOthers: true }
)

const iccid = "8988303000000000017"

const order = orderOf(iccid)

const run = <A, E>(
  effect: Effect.Effect<A, E, Telco.Telco | Ocs.Services | Journal.Journal>,
  model: Model.Model = Model.make()
) => Effect.runPromise(Effect.provide(effect, system(model)))

describe("The adapter of the online charging system", () => {
  it("has one template for the same grant, whatever the terms' name", async () => {
    const model = Model.make()
    await run(
      Effect.gen(function* () {
        const telco = yield* Telco.Telco
        yield* telco.createPackage(order("a:0"))
        yield* telco.createPackage(order("b:0", { terms: { ...terms, name: "Another name" } }))
        yield* telco.createPackage(order("c:0", { terms: { ...terms, throttling: [] } }))
      }),
      model
    )
    expect(model.templates.map(({ name }) => name)).toEqual([
      "simplan z27 1024MB 30d t50:512,80:256,95:128",
      "simplan z27 1024MB 30d"
    ])
  })

  it("orders under a new template where somebody has deleted the old one, and else is refused", async () => {
    const model = Model.make({ fault: takeFault })
    await run(
      Effect.gen(function* () {
        const telco = yield* Telco.Telco
        yield* telco.createPackage(order("a:0"))
        for (const [place, one] of model.templates.entries()) model.templates[place] = { ...one, isDeleted: true }
        yield* telco.createPackage(order("b:0"))
        next = { name: "affectPackage", fault: { kind: "refused" } }
        expect(yield* Effect.flip(telco.createPackage(order("c:0")))).toMatchObject({ _tag: "Telco.Refused" })
      }),
      model
    )
    const [first, second, ...others] = model.templates
    expect([first?.name, others.length]).toEqual([second?.name, 0])
    expect([...model.packages.values()].map(({ templateId }) => templateId)).toEqual([first?.id, second?.id])
  })

  it("does not refuse an order for good where a template is gone and the others cannot be read", async () => {
    const model = Model.make({ fault: takeFault })
    await run(
      Effect.gen(function* () {
        const telco = yield* Telco.Telco
        yield* telco.createPackage(order("a:0"))
        for (const [place, one] of model.templates.entries()) model.templates[place] = { ...one, isDeleted: true }
        next = { name: "templates", fault: { kind: "not reached" } }
        expect(yield* Effect.flip(telco.createPackage(order("b:0")))).toMatchObject({ _tag: "Telco.Unavailable" })
        yield* telco.createPackage(order("b:0"))
      }),
      model
    )
    expect([...model.packages.values()].map(({ templateId }) => templateId)).toEqual([9000, 9001])
  })
})
