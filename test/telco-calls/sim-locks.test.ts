/** The locks of SIMs, in virtual time. */
import { Effect, Fiber, Latch, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Journal, SimLocks } from "../../adapters/telco-calls/index.ts"
import * as Tests from "../setup/Tests.ts"

const iccid = "8988303000000000017"

const open = Effect.map(Journal.makeMemory, (journal) => ({
  journal,
  locks: SimLocks.make(journal, { telco: "ocs" })
}))

describe("The lock of a SIM", () => {
  Tests.onTestClock("is held for as long as it is used, and given back after", function* () {
    const { locks } = yield* open
    const first = yield* Effect.forkChild(
      locks.withLock(iccid, ({ check }) => Effect.andThen(Effect.sleep("5 minutes"), check))
    )
    yield* TestClock.adjust("4 minutes")
    const second = yield* Effect.forkChild(Effect.result(locks.withLock(iccid, () => Effect.void)))
    yield* TestClock.adjust("6 seconds")
    const refused = yield* Fiber.join(second)
    expect(Result.isFailure(refused) && refused.failure).toMatchObject({
      _tag: "Telco.Unavailable",
      retryAfterSeconds: 1
    })
    yield* locks.withLock("8988303000000000025", () => Effect.void)
    const third = yield* Effect.forkChild(locks.withLock(iccid, () => Effect.succeed("mine")))
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(first)
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(third)).toBe("mine")
  })

  Tests.onTestClock("ends 15 seconds after its process has died", function* () {
    const { journal, locks } = yield* open
    // Whoever dies renews nothing and gives nothing back.
    yield* journal.lock({ telco: "ocs", iccid, token: "dead", now: 0, until: 15_000 })
    yield* TestClock.adjust("9 seconds")
    expect((yield* failed(locks.withLock(iccid, () => Effect.void)))?._tag).toBe("Telco.Unavailable")
    yield* TestClock.adjust("1 second")
    expect(yield* failed(locks.withLock(iccid, () => Effect.void))).toBe(null)
  })

  Tests.onTestClock("ends 15 seconds after its last renewal where it cannot be given back", function* () {
    const { journal } = yield* open
    const unlock = () => Effect.fail(new Journal.JournalError({ message: "out of reach" }))
    const locks = SimLocks.make({ ...journal, unlock }, { telco: "ocs" })
    expect(yield* locks.withLock(iccid, () => Effect.succeed("done"))).toBe("done")
    yield* TestClock.adjust("9 seconds")
    expect((yield* failed(locks.withLock(iccid, () => Effect.void)))?._tag).toBe("Telco.Unavailable")
    yield* TestClock.adjust("1 second")
    expect(yield* failed(locks.withLock(iccid, () => Effect.void))).toBe(null)
  })

  Tests.onTestClock(
    "is lost for good by a process that stood still, also where another one has given it back",
    function* () {
      const { journal } = yield* open
      const stands = Latch.makeUnsafe(true)
      const still = SimLocks.make(
        { ...journal, lock: (of) => Effect.andThen(stands.await, journal.lock(of)) },
        { telco: "ocs" }
      )
      const go = Latch.makeUnsafe(false)
      const first = yield* Effect.forkChild(
        still.withLock(iccid, ({ check, keep }) =>
          Effect.andThen(go.await, Effect.all([Effect.result(check), Effect.result(keep)]))
        )
      )
      yield* TestClock.adjust("1 second")
      stands.closeUnsafe()
      yield* TestClock.adjust("15 seconds")
      yield* SimLocks.make(journal, { telco: "ocs" }).withLock(iccid, () => Effect.void)
      stands.openUnsafe()
      yield* TestClock.adjust("10 seconds")
      go.openUnsafe()
      expect((yield* Fiber.join(first)).map(Result.isFailure)).toEqual([true, true])
    }
  )

  Tests.onTestClock("outlasts a journal that is out of reach for a while", function* () {
    const { journal } = yield* open
    let asked = 0
    const locks = SimLocks.make(
      {
        ...journal,
        lock: (of) =>
          ++asked === 2 ? Effect.fail(new Journal.JournalError({ message: "out of reach" })) : journal.lock(of)
      },
      { telco: "ocs" }
    )
    const first = yield* Effect.forkChild(
      locks.withLock(iccid, ({ check }) => Effect.andThen(Effect.sleep("1 minute"), check))
    )
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(first)
    expect(asked).toBeGreaterThan(10)
  })
})

/** The failure of a call that may wait for its lock. */
const failed = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.result(call))
    yield* TestClock.adjust("5500 millis")
    const result = yield* Fiber.join(fiber)
    return Result.isFailure(result) ? result.failure : null
  })
