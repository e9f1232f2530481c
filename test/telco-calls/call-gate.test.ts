/**
 * What every call passes, with its breaker and its metrics, on a virtual clock.
 */
import { Effect, Exit, Fiber, Layer, Metric, Result } from "effect"
import { TestClock } from "effect/testing"
import { Telco } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as CircuitBreaker from "../../adapters/telco-calls/CircuitBreaker.ts"
import { CallGate, CallFailure } from "../../adapters/telco-calls/index.ts"
import * as Tests from "../setup/Tests.ts"

const silent = new CallFailure.CallFailure({ outcome: "Unknown", message: "no answer", isAnswered: false })
const answered = new CallFailure.CallFailure({ outcome: "Unknown", message: "database", isAnswered: true })
const overloaded = new CallFailure.CallFailure({
  outcome: "NotDone",
  message: "100",
  isAnswered: true,
  isOverloaded: true
})

describe("the circuit breaker", () => {
  const limits: CircuitBreaker.Limits = { failures: 3, openFor: { first: 5_000, most: 15_000 } }
  const failing = (state: CircuitBreaker.State, now: number) => CircuitBreaker.unanswered(limits, state, now)

  it("opens after failures in a row, and not after others", () => {
    const twice = failing(failing(CircuitBreaker.initial, 0), 0)
    expect(twice).toEqual({ _tag: "Closed", failures: 2 })
    expect(failing(CircuitBreaker.answered, 0)).toEqual({ _tag: "Closed", failures: 1 })
    expect(failing(twice, 100)).toEqual({ _tag: "Open", until: 5_100, openFor: 5_000 })
  })

  it("lets one call try, and stays open twice as long if it is not answered, up to a bound", () => {
    const open: CircuitBreaker.State = { _tag: "Open", until: 5_100, openFor: 5_000 }
    expect(CircuitBreaker.admit(open, 100)).toEqual(Result.fail(5))
    expect(CircuitBreaker.admit(open, 5_099)).toEqual(Result.fail(1))
    const probing = Result.getOrThrow(CircuitBreaker.admit(open, 5_100))
    expect(probing).toEqual({ _tag: "HalfOpen", openFor: 5_000 })
    expect(CircuitBreaker.admit(probing, 5_100)).toEqual(Result.fail(1))
    const longer = failing(probing, 6_000)
    expect(longer).toEqual({ _tag: "Open", until: 16_000, openFor: 10_000 })
    expect(failing({ _tag: "HalfOpen", openFor: 10_000 }, 0)).toEqual({ _tag: "Open", until: 15_000, openFor: 15_000 })
    expect(failing(longer, 7_000)).toBe(longer)
    expect(CircuitBreaker.abandoned(probing, 7_000)).toEqual({ _tag: "Open", until: 7_000, openFor: 5_000 })
    expect(CircuitBreaker.abandoned(CircuitBreaker.initial, 7_000)).toBe(CircuitBreaker.initial)
  })
})

/** A test of a gate with these options, by a clock and with metrics of its own. */
const virtualWith = (options: Omit<CallGate.Options, "telco">) =>
  Tests.given(CallGate.make({ ...options, telco: "north" }), (test) =>
    test.pipe(
      Effect.scoped,
      Effect.provide([TestClock.layer(), Layer.sync(Metric.MetricRegistry, () => new Map())]),
      Effect.runPromise
    )
  )

const virtual = virtualWith({})

const valueOf = (id: string, labels: Readonly<Record<string, string>>) =>
  Effect.map(Metric.snapshot, (all) => {
    const found = all.find(
      (one) => one.id === id && Object.entries(labels).every(([label, is]) => one.attributes?.[label] === is)
    )
    const state: unknown = found?.state
    if (typeof state !== "object" || state === null) return undefined
    return "count" in state ? Number(state.count) : "value" in state ? Number(state.value) : undefined
  })

describe("the gate of calls", () => {
  virtual("starts calls evenly, orders before polls", function* (gate) {
    const started: Array<string> = []
    const call = (name: string) =>
      gate.run(
        "list",
        Effect.sync(() => started.push(name))
      )
    const polls = yield* Effect.forkChild(
      CallGate.asPoll(Effect.all([call("poll 1"), call("poll 2")], { concurrency: "unbounded" }))
    )
    const orders = yield* Effect.forkChild(Effect.all([call("order 1"), call("order 2")], { concurrency: "unbounded" }))
    const seen: Array<number> = []
    for (const wait of [0, 49, 1, 50, 50]) {
      yield* TestClock.adjust(wait)
      seen.push(started.length)
    }
    expect(seen).toEqual([1, 1, 2, 3, 4])
    expect(started).toEqual(["order 1", "order 2", "poll 1", "poll 2"])
    yield* Fiber.join(polls)
    yield* Fiber.join(orders)
  })

  virtualWith({ failures: 2 })(
    "opens the breaker after calls without an answer, reports it at once, and closes it by one that is answered",
    function* (gate) {
      let asked = 0
      const ask = (answer: Effect.Effect<void, CallFailure.CallFailure>) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(
            Effect.exit(
              gate.run(
                "list",
                Effect.suspend(() => {
                  asked += 1
                  return answer
                })
              )
            )
          )
          yield* TestClock.adjust("100 millis")
          return yield* Fiber.join(fiber)
        })
      const state = valueOf("simplan_telco_circuit_breaker_state", { telco: "north" })
      yield* ask(Effect.fail(silent))
      yield* ask(Effect.fail(answered))
      yield* ask(Effect.fail(silent))
      expect(yield* state).toBe(0)
      yield* ask(Effect.fail(silent))
      expect(yield* state).toBe(2)
      const held = yield* Effect.flip(Effect.flatten(ask(Effect.void)))
      expect(held).toMatchObject({ outcome: "NotDone", retryAfterSeconds: 5 })
      expect(asked).toBe(4)
      yield* TestClock.adjust("5 seconds")
      const probe = yield* Effect.forkChild(gate.run("list", Effect.never))
      yield* TestClock.adjust("100 millis")
      expect(yield* state).toBe(1)
      expect(yield* Effect.flip(Effect.flatten(ask(Effect.void)))).toMatchObject({ retryAfterSeconds: 1 })
      yield* Fiber.interrupt(probe)
      expect(yield* ask(Effect.void)).toEqual(Exit.void)
      expect(yield* state).toBe(0)
      const count = (outcome: string) =>
        valueOf("simplan_telco_requests_total", { telco: "north", operation: "list", outcome })
      expect(yield* count("unknown")).toBe(4)
      expect(yield* count("held_back")).toBe(2)
      expect(yield* count("interrupted")).toBe(1)
      expect(yield* count("done")).toBe(1)
      expect(yield* valueOf("simplan_telco_request_duration_seconds", { operation: "list" })).toBe(6)
    }
  )

  virtualWith({ failures: 1 })("refuses what waits when the breaker opens", function* (gate) {
    const first = yield* Effect.forkChild(Effect.exit(gate.run("list", Effect.fail(silent))))
    const second = yield* Effect.forkChild(Effect.exit(gate.run("list", Effect.void)))
    yield* TestClock.adjust("10 millis")
    yield* Fiber.join(first)
    const exit = yield* Fiber.join(second)
    expect(yield* Effect.flip(exit)).toMatchObject({ outcome: "NotDone", retryAfterSeconds: 5 })
    expect(yield* valueOf("simplan_telco_requests_waiting", { telco: "north" })).toBe(0)
  })

  virtual("slows down all calls when the telco asks for it", function* (gate) {
    const refused = yield* Effect.forkChild(Effect.exit(gate.run("list", Effect.fail(overloaded))))
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(refused)
    let asked = 0
    const calls = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: 3 }, () =>
          gate.run(
            "list",
            Effect.sync(() => (asked += 1))
          )
        ),
        { concurrency: "unbounded" }
      )
    )
    const seen: Array<number> = []
    for (let step = 0; step < 6; step++) {
      yield* TestClock.adjust("50 millis")
      seen.push(asked)
    }
    yield* TestClock.adjust("50 millis")
    yield* Fiber.join(calls)
    expect(seen).toEqual([0, 1, 1, 2, 2, 3])
  })

  virtualWith({ concurrency: 1 })(
    "frees the place of a call that is interrupted while it waits or runs",
    function* (gate) {
      const running = yield* Effect.forkChild(gate.run("list", Effect.never))
      const waiting = yield* Effect.forkChild(gate.run("list", Effect.never))
      yield* TestClock.adjust("100 millis")
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(running)
      const next = yield* Effect.forkChild(gate.run("list", Effect.succeed(1)))
      yield* TestClock.adjust("100 millis")
      expect(yield* Fiber.join(next)).toBe(1)
    }
  )

  virtualWith({ concurrency: 1 })("gives up a call whose turn does not come in time", function* (gate) {
    yield* Effect.forkChild(gate.run("list", Effect.never))
    const late = yield* Effect.forkChild(Effect.flip(gate.run("list", Effect.void)))
    yield* TestClock.adjust("5 seconds")
    expect(yield* Fiber.join(late)).toMatchObject({ outcome: "NotDone", retryAfterSeconds: 1 })
  })

  virtualWith({ callsPerSecond: 1, concurrency: 1, longestWait: { order: "2 seconds", poll: "2 seconds" } })(
    "makes all calls of an operation that has a slot, whatever waits for one",
    function* (gate) {
      const call = CallFailure.asPort(gate.run("send", Effect.sleep("100 millis")))
      const refuse = () => Effect.fail(new Telco.Refused({ message: "no" }))
      const port = gate.inSlots({
        createPackage: refuse,
        suspendPackage: refuse,
        cancelPackage: refuse,
        releaseProfile: refuse,
        setMobilePlan: refuse,
        sendSms: () => Effect.andThen(call, call)
      })
      const send = port.sendSms({ messageId: "m", iccid: "8933010000000000018", from: "Acme", text: "Hello" })
      const first = yield* Effect.forkChild(send)
      yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(Effect.ignore(send)))
      yield* TestClock.adjust("1200 millis")
      yield* Fiber.join(first)
      expect(
        yield* valueOf("simplan_telco_requests_total", { telco: "north", operation: "send", outcome: "done" })
      ).toBe(2)
    }
  )
})
