/**
 * When keys were last used (rule W3): how often that is written, and that no use is lost to a write
 * that fails.
 */
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "simplan/memory"
import { type ApiKey, Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as KeyLookup from "../../../src/app/organizations/KeyLookup.ts"
import { apiKey, NOW } from "../../domain/Values.ts"

const failed = new Storage.StorageError({ message: "The database is not there" })

/** Runs with a storage that keeps what it is given, and fails while `isDown`. */
const run = <A, E>(
  use: (of: {
    readonly uses: KeyLookup.Uses
    readonly written: Array<ReadonlyArray<ApiKey.Use>>
    readonly down: (isDown: boolean) => void
    /** What happens while uses are written from now on. */
    readonly meanwhile: (act: () => void) => void
    readonly close: Effect.Effect<void>
  }) => Effect.Effect<A, E>
) => {
  const written: Array<ReadonlyArray<ApiKey.Use>> = []
  let isDown = false
  let act = () => {}
  const storage = Layer.effect(
    Storage.Storage,
    Effect.map(Storage.Storage, (stored) =>
      Storage.Storage.of({
        ...stored,
        recordKeyUses: (of) =>
          Effect.suspend(() => {
            if (isDown) return Effect.fail(failed)
            written.push(of)
            act()
            return Effect.void
          })
      })
    )
  ).pipe(Layer.provide(Memory.layer))
  const test = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const uses = yield* Effect.provideService(KeyLookup.uses, Scope.Scope, scope)
    const close = Scope.close(scope, Exit.void)
    return yield* use({ uses, written, down: (is) => (isDown = is), meanwhile: (next) => (act = next), close })
  })
  return Effect.runPromise(Effect.provide(test, Layer.mergeAll(storage, TestClock.layer())))
}

const [one, two] = [apiKey({ apiKeyId: "one" }), apiKey({ apiKeyId: "two" })]
const useOf = ({ apiKeyId, organizationId }: ApiKey.ApiKey, at: number): ApiKey.Use => ({
  organizationId,
  apiKeyId,
  at
})

describe("the uses of keys", () => {
  it("are written some minutes later, all in one statement, the last of each", () =>
    run(({ uses, written }) =>
      Effect.gen(function* () {
        for (let second = 0; second < 100; second++) uses.note(one, NOW + second * 1_000)
        uses.note(two, NOW)
        yield* TestClock.adjust(KeyLookup.WRITTEN_AFTER - 1)
        expect(written).toEqual([])
        yield* TestClock.adjust(1)
        expect(written).toEqual([[useOf(one, NOW + 99_000), useOf(two, NOW)]])
        yield* TestClock.adjust("1 hour")
        expect(written).toHaveLength(1)
        uses.note(two, NOW + 2_000)
        yield* TestClock.adjust(KeyLookup.WRITTEN_AFTER)
        expect(written[1]).toEqual([useOf(two, NOW + 2_000)])
      })
    ))

  it("count where they are noted, before they are written", () =>
    run(({ uses }) =>
      Effect.sync(() => {
        expect(uses.withNoted(one)).toBe(one)
        uses.note(one, NOW)
        expect(uses.withNoted(one)).toEqual({ ...one, lastUsedAt: NOW })
        expect(uses.withNoted({ ...one, lastUsedAt: NOW - 1 }).lastUsedAt).toBe(NOW)
        expect(uses.withNoted({ ...one, lastUsedAt: NOW + 1 }).lastUsedAt).toBe(NOW + 1)
        uses.note(one, NOW - 5_000)
        expect(uses.withNoted(one).lastUsedAt).toBe(NOW)
      })
    ))

  it("are written later where the storage fails", () =>
    run(({ down, uses, written }) =>
      Effect.gen(function* () {
        down(true)
        uses.note(one, NOW)
        yield* TestClock.adjust(3 * KeyLookup.WRITTEN_AFTER)
        expect(written).toEqual([])
        down(false)
        yield* TestClock.adjust(KeyLookup.WRITTEN_AFTER)
        expect(written).toEqual([[useOf(one, NOW)]])
        uses.note(two, NOW)
        yield* TestClock.adjust(KeyLookup.WRITTEN_AFTER)
        expect(written[1]).toEqual([useOf(two, NOW)])
      })
    ))

  it("are not lost where they are noted while others are written", () =>
    run(({ meanwhile, uses, written }) =>
      Effect.gen(function* () {
        uses.note(one, NOW)
        meanwhile(() => uses.note(one, NOW + 5_000))
        yield* TestClock.adjust(KeyLookup.WRITTEN_AFTER)
        expect(uses.withNoted(one).lastUsedAt).toBe(NOW + 5_000)
        meanwhile(() => {})
        yield* TestClock.adjust(KeyLookup.WRITTEN_AFTER)
        expect(written).toEqual([[useOf(one, NOW)], [useOf(one, NOW + 5_000)]])
      })
    ))

  it("are written by a thousand keys at a time", () =>
    run(({ uses, written }) =>
      Effect.gen(function* () {
        for (let index = 0; index < 2_500; index++) uses.note(apiKey({ apiKeyId: `key ${index}` }), NOW)
        yield* TestClock.adjust(KeyLookup.WRITTEN_AFTER)
        expect(written.map((part) => part.length)).toEqual([1_000, 1_000, 500])
        expect(new Set(written.flat().map(({ apiKeyId }) => apiKeyId)).size).toBe(2_500)
      })
    ))

  it("are written when the service stops", () =>
    run(({ close, uses, written }) =>
      Effect.gen(function* () {
        uses.note(one, NOW)
        yield* close
        expect(written).toEqual([[useOf(one, NOW)]])
        yield* TestClock.adjust("1 hour")
        expect(written).toHaveLength(1)
      })
    ))
})
