/**
 * The drain of a pipeline: it runs empty, and no statement waits for it in vain.
 */
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import * as Database from "../../../../adapters/postgres/database/Database.ts"
import * as Tests from "../../../setup/Tests.ts"

/** Statements that are under way until they are let through, and those that went, in order. */
const pipeline = (limit: number) => {
  const drained = Database.pipelineDrain(limit)
  const went: Array<string> = []
  const gates = new Map<string, Deferred.Deferred<void>>()
  const begin = (name: string) =>
    Effect.forkChild(
      drained(
        Effect.suspend(() => {
          const gate = Deferred.makeUnsafe<void>()
          gates.set(name, gate)
          went.push(name)
          return Deferred.await(gate)
        })
      ),
      { startImmediately: true }
    )
  const end = (name: string) => {
    const gate = gates.get(name)
    return gate === undefined ? Effect.die(new Error(`${name} is not under way`)) : Deferred.succeed(gate, undefined)
  }
  return { begin, end, went }
}

describe("A pipeline", () => {
  Tests.scoped("is let run empty after so many statements, though there is always one under way", function* () {
    const { begin, end, went } = pipeline(3)
    const first = yield* begin("a")
    const second = yield* begin("b")
    yield* end("a")
    yield* Fiber.join(first)
    const third = yield* begin("c")
    const later = [yield* begin("d"), yield* begin("e")]
    yield* end("b")
    yield* Fiber.join(second)
    expect(went).toEqual(["a", "b", "c"])
    yield* end("c")
    yield* Fiber.join(third)
    yield* Effect.yieldNow
    expect(went).toEqual(["a", "b", "c", "d", "e"])
    yield* end("d")
    yield* end("e")
    yield* Effect.forEach(later, Fiber.join)
  })

  Tests.scoped("forgets who gives up, waiting or under way", function* () {
    const { begin, end, went } = pipeline(1)
    const first = yield* begin("a")
    const waiting = yield* begin("b")
    const last = yield* begin("c")
    yield* Fiber.interrupt(waiting)
    expect(went).toEqual(["a"])
    yield* Fiber.interrupt(first)
    yield* Effect.yieldNow
    expect(went).toEqual(["a", "c"])
    yield* end("c")
    yield* Fiber.join(last)
    const next = yield* begin("d")
    yield* end("d")
    yield* Fiber.join(next)
  })
})
