/**
 * The business clocks. On a virtual one nothing waits for the machine's time: an advance, a
 * `settled` or a stop ends by what has happened. The machine's clock stands still in these tests,
 * so whatever waits for it, also as a poll, never ends.
 */
import { Context, Deferred, Effect, Fiber, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { Clock, Commands, EventHandlers, Services, Settings, Subscriptions, Time, Webhooks, Worker } from "simplan"
import { Clocks, Storage, Telco, type WebhookEvent } from "simplan/ports"
import * as fc from "fast-check"
import * as Memory from "simplan/memory"
import { describe, expect, it } from "vitest"
import * as Shop from "../../setup/Shop.ts"
import * as Tests from "../../setup/Tests.ts"
import * as Ports from "../Ports.ts"

it("The system's clock follows the machine's and cannot be set", () =>
  Effect.gen(function* () {
    const clock = yield* Clocks.BusinessClock
    expect(clock.set).toBeNull()
    yield* TestClock.setTime(1_000)
    expect(yield* clock.now).toBe(1_000)
    yield* TestClock.adjust("1 minute")
    expect(yield* clock.now).toBe(61_000)
  }).pipe(
    Effect.provide(Layer.provide(Clocks.system, Memory.layer)),
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  ))

it("The system's clock is as far ahead of the machine's as the storage's, and does not go back by a little", () =>
  Effect.gen(function* () {
    let ahead = 7_200_000
    const storage = Storage.Storage.of({ ...(yield* Storage.Storage), clockOffset: Effect.sync(() => ahead) })
    const system = Layer.provide(Clocks.system, Layer.succeed(Storage.Storage, storage))
    const clock = Context.get(yield* Layer.build(system), Clocks.BusinessClock)
    yield* TestClock.setTime(1_000)
    expect(yield* clock.now).toBe(7_201_000)
    ahead -= 10
    expect(yield* clock.now).toBe(7_201_000)
    yield* TestClock.adjust(20)
    expect(yield* clock.now).toBe(7_201_010)
    ahead = 0
    expect(yield* clock.now).toBe(1_020)
  }).pipe(Effect.provide(Memory.layer), Effect.provide(TestClock.layer()), Effect.scoped, Effect.runPromise))

it("A virtual clock stands still until it is set, whatever the machine's does", () =>
  Effect.gen(function* () {
    const clock = yield* Clocks.BusinessClock
    yield* TestClock.adjust("1 hour")
    expect(yield* clock.now).toBe(5)
    yield* clock.set?.(7) ?? Effect.void
    yield* TestClock.adjust("1 hour")
    expect(yield* clock.now).toBe(7)
  }).pipe(Effect.provide(Clocks.virtual(5)), Effect.provide(TestClock.layer()), Effect.runPromise))

const START = Date.UTC(2026, 0, 31, 12)
const [first = "", second = ""] = ["8933010000000000018", "8933010000000000026"]

/** How many turns of the event loop all of this takes at most; it takes some dozens. */
const TURNS = 5_000

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Ends with the effect; fails where that waits for the machine's clock. */
const atOnce = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const ended = Deferred.makeUnsafe<A, E>()
  yield* Effect.forkDetach(Deferred.into(effect, ended), { startImmediately: true })
  for (let turns = 0; turns < TURNS && !Deferred.isDoneUnsafe(ended); turns++) yield* turn
  return yield* Deferred.isDoneUnsafe(ended)
    ? Deferred.await(ended)
    : Effect.die(new Error("It waits for the machine's clock"))
})

/** Runs with a whole service, and stops it afterwards. */
const withService = <A, E>(
  body: Effect.Effect<A, E, Services.Services | Storage.Storage | Scope.Scope>,
  around: (telco: Telco.Telco["Service"]) => Telco.Telco["Service"] = (telco) => telco,
  storing: (storage: Storage.Storage["Service"]) => Storage.Storage["Service"] = (storage) => storage
) => {
  const telco = Layer.effect(Telco.Telco, Effect.map(Telco.Telco, around))
  const storage = Layer.effect(Storage.Storage, Effect.map(Storage.Storage, storing))
  const below = Layer.mergeAll(Layer.provideMerge(storage, Memory.layer), Ports.make(Clocks.virtual(START)))
  const ports = Layer.provideMerge(telco, below)
  return atOnce(Effect.scoped(Effect.provide(body, Layer.provideMerge(Services.layer, ports))))
}

const on = (
  name: string,
  types: ReadonlyArray<string>,
  handle: (event: WebhookEvent.WebhookEvent) => Effect.Effect<unknown, unknown> = () => Effect.void
) => EventHandlers.EventHandlers.use((of) => of.on({ name, types }, handle))

const advanceBy = (millis: number) => Clock.Clock.use((of) => of.advanceBy(millis))

/** An organization with a subscription to a plan of twelve months that is in use. */
const monthly = Effect.gen(function* () {
  const organizationId = yield* Shop.open([first, second])
  const recurrence = { periodicity: "Monthly", frequency: 1, occurrences: 12 } as const
  const { planId } = yield* Shop.createPlan(organizationId, { recurrence })
  yield* Shop.subscribe({ organizationId, planId }, { activePeriod: { start: START, end: null } })
  return { organizationId, planId }
})

/** Has the telco make no package before it may. */
const held = () => {
  const [asked, mayAnswer] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  const around = (telco: Telco.Telco["Service"]): Telco.Telco["Service"] => ({
    ...telco,
    createPackage: (order) =>
      Deferred.succeed(asked, undefined).pipe(
        Effect.andThen(Deferred.await(mayAnswer)),
        Effect.andThen(telco.createPackage(order))
      )
  })
  return { asked: Deferred.await(asked), answer: Deferred.succeed(mayAnswer, undefined), around }
}

describe("On a virtual clock nothing waits for the machine's:", () => {
  Tests.onTestClock("an advance past events of one of two handlers", function* () {
    const got: Array<string> = []
    const of = (name: string) => (event: WebhookEvent.WebhookEvent) =>
      Effect.sync(() => got.push(`${name} ${event.payload.type}`))
    yield* withService(
      Effect.gen(function* () {
        yield* Effect.flatMap(Worker.Worker, (worker) => worker.running)
        yield* on("made", ["package.created"], of("made"))
        yield* on("paused", ["subscription.paused"], of("paused"))
        yield* monthly
        for (let months = 0; months < 3; months++) yield* advanceBy(31 * Time.DAY)
      })
    )
    expect(got).toEqual(Array.from({ length: 4 }, () => "made package.created"))
  })

  Tests.onTestClock("an advance that a handler holds up until it is taken away", function* () {
    yield* withService(
      Effect.gen(function* () {
        const [called, goesOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        yield* on("slow", ["package.created"], () =>
          Effect.andThen(Deferred.succeed(called, undefined), Deferred.await(goesOn))
        )
        yield* on("other", ["subscription.paused"])
        yield* monthly
        const handlers = yield* EventHandlers.EventHandlers
        const removed = Effect.andThen(Deferred.await(called), handlers.off("slow"))
        yield* Effect.all([advanceBy(1), removed], { concurrency: "unbounded" })
        yield* Deferred.succeed(goesOn, undefined)
      })
    )
  })

  Tests.onTestClock("an advance while a creation waits for the telco", function* () {
    const telco = held()
    yield* withService(
      Effect.gen(function* () {
        const organizationId = yield* Shop.open([first])
        const { planId } = yield* Shop.createPlan(organizationId)
        const creation = yield* Effect.forkChild(Shop.subscribe({ organizationId, planId }))
        yield* telco.asked
        const advance = yield* Effect.forkChild(advanceBy(Time.DAY), { startImmediately: true })
        yield* Effect.repeat(turn, { times: 20 })
        expect(advance.pollUnsafe()).toBeUndefined()
        yield* telco.answer
        yield* Fiber.join(creation)
        expect(yield* Fiber.join(advance)).toBe(START + Time.DAY)
      }),
      telco.around
    )
  })

  /**
   * A creation that has reserved the only eSIM and commits when it may, and another one meanwhile:
   * what comes of both.
   */
  const both = Effect.fnUntraced(function* (simReservationPool: boolean, commits: boolean) {
    const [begun, mayCommit] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const failed = new Storage.StorageError({ message: "The storage is out of reach" })
    const storing = (storage: Storage.Storage["Service"]): Storage.Storage["Service"] => ({
      ...storage,
      commit: (commit) =>
        commit.sims === undefined || Deferred.isDoneUnsafe(begun)
          ? storage.commit(commit)
          : Deferred.succeed(begun, undefined).pipe(
              Effect.andThen(Deferred.await(mayCommit)),
              Effect.andThen(commits ? storage.commit(commit) : Effect.fail(failed))
            )
    })
    const settings = yield* Settings.Settings
    const fastPaths = { ...settings.fastPaths, simReservationPool }
    return yield* withService(
      Effect.gen(function* () {
        const organizationId = yield* Shop.open([first])
        const { planId } = yield* Shop.createPlan(organizationId)
        const create = Effect.forkChild(Effect.result(Shop.subscribe({ organizationId, planId })), {
          startImmediately: true
        })
        const one = yield* create
        yield* Deferred.await(begun)
        const other = yield* create
        yield* Effect.repeat(turn, { times: 50 })
        expect(other.pollUnsafe()).toBeUndefined()
        yield* Deferred.succeed(mayCommit, undefined)
        return [(yield* Fiber.join(one))._tag, (yield* Fiber.join(other))._tag]
      }),
      undefined,
      storing
    ).pipe(Effect.provideService(Settings.Settings, { ...settings, fastPaths }))
  })

  for (const pool of [false, true]) {
    const by = pool ? "by a pool of reservations" : "by a statement of its own"
    Tests.onTestClock(`a creation while another one has the only eSIM, ${by}`, function* () {
      expect(yield* both(pool, true)).toEqual(["Success", "Failure"])
      expect(yield* both(pool, false)).toEqual(["Failure", "Success"])
    })
  }

  Tests.onTestClock("a creation whose commits conflict with others again and again", function* () {
    let conflicts = 0
    const created = yield* withService(
      Effect.gen(function* () {
        const organizationId = yield* Shop.open([first])
        const { planId } = yield* Shop.createPlan(organizationId)
        return yield* Shop.subscribe({ organizationId, planId })
      }),
      undefined,
      (storage) => ({
        ...storage,
        commit: (commit) =>
          commit.sims !== undefined && conflicts++ < 8
            ? Effect.fail(new Storage.Conflict({ on: "version" }))
            : storage.commit(commit)
      })
    )
    expect([created.sim.iccid, conflicts > 8]).toEqual([first, true])
  })

  Tests.onTestClock("who waits for a command, carried out or cancelled", function* () {
    yield* withService(
      Effect.gen(function* () {
        const organizationId = yield* Shop.open([first])
        const { planId } = yield* Shop.createPlan(organizationId)
        const commands = yield* Commands.Commands
        const request = {
          _tag: "CreateSubscription",
          planId,
          metadata: "",
          iccid: null,
          activePeriod: null
        } as const
        const submitted = () => commands.submit({ organizationId, request, idempotencyKey: null })
        const waiting = ({ commandId }: { readonly commandId: string }) =>
          Effect.forkChild(Effect.result(commands.settled({ organizationId, commandId })), { startImmediately: true })
        const cancelled = yield* submitted()
        const refused = yield* waiting(cancelled)
        yield* Effect.repeat(turn, { times: 20 })
        yield* commands.cancel({ organizationId, commandId: cancelled.commandId })
        expect(yield* Fiber.join(refused)).toMatchObject({ _tag: "Failure" })
        const carriedOut = yield* waiting(yield* submitted())
        yield* Effect.flatMap(Worker.Worker, (worker) => worker.running)
        expect(yield* Fiber.join(carriedOut)).toMatchObject({ _tag: "Success" })
      })
    )
  })

  Tests.onTestClock("an advance past events that are forgotten, of which there are many", function* () {
    yield* withService(
      Effect.gen(function* () {
        const organizationId = yield* Shop.open()
        const storage = yield* Storage.Storage
        yield* Webhooks.Webhooks.use((of) =>
          of.create({ organizationId, url: "https://receiver.example/", events: null, description: "" })
        )
        const data = { sim: first, smdpStateChange: { state: "Enable", modificationResult: "Success" } } as const
        const events = Array.from({ length: 2_500 }, (_, index) => ({
          organizationId,
          eventId: `event ${index}`,
          createdAt: START,
          payload: { type: "esim.smdp.stateChanged", data } as const
        }))
        yield* storage.commit({ events })
        yield* advanceBy(31 * Time.DAY)
        const left = yield* Webhooks.Webhooks.use((of) => of.deliveries({ organizationId, after: null, limit: 10 }))
        expect(left.items).toEqual([])
      })
    )
  })

  Tests.onTestClock("random calls and advances, with handlers of some types", function* () {
    const types = ["subscription.created", "package.created", "attachment.activated", "attachment.expired"] as const
    const handle = fc.record({
      do: fc.constant("handle" as const),
      name: fc.constantFrom("a", "b", "c"),
      types: fc.subarray([...types], { minLength: 1 })
    })
    const subscribe = fc.record({
      do: fc.constant("subscribe" as const),
      iccid: fc.constantFrom(first, second),
      days: fc.integer({ min: 1, max: 40 })
    })
    const others = fc.oneof(
      fc.record({ do: fc.constant("leave" as const), name: fc.constantFrom("a", "b", "c") }),
      fc.record({ do: fc.constant("remove" as const), index: fc.nat(1) }),
      fc.record({ do: fc.constant("advance" as const), days: fc.integer({ min: 0, max: 40 }) })
    )
    const step = fc.oneof(handle, subscribe, others)
    const more = fc.array(step, { minLength: 3, maxLength: 12 })
    const run = fc.tuple(fc.boolean(), handle, handle, subscribe, more)
    for (const [works, one, other, creation, rest] of fc.sample(run, { numRuns: 60, seed: 7 })) {
      const steps = [one, other, creation, ...rest]
      yield* withService(
        Effect.gen(function* () {
          if (works) yield* Effect.flatMap(Worker.Worker, (worker) => worker.running)
          const organizationId = yield* Shop.open([first, second])
          const recurrence = { periodicity: "Monthly", frequency: 1, occurrences: 12 } as const
          const { planId } = yield* Shop.createPlan(organizationId, { recurrence })
          const handlers = yield* EventHandlers.EventHandlers
          for (const one of steps) {
            if (one.do === "handle") yield* on(one.name, one.types)
            else if (one.do === "leave") yield* handlers.off(one.name)
            else if (one.do === "advance") yield* advanceBy(one.days * Time.DAY)
            else if (one.do === "remove") {
              const iccid = one.index === 0 ? first : second
              yield* Effect.ignore(Subscriptions.Subscriptions.use((of) => of.remove({ organizationId, iccid })))
            } else {
              const start = (yield* Clock.Clock.use((of) => of.read)).now + one.days * Time.DAY
              yield* Effect.ignore(
                Shop.subscribe({ organizationId, planId }, { iccid: one.iccid, activePeriod: { start, end: null } })
              )
            }
          }
          yield* Worker.Worker.use((worker) => worker.drain)
        })
      )
    }
  })
})
