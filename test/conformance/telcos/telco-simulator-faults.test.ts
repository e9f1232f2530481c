import { Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Telco } from "simplan/ports"
import { Faults, TelcoSimulator } from "simplan/telco-simulator"
import { describe, expect, it } from "vitest"
import { iccid, memory, order, postgres, window } from "./SimulatorBooks.ts"
import * as Tests from "../../setup/Tests.ts"

const simulated = Effect.all({ telco: Telco.Telco, behind: TelcoSimulator.TelcoSimulator })

for (const [name, books] of Object.entries({ memory, PostgreSQL: postgres })) {
  const simulator = TelcoSimulator.layer().pipe(Layer.provide(books))

  describe(`The simulator over books in ${name}`, () => {
    const test = Tests.given(simulated, (body) => Effect.runPromise(Effect.provide(body, Layer.fresh(simulator))))

    test("shows what was done", function* ({ behind, telco }) {
      for (const id of ["a:0", "b:0", "c:0"]) yield* telco.createPackage(order(id))
      yield* telco.suspendPackage({ packageId: "b:0", iccid })
      yield* telco.cancelPackage({ packageId: "c:0", iccid })
      yield* telco.cancelPackage({ packageId: "d:0", iccid })
      yield* telco.releaseProfile({ key: "r", iccid })
      expect((yield* behind.packages).map((one) => [one.packageId, one.status])).toEqual([
        ["a:0", "active"],
        ["b:0", "suspended"],
        ["c:0", "cancelled"]
      ])
      expect(yield* behind.spentKeys).toEqual(["d:0"])
      expect(yield* behind.releasedProfiles).toEqual([iccid])
      expect((yield* behind.calls).createPackage).toBe(3)
      expect((yield* behind.calls).cancelPackage).toBe(2)
    })

    test("refuses for good, as often as set, and is itself again for other keys", function* ({ behind, telco }) {
      yield* behind.setFaults([{ fault: "refuse", on: "createPackage", times: 1, message: "no such tariff" }])
      const refused = new Telco.Refused({ message: "no such tariff" })
      expect(yield* Effect.flip(telco.createPackage(order("a:0")))).toEqual(refused)
      expect(yield* Effect.flip(telco.createPackage(order("a:0")))).toEqual(refused)
      yield* telco.createPackage(order("b:0"))
      expect((yield* behind.packages).map((one) => one.packageId)).toEqual(["b:0"])
    })

    test("makes no package on a SIM whose id has one on another SIM, as after a restore", function* ({
      behind,
      telco
    }) {
      yield* telco.createPackage(order("a:0:1"))
      const elsewhere = { ...order("a:0:1"), iccid: "8933010000000009999" }
      expect(yield* Effect.flip(telco.createPackage(elsewhere))).toMatchObject({
        _tag: "Telco.Refused",
        message: "The package a:0:1 is on another SIM"
      })
      expect((yield* behind.packages).map((one) => one.iccid)).toEqual([iccid])
    })

    test("keeps every call's refusal, and its success", function* ({ behind, telco }) {
      yield* telco.createPackage(order("a:0"))
      const calls = [
        telco.suspendPackage({ packageId: "a:0", iccid }),
        telco.cancelPackage({ packageId: "a:0", iccid }),
        telco.sendSms({ messageId: "m", iccid, from: "me", text: "hi" }),
        telco.releaseProfile({ key: "r", iccid }),
        telco.setMobilePlan({ key: "p", iccid, applied: true })
      ]
      yield* behind.setFaults([{ fault: "refuse" }])
      for (const call of calls) expect((yield* Effect.flip(call))._tag).toBe("Telco.Refused")
      expect((yield* telco.createPackage(order("a:0"))).telcoPackageId).toBe("telco-a:0")
      yield* behind.clearFaults
      for (const call of calls) expect((yield* Effect.flip(call))._tag).toBe("Telco.Refused")
      expect((yield* behind.packages).map((one) => one.status)).toEqual(["active"])
      expect(yield* behind.messages).toEqual([])
      expect(yield* behind.releasedProfiles).toEqual([])
      expect((yield* behind.mobilePlans).size).toBe(0)
    })

    test("is unavailable for the calls that a predicate picks", function* ({ behind, telco }) {
      yield* behind.setFaults([{ fault: "unavailable", when: (call) => call.key.startsWith("bad") }])
      expect((yield* Effect.flip(telco.createPackage(order("bad:0"))))._tag).toBe("Telco.Unavailable")
      yield* telco.createPackage(order("good:0"))
      expect((yield* behind.packages).map((one) => one.packageId)).toEqual(["good:0"])
      yield* behind.clearFaults
      yield* telco.createPackage(order("bad:0"))
      expect(yield* behind.packages).toHaveLength(2)
    })

    test("does the work of a call whose answer is lost, once", function* ({ behind, telco }) {
      yield* behind.setFaults([{ fault: "answer lost", times: 1 }])
      expect((yield* Effect.flip(telco.createPackage(order("a:0"))))._tag).toBe("Telco.Unavailable")
      expect(yield* behind.packages).toHaveLength(1)
      yield* telco.createPackage(order("a:0"))
      expect(yield* behind.packages).toHaveLength(1)
    })
  })
}

describe("The simulator's slow calls", () => {
  const test = Tests.given(simulated, (body) =>
    body.pipe(Effect.provide(TelcoSimulator.layerMemory()), Effect.provide(TestClock.layer()), Effect.runPromise)
  )

  test("take their time on the machine's clock", function* ({ behind, telco }) {
    yield* behind.setFaults([{ fault: "slow", delay: "10 seconds", times: 1 }])
    const call = yield* Effect.forkChild(telco.createPackage(order("a:0")), { startImmediately: true })
    yield* TestClock.adjust("9 seconds")
    expect(call.pollUnsafe()).toBeUndefined()
    expect(yield* behind.packages).toEqual([])
    yield* TestClock.adjust("1 second")
    expect((yield* Fiber.join(call)).telcoPackageId).toBe("telco-a:0")
  })

  test("reach the telco though their caller gave up, and find the key spent if it was cancelled meanwhile", function* ({
    behind,
    telco
  }) {
    yield* behind.setFaults([{ fault: "slow", on: "createPackage", delay: "10 seconds" }])
    for (const id of ["late:0", "cancelled:0"]) {
      const call = yield* Effect.forkChild(Effect.timeout(telco.createPackage(order(id)), "1 second"), {
        startImmediately: true
      })
      yield* TestClock.adjust("1 second")
      expect(Exit.isFailure(yield* Fiber.await(call))).toBe(true)
    }
    yield* telco.cancelPackage({ packageId: "cancelled:0", iccid })
    yield* TestClock.adjust("10 seconds")
    expect((yield* behind.packages).map((one) => one.packageId)).toEqual(["late:0"])
  })

  test("can meet another fault on top", function* ({ behind, telco }) {
    yield* behind.setFaults([
      { fault: "slow", delay: "10 seconds" },
      { fault: "answer lost", times: 1 }
    ])
    const call = yield* Effect.forkChild(Effect.flip(telco.createPackage(order("a:0"))), { startImmediately: true })
    yield* TestClock.adjust("10 seconds")
    expect((yield* Fiber.join(call))._tag).toBe("Telco.Unavailable")
    expect(yield* behind.packages).toHaveLength(1)
  })
})

describe("The simulator's times", () => {
  const created = (options: TelcoSimulator.Options, windowed: boolean) =>
    Telco.Telco.use((telco) => telco.createPackage({ ...order("a:0"), window: windowed ? window : null })).pipe(
      Effect.provide(TelcoSimulator.layerMemory(options)),
      Effect.runPromise
    )

  it.each([
    ["reported", true, window.start, window.end],
    ["reported", false, null, null],
    ["withheld", true, null, null]
  ] as const)("%s, with a window: %s", async (times, windowed, activationAt, expirationAt) => {
    expect(await created({ times }, windowed)).toEqual({ telcoPackageId: "telco-a:0", activationAt, expirationAt })
  })

  it("of its own", async () => {
    const times = () => ({ activationAt: window.start + 1, expirationAt: window.end + 1 })
    expect(await created({ times }, true)).toMatchObject(times())
  })
})

describe("A fault", () => {
  it("befalls no more calls than it says, and only its kind", () => {
    const call = (kind: Faults.Kind): Faults.Call => ({ kind, key: "k", iccid })
    const faults: ReadonlyArray<Faults.Fault> = [{ fault: "unavailable", on: "sendSms", times: 1 }]
    const [other, untouched] = Faults.take(faults, call("createPackage"))
    expect(other.unavailable).toBe(null)
    const [first, left] = Faults.take(untouched, call("sendSms"))
    expect(first.unavailable).toBe("The telco is out of reach")
    const [second] = Faults.take(left, call("sendSms"))
    expect(second.unavailable).toBe(null)
  })
})
