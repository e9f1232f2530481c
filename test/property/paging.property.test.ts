/**
 * Rule W13: pages of filtered lists. Whatever the filter takes, following the cursors gives it once
 * and in order, no page scans more rows than the bound, and under a virtual clock no page waits
 * longer for its turns than it may.
 */
import * as fc from "fast-check"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { RequestContext } from "simplan"
import { Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Paging from "../../src/app/Paging.ts"

const STEP = Storage.SCAN_LIMIT
/** How long a page waits for its turns. */
const WAIT_LIMIT = 2_000

interface Item {
  readonly index: number
}

const cursorOf = ({ index }: Item): Storage.CreatedCursor => ({ createdAt: Math.floor(index / 3), id: `${index}` })

interface List {
  readonly length: number
  readonly isTaken: (index: number) => boolean
  /** Milliseconds that a step takes. */
  readonly takes?: number
  readonly onStep?: (rows: number) => void
}

/** Reads a step of the list as the storage's contract says. */
const stepOf =
  ({ isTaken, length, onStep, takes = 0 }: List) =>
  ({ after, limit }: Storage.Keyset<Storage.CreatedCursor>): Effect.Effect<Storage.Filtered<Item>> => {
    const from = after === null ? 0 : Number(after.id) + 1
    const items: Array<Item> = []
    let index = from
    while (index < length && index < from + STEP && items.length < limit) {
      if (isTaken(index)) items.push({ index })
      index++
    }
    const rows = index - from
    const goesOn = items.length === limit || rows === STEP
    const found = { items, rows, next: goesOn ? cursorOf({ index: index - 1 }) : null }
    return Effect.as(
      Effect.andThen(
        takes === 0 ? Effect.void : Effect.sleep(takes),
        Effect.sync(() => onStep?.(rows))
      ),
      found
    )
  }

const page = (list: List, limit: number, after: Storage.CreatedCursor | null = null, organizationId = "a") =>
  Paging.FilteredLists.use((lists) => lists.page({ organizationId, after, limit }, stepOf(list), cursorOf))

const run = <A, E>(effect: Effect.Effect<A, E, Paging.FilteredLists>) =>
  effect.pipe(Effect.provide(Paging.filteredListsLayer), Effect.provide(TestClock.layer()), Effect.runPromise)

const fork = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

const nothing: List = { length: 1_000_000, isTaken: () => false }

describe("W13: a page of a filtered list", () => {
  it("has what the filter takes, once and in order, when its cursors are followed", () => {
    const property = fc.asyncProperty(
      fc.nat({ max: 60_000 }),
      fc.integer({ min: 1, max: 100 }),
      fc.oneof(fc.integer({ min: 1, max: 7 }), fc.integer({ min: STEP - 2, max: 30_000 })),
      fc.nat({ max: 1_000 }),
      (length, limit, each, offset) =>
        Effect.gen(function* () {
          // Of a list that is taken densely, the last few hundred rows are enough.
          const isTaken = (index: number) => (index + offset) % each === 0 && (each > 7 || index >= length - 700)
          const read: Array<number> = []
          let after: Storage.CreatedCursor | null = null
          do {
            let rows = 0
            const list = { length, isTaken, onStep: (scanned: number) => (rows += scanned) }
            const meter = { bytes: 0, millis: 0 }
            const found: Effect.Success<ReturnType<typeof page>> = yield* Effect.provideService(
              page(list, limit, after),
              RequestContext.Current,
              { requestId: null, address: null, meter }
            )
            expect(found.items.length).toBeLessThanOrEqual(limit)
            expect(rows).toBeLessThanOrEqual(Paging.MOST_SCANNED)
            if (found.items.length < limit && found.next !== null) expect(rows).toBe(Paging.MOST_SCANNED)
            expect(meter.bytes > 0).toBe(rows > 0)
            read.push(...found.items.map(({ index }) => index))
            after = found.next
          } while (after !== null)
          const taken = Array.from({ length }, (_, index) => index).filter(isTaken)
          expect(read).toEqual(taken)
        }).pipe(run)
    )
    return fc.assert(property, { numRuns: 60 })
  })

  it("stops after 20,480 rows that the filter does not take, and says where to go on", () => {
    const steps: Array<number> = []
    return Effect.gen(function* () {
      const meter = { bytes: 0, millis: 0 }
      const found = yield* Effect.provideService(
        page({ ...nothing, onStep: (rows) => steps.push(rows) }, 10),
        RequestContext.Current,
        { requestId: null, address: null, meter }
      )
      expect(found).toEqual({ items: [], next: cursorOf({ index: 20_479 }) })
      expect(steps).toEqual(Array.from({ length: 40 }, () => STEP))
      // 512 rows cost as much as 64 KiB.
      expect(meter.bytes).toBe(40 * 65_536)
    }).pipe(run)
  })

  it("says that no other follows where the last row taken is the list's last one within the bound", () =>
    Effect.gen(function* () {
      const two = (index: number) => index === 3 || index === 1_999
      expect(yield* page({ length: 2_000, isTaken: two }, 2)).toEqual({
        items: [{ index: 3 }, { index: 1_999 }],
        next: null
      })
      expect(yield* page({ length: 2_000, isTaken: two }, 1)).toEqual({
        items: [{ index: 3 }],
        next: cursorOf({ index: 3 })
      })
      expect(yield* page({ length: 0, isTaken: two }, 1)).toEqual({ items: [], next: null })
    }).pipe(run))

  it("reads its first step at once, and each further one in turn with those of other organizations", () => {
    const order: Array<string> = []
    return Effect.gen(function* () {
      const fibers = []
      // Three of one organization, and one of another that comes last.
      for (const [name, organizationId] of [
        ["a1", "a"],
        ["a2", "a"],
        ["a3", "a"],
        ["b1", "b"]
      ] as const) {
        const list = { length: 3 * STEP, isTaken: () => false, takes: 10, onStep: () => order.push(name) }
        fibers.push(yield* fork(page(list, 10, null, organizationId)))
      }
      yield* TestClock.adjust(10)
      expect(order).toEqual(["a1", "a2", "a3", "b1"])
      for (let step = 0; step < 12; step++) yield* TestClock.adjust(10)
      for (const fiber of fibers) expect(yield* Fiber.join(fiber)).toEqual({ items: [], next: null })
      // One step at a time: the one page of an organization waits for two steps of another at most,
      // however many ask.
      const later = order.slice(4)
      expect(later.length).toBe(12)
      const turns = later.flatMap((name, at) => (name === "b1" ? [at] : []))
      for (const [number, at] of turns.entries()) expect(at - (turns[number - 1] ?? -1)).toBeLessThanOrEqual(3)
    }).pipe(run)
  })

  it("has what was found by then, and a cursor, once it has waited 2 s for its turn", () =>
    Effect.gen(function* () {
      const slow = yield* fork(page({ ...nothing, takes: 5_000 }, 10, null, "slow"))
      // Its first step is over, and the second one has the turn.
      yield* TestClock.adjust(5_001)
      const isTaken = (index: number) => index === 7 || index === 600
      const waiting = yield* fork(page({ ...nothing, isTaken }, 10))
      yield* TestClock.adjust(WAIT_LIMIT - 1)
      expect(waiting.pollUnsafe()).toBe(undefined)
      yield* TestClock.adjust(1)
      const found = yield* Fiber.join(waiting)
      expect(found).toEqual({ items: [{ index: 7 }], next: cursorOf({ index: STEP - 1 }) })
      yield* Fiber.interrupt(slow)
      expect((yield* page({ ...nothing, isTaken }, 1, found.next)).items).toEqual([{ index: 600 }])
    }).pipe(run))

  it("waits for all of its turns together no longer than 2 s", () =>
    Effect.gen(function* () {
      const fibers = []
      // Each turn comes within 2 s, after those of the others.
      for (const organizationId of ["a", "b", "c", "d", "e", "f"]) {
        const timed = Effect.gen(function* () {
          const began = yield* Clock.currentTimeMillis
          const found = yield* page({ ...nothing, takes: 200 }, 10, null, organizationId)
          return { found, took: (yield* Clock.currentTimeMillis) - began }
        })
        fibers.push(yield* fork(timed))
      }
      for (let turn = 0; turn < 500; turn++) yield* TestClock.adjust(100)
      const ends = []
      for (const fiber of fibers) ends.push(yield* Fiber.join(fiber))
      // One is left in the end, which need not wait, and goes on to the bound.
      const [last, ...others] = ends.toSorted((left, right) => right.took - left.took)
      expect(last?.found.next).toEqual(cursorOf({ index: Paging.MOST_SCANNED - 1 }))
      for (const { found, took } of others) {
        expect(found.items).toEqual([])
        expect(found.next).not.toBe(null)
        expect(took).toBeLessThanOrEqual(WAIT_LIMIT + 200)
      }
    }).pipe(run))
})
