/**
 * Rule W13 at the telco: what one organization asks of it keeps another one waiting for a turn, and
 * no longer. On a virtual machine clock.
 */
import { Effect, Layer, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { Messages, Services, Settings, Subscriptions, Worker } from "simplan"
import { Clocks, Telco } from "simplan/ports"
import * as Memory from "simplan/memory"
import { describe, expect } from "vitest"
import { CallGate } from "../../../adapters/telco-calls/index.ts"
import * as Ports from "../Ports.ts"
import { settled } from "./VirtualTime.ts"
import * as Routed from "../../telco-routes/World.ts"
import * as Tests from "../../setup/Tests.ts"

/** How long the telco takes for a call, in milliseconds. */
const CALL = 300
const CALLS_AT_ONCE = 16
/** The requests that a key may have under way. */
const AT_ONCE = 32

type Asked = Parameters<Telco.Telco["Service"]["sendSms"]>[0]

/** A telco that takes its time, and does not answer messages for which `answers` is false. */
const slow = (answers: (sms: Asked) => boolean): Telco.Telco["Service"] => {
  const done = Effect.sleep(CALL)
  return {
    createPackage: ({ packageId }) =>
      Effect.as(done, { telcoPackageId: packageId, activationAt: null, expirationAt: null }),
    suspendPackage: () => done,
    cancelPackage: () => done,
    sendSms: (sms) =>
      answers(sms) ? done : Effect.andThen(done, Effect.fail(new Telco.Unavailable({ message: "500" }))),
    releaseProfile: () => done,
    setMobilePlan: () => done
  }
}

const customer = Effect.gen(function* () {
  const { organizationId } = yield* Routed.organization
  const { planId } = yield* Routed.plan(organizationId, "Green")
  return { organizationId, planId }
})

type Customer = Effect.Success<typeof customer>

const create = ({ organizationId, planId }: Customer, iccid: string) =>
  Subscriptions.Subscriptions.use((of) =>
    of.create({ organizationId, planId, iccid, metadata: "", activePeriod: null })
  )

const send = ({ organizationId }: Customer, iccid: string, text = "Hello") =>
  Messages.Messages.use((of) => of.send({ organizationId, iccid, from: "Acme", text }))

/** How an effect ends, and after how many milliseconds. */
const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const clock = yield* Effect.clockWith(Effect.succeed)
    const began = clock.currentTimeMillisUnsafe()
    const exit = yield* Effect.exit(effect)
    return { isDone: exit._tag === "Success", millis: clock.currentTimeMillisUnsafe() - began }
  })

const runWith = (answers: (sms: Asked) => boolean) =>
  Tests.by<Services.Services | Worker.Worker>((test) =>
    Effect.gen(function* () {
      const limits = { telco: "north", concurrency: CALLS_AT_ONCE, callsPerSecond: Number.POSITIVE_INFINITY }
      const gate = yield* CallGate.make(limits)
      const ports = Layer.merge(
        Layer.provideMerge(Ports.make(Clocks.system), Memory.layer),
        Layer.succeed(Telco.Telco, gate.around(slow(answers)))
      )
      const services = Layer.provideMerge(Services.layer, ports)
      const settings = Effect.map(Settings.Settings, (preset) => ({ ...preset, drainMillis: 0, smsLimit: null }))
      const context = yield* settled(Effect.provideServiceEffect(Layer.build(services), Settings.Settings, settings))
      yield* Effect.forkScoped(
        Effect.provideContext(
          Worker.Worker.use((of) => of.runForever),
          context
        )
      )
      return yield* Effect.provideContext(test, context)
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(TestClock.layer(), Logger.layer([]))), Effect.runPromise)
  )

const run = runWith(() => true)

describe("W13: at a telco whose calls take long", () => {
  run("another organization's messages at their limits fail no creation, and hold none up for long", function* () {
    const [loud, quiet] = yield* settled(Effect.all([customer, customer]))
    const [target = ""] = yield* settled(Routed.sims(loud.organizationId, "Green", 1))
    const iccids = yield* settled(Routed.sims(quiet.organizationId, "Green", 38))
    yield* settled(create(loud, target))
    const sent = yield* Ref.make(0)
    const flood = Effect.forever(
      Effect.matchEffect(send(loud, target), {
        onSuccess: () => Ref.update(sent, (count) => count + 1),
        onFailure: () => Effect.sleep(10)
      })
    )
    yield* Effect.forEach(Array.from({ length: AT_ONCE }), () => Effect.forkChild(flood), { discard: true })
    yield* settled(Effect.sleep(1_000))
    const creations = yield* settled(
      Effect.forEach(iccids, (iccid) => Effect.tap(timed(create(quiet, iccid)), Effect.sleep(100)))
    )
    expect(creations.filter(({ isDone }) => !isDone)).toEqual([])
    // The call itself, and a turn after a call of the other.
    expect(Math.max(...creations.map(({ millis }) => millis))).toBeLessThan(3 * CALL)
    // The other one goes on as well.
    expect(yield* Ref.get(sent)).toBeGreaterThan(200)
  })

  run("another organization's jobs that fall due at once fail no creation", function* () {
    const [loud, quiet] = yield* settled(Effect.all([customer, customer]))
    const many = yield* settled(Routed.sims(loud.organizationId, "Green", 120))
    const iccids = yield* settled(Routed.sims(quiet.organizationId, "Green", 10))
    yield* settled(Effect.forEach(many, (iccid) => create(loud, iccid), { concurrency: 8 }))
    const remove = (iccid: string) =>
      Subscriptions.Subscriptions.use((of) => of.remove({ organizationId: loud.organizationId, iccid }))
    yield* Effect.forEach(many, (iccid) => Effect.forkChild(remove(iccid)), { discard: true })
    yield* settled(Effect.sleep(50))
    const creations = yield* settled(Effect.forEach(iccids, (iccid) => timed(create(quiet, iccid)), { concurrency: 4 }))
    expect(creations.filter(({ isDone }) => !isDone)).toEqual([])
    expect(Math.max(...creations.map(({ millis }) => millis))).toBeLessThan(5 * CALL)
  })

  runWith(({ text }) => text !== "bad")(
    "what the telco does not answer to one organization holds back only that one",
    function* () {
      const [loud, quiet] = yield* settled(Effect.all([customer, customer]))
      const [bad = ""] = yield* settled(Routed.sims(loud.organizationId, "Green", 1))
      const [iccid = ""] = yield* settled(Routed.sims(quiet.organizationId, "Green", 1))
      yield* settled(create(loud, bad))
      for (let count = 0; count < 6; count++) yield* settled(timed(send(loud, bad, "bad")))
      expect(yield* settled(timed(send(loud, bad)))).toMatchObject({ isDone: false, millis: 0 })
      expect(yield* settled(timed(create(quiet, iccid)))).toMatchObject({ isDone: true })
    }
  )
})
