/**
 * The catalogues of suppliers, which a process reads once an hour, one read at a time.
 */
import { Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { SoldBundles } from "simplan"
import { Clocks, Telco, TelcoBundles } from "simplan/ports"
import { expect, it } from "vitest"

const START = Date.UTC(2026, 0, 31, 12)

const bundle = (code: string): TelcoBundles.Bundle => ({
  ...{ code, name: code, kind: "any", countries: ["FR"], dataBytes: 1_048_576, days: 1, price: null }
})

/** How long the telco takes for an answer, in milliseconds. */
const TAKES = 100

type Answer = Effect.Effect<ReadonlyArray<TelcoBundles.Bundle>, Telco.Refused | Telco.Unavailable>

interface Seller {
  reads: number
  answer: Answer
}

/** Runs with a seller that counts how often it is read. */
const withSeller =
  (body: (seller: Seller) => Effect.Effect<void, unknown, SoldBundles.SoldBundles>) => async (): Promise<void> => {
    const seller: Seller = { reads: 0, answer: Effect.succeed([bundle("one")]) }
    const sold: TelcoBundles.TelcoBundles = {
      telcos: Effect.succeed(["seller"]),
      of: () =>
        Effect.suspend(() => {
          seller.reads += 1
          return Effect.andThen(Effect.sleep(TAKES), seller.answer)
        })
    }
    const ports = Layer.mergeAll(Clocks.virtual(START), Layer.succeed(TelcoBundles.TelcoBundles, sold))
    const layer = SoldBundles.layer.pipe(Layer.provide(ports), Layer.provideMerge(TestClock.layer()))
    await Effect.runPromise(Effect.provide(body(seller), layer))
  }

const asked = SoldBundles.SoldBundles.use((sold) => Effect.result(sold.of("seller")))

/** Asks for the catalogue, and lets time go on as far as an answer takes. */
const read = Effect.gen(function* () {
  const fiber = yield* Effect.forkChild(asked)
  yield* TestClock.adjust(TAKES)
  return yield* Fiber.join(fiber)
})

const codes = (answer: Effect.Success<typeof asked>) =>
  Result.isSuccess(answer) ? answer.success.bundles.map(({ code }) => code) : answer.failure._tag

const failing = (message: string): Answer => Effect.fail(new Telco.Unavailable({ message }))

it(
  "many at once read it one time, and for an hour nobody reads it again",
  withSeller((seller) =>
    Effect.gen(function* () {
      const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(asked))
      yield* TestClock.adjust(TAKES)
      for (const fiber of fibers) expect(codes(yield* Fiber.join(fiber))).toEqual(["one"])
      expect(seller.reads).toBe(1)
      seller.answer = Effect.succeed([bundle("two")])
      yield* TestClock.adjust("59 minutes")
      expect(codes(yield* read)).toEqual(["one"])
      yield* TestClock.adjust("1 minute")
      expect(codes(yield* read)).toEqual(["two"])
      expect(seller.reads).toBe(2)
    })
  )
)

it(
  "that of before goes on if it cannot be read, says when it was read, and is read again in a minute",
  withSeller((seller) =>
    Effect.gen(function* () {
      const { sellers } = yield* SoldBundles.SoldBundles
      yield* read
      yield* TestClock.adjust("1 hour")
      seller.answer = failing("It is night there")
      for (let time = 0; time < 3; time++) expect(codes(yield* read)).toEqual(["one"])
      expect(seller.reads).toBe(2)
      expect(yield* sellers).toMatchObject([
        { telco: "seller", failure: "It is night there", read: { readAt: START, bundles: [{ code: "one" }] } }
      ])
      seller.answer = Effect.succeed([bundle("two")])
      yield* TestClock.adjust("1 minute")
      expect(codes(yield* read)).toEqual(["two"])
      expect(yield* sellers).toMatchObject([{ failure: null }])
    })
  )
)

it(
  "is refused as the telco says if it was never read, and asked for again soon",
  withSeller((seller) =>
    Effect.gen(function* () {
      seller.answer = failing("It is night there")
      expect([codes(yield* read), codes(yield* read), seller.reads]).toEqual([
        "TelcoUnavailable",
        "TelcoUnavailable",
        1
      ])
      seller.answer = Effect.fail(new Telco.Refused({ message: "The key is wrong" }))
      yield* TestClock.adjust("5 seconds")
      expect(yield* read).toMatchObject({ failure: { _tag: "TelcoRefused", message: "The key is wrong" } })
      seller.answer = Effect.succeed([bundle("one")])
      yield* TestClock.adjust("5 seconds")
      expect(codes(yield* read)).toEqual(["one"])
    })
  )
)

it(
  "a telco that does not answer is given up, and one that sells nothing is not found",
  withSeller((seller) =>
    Effect.gen(function* () {
      seller.answer = Effect.never
      const fiber = yield* Effect.forkChild(asked)
      yield* TestClock.adjust("30 seconds")
      expect(codes(yield* Fiber.join(fiber))).toBe("TelcoUnavailable")
      const other = yield* SoldBundles.SoldBundles.use((sold) => Effect.result(sold.of("another")))
      expect(other).toMatchObject({ failure: { _tag: "NotFound", resource: "telco", id: "another" } })
    })
  )
)
