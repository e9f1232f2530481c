/**
 * The bounds of what a key has under way, over several processes in virtual time (rule W10).
 */
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { RateLimitUsage } from "simplan/ports"
import { StorageSuite, Suite } from "simplan/testing"
import { afterAll, describe, expect, it } from "vitest"
import * as Concurrency from "../../../adapters/http/middleware/Concurrency.ts"
import * as Memory from "../../../adapters/memory/index.ts"
import * as JoinedProcesses from "../JoinedProcesses.ts"
import * as Tests from "../../setup/Tests.ts"

const server = (usage: RateLimitUsage.RateLimitUsage) =>
  Effect.provideService(Concurrency.make(Concurrency.defaults), RateLimitUsage.RateLimitUsage, usage)

const two = Effect.gen(function* () {
  const processes = JoinedProcesses.make()
  const [first, second] = [yield* server(processes.join("first")), yield* server(processes.join("second"))]
  return { first, second, publications: processes.publications }
})

/** How many of so many requests or streams get a place. */
const took = (count: number, take: (key: string) => boolean): number =>
  Array.from({ length: count }, () => take("key")).filter((isTaken) => isTaken).length

const times = (count: number, act: (key: string) => void): void => {
  for (let n = 0; n < count; n++) act("key")
}

Suite.run(
  "Joined processes are a storage",
  Layer.provideMerge(Memory.layer, Layer.succeed(RateLimitUsage.RateLimitUsage, JoinedProcesses.make().join("only"))),
  StorageSuite.cases().filter(({ name }) => name.startsWith("a process does not receive")),
  { describe, it, afterAll }
)

describe("The streams of a key", () => {
  Tests.onTestClock("are bounded over all processes, and free again where they end", function* () {
    const { first, second } = yield* two
    expect(took(9, first.tryOpenStream)).toBe(8)
    yield* TestClock.adjust("200 millis")
    expect(took(1, second.tryOpenStream)).toBe(0)
    yield* TestClock.adjust("1 minute")
    expect(took(1, second.tryOpenStream)).toBe(0)
    times(3, first.closeStream)
    yield* TestClock.adjust("200 millis")
    expect(took(9, second.tryOpenStream)).toBe(3)
    yield* TestClock.adjust("200 millis")
    expect(took(1, first.tryOpenStream)).toBe(0)
    times(3, second.closeStream)
    times(5, first.closeStream)
    yield* TestClock.adjust("200 millis")
    expect(took(9, first.tryOpenStream)).toBe(8)
  })

  Tests.onTestClock("that another process was killed with are forgotten after 3 s", function* () {
    const processes = JoinedProcesses.make()
    let isKilled = false
    const killed = yield* server(processes.join("killed", () => isKilled))
    const other = yield* server(processes.join("other"))
    took(8, killed.tryOpenStream)
    yield* TestClock.adjust("1 minute")
    expect(took(1, other.tryOpenStream)).toBe(0)
    isKilled = true
    yield* TestClock.adjust("1900 millis")
    expect(took(1, other.tryOpenStream)).toBe(0)
    yield* TestClock.adjust("1500 millis")
    expect(took(9, other.tryOpenStream)).toBe(8)
  })
})

describe("The requests of a key", () => {
  Tests.onTestClock("are bounded over all processes, of which each one may have one at least", function* () {
    const { first, second } = yield* two
    expect(took(40, first.tryEnter)).toBe(32)
    yield* TestClock.adjust("200 millis")
    expect(took(40, second.tryEnter)).toBe(1)
    times(8, first.leave)
    // It takes a part of what is free at a time.
    let taken = 1
    for (let n = 0; n < 10; n++) {
      yield* TestClock.adjust("200 millis")
      taken += took(40, second.tryEnter)
    }
    expect(24 + taken).toBe(32)
  })

  Tests.onTestClock("that wait are woken when another process has fewer", function* () {
    const { first, second } = yield* two
    took(32, first.tryEnter)
    yield* TestClock.adjust("200 millis")
    took(1, second.tryEnter)
    const waiting = yield* Effect.forkChild(second.enter("key", () => {}))
    yield* TestClock.adjust("500 millis")
    times(32, first.leave)
    yield* TestClock.adjust("400 millis")
    expect(yield* Fiber.join(waiting)).toBe(true)
  })

  for (const [what, lasts] of [
    ["short", 20],
    ["long", 700]
  ] as const) {
    Tests.onTestClock(`stay within 20 % of the bound where processes are flooded with ${what} ones`, function* () {
      const processes = JoinedProcesses.make()
      let underWay = 0
      for (const name of ["first", "second", "third"]) {
        const { enter, leave } = yield* server(processes.join(name))
        const request = Effect.gen(function* () {
          if (!(yield* enter("key", () => {}))) return
          underWay += 1
          yield* Effect.sleep(lasts)
          underWay -= 1
          leave("key")
        })
        for (let n = 0; n < 50; n++) yield* Effect.forkScoped(Effect.forever(request))
      }
      yield* TestClock.adjust("3 seconds")
      const seen: Array<number> = []
      for (let n = 0; n < 50; n++) {
        yield* TestClock.adjust("33 millis")
        seen.push(underWay)
      }
      expect([Math.min(...seen) >= 32 * 0.8, Math.max(...seen) <= 32 * 1.2, seen]).toEqual([true, true, seen])
    })
  }

  Tests.onTestClock(
    "are not published while they are few, and neither are those of a process that has ended them",
    function* () {
      const { first, publications } = yield* two
      took(3, first.tryEnter)
      took(1, first.tryOpenStream)
      yield* TestClock.adjust("1 minute")
      expect(publications()).toBe(0)
      took(1, first.tryEnter)
      yield* TestClock.adjust("10 seconds")
      times(4, first.leave)
      first.closeStream("key")
      yield* TestClock.adjust("1 second")
      const published = publications()
      expect(published).toBeGreaterThanOrEqual(10)
      expect(published).toBeLessThanOrEqual(13)
      yield* TestClock.adjust("1 minute")
      expect(publications()).toBe(published)
    }
  )
})
