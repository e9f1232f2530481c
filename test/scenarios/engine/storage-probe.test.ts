/**
 * Whether the storage serves: how often a write is tried, and what counts while a try is not over.
 */
import { Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Health } from "simplan"
import * as Memory from "simplan/memory"
import { Clocks, Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"

const failed = new Storage.StorageError({ message: "No space left on device" })

/**
 * Runs with the probe of a storage whose tries of a write, and reads of dead servers, end as the
 * test says.
 */
const run = <A, E>(
  tries: Array<Effect.Effect<void, Storage.StorageError>>,
  use: Effect.Effect<A, E, Health.StorageProbe>,
  deadServers: Effect.Effect<ReadonlyArray<string>, Storage.StorageError> = Effect.succeed([])
) => {
  const storage = Layer.effect(
    Storage.Storage,
    Effect.map(Storage.Storage, (stored) =>
      Storage.Storage.of({
        ...stored,
        probe: () => Effect.suspend(() => tries.shift() ?? Effect.die("one more try")),
        deadServers
      })
    )
  ).pipe(Layer.provide(Memory.layer))
  const probe = Health.probeLayer.pipe(Layer.provide([storage, Clocks.virtual(0)]))
  return Effect.runPromise(Effect.provide(use, Layer.provideMerge(probe, TestClock.layer())))
}

const check = Effect.flatMap(Health.StorageProbe, (probe) =>
  Effect.match(probe.check, {
    onSuccess: ({ deadServers }) => ["serves", ...deadServers].join(" without "),
    onFailure: ({ message }) => message
  })
)

/** What a check says that waits for a try as long as it may. */
const checkLate = Effect.gen(function* () {
  const fiber = yield* Effect.forkChild(check, { startImmediately: true })
  yield* TestClock.adjust("500 millis")
  return fiber.pollUnsafe()
})

const said = (value: string) => ({ _tag: "Success", value })

describe("the probe of the storage", () => {
  it("tries a write once a second, however many ask", () => {
    const tries = [Effect.void, Effect.fail(failed), Effect.void]
    return run(
      tries,
      Effect.gen(function* () {
        const many = Effect.all(
          Array.from({ length: 20 }, () => check),
          { concurrency: "unbounded" }
        )
        expect(new Set(yield* many)).toEqual(new Set(["serves"]))
        yield* TestClock.adjust("999 millis")
        expect(new Set(yield* many)).toEqual(new Set(["serves"]))
        expect(tries.length).toBe(2)
        yield* TestClock.adjust("1 millis")
        expect(new Set(yield* many)).toEqual(new Set(["No space left on device"]))
        yield* TestClock.adjust("1 second")
        expect(new Set(yield* many)).toEqual(new Set(["serves"]))
        expect(tries).toEqual([])
      })
    )
  })

  it("goes by the last try while one waits for its turn, and for no longer than five seconds", () => {
    const answer = Deferred.makeUnsafe<void>()
    return run(
      [Effect.void, Deferred.await(answer), Effect.void],
      Effect.gen(function* () {
        expect(yield* check).toBe("serves")
        yield* TestClock.adjust("1 second")
        expect(yield* checkLate).toMatchObject(said("serves"))
        yield* TestClock.adjust("4 seconds")
        expect(yield* checkLate).toMatchObject(said("A write to the storage is not answered"))
        yield* Deferred.succeed(answer, undefined)
        expect(yield* check).toBe("serves")
        yield* TestClock.adjust("1 second")
        expect(yield* check).toBe("serves")
      })
    )
  })

  it("does not serve before the first write is answered", () =>
    run(
      [Effect.never],
      Effect.gen(function* () {
        expect(yield* checkLate).toMatchObject(said("A write to the storage is not answered"))
      })
    ))

  it("serves without servers that do not answer, and while they are found goes by what was found last", () => {
    const found = Deferred.makeUnsafe<ReadonlyArray<string>>()
    const reads = [Effect.succeed(["a"]), Effect.fail(failed), Deferred.await(found), Effect.never]
    /** What a check says that waits for the servers as long as it may. */
    const checkSlowly = Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(check, { startImmediately: true })
      yield* TestClock.adjust("250 millis")
      return fiber.pollUnsafe()
    })
    return run(
      Array.from({ length: 9 }, () => Effect.void),
      Effect.gen(function* () {
        expect(yield* check).toBe("serves without a")
        expect(yield* check).toBe("serves without a")
        expect(yield* checkSlowly).toMatchObject(said("serves without a"))
        yield* Deferred.succeed(found, ["a", "b"])
        expect(yield* checkSlowly).toMatchObject(said("serves without a without b"))
        expect(yield* checkSlowly).toMatchObject(said("serves without a without b"))
        expect(reads).toEqual([])
      }),
      Effect.suspend(() => reads.shift() ?? Effect.die("one more read"))
    )
  })
})
