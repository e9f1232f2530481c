/**
 * What happened lately in a process: the counts are those of a list of all that has happened,
 * whenever it happened and is read.
 */
import * as fc from "fast-check"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { Rates } from "simplan"
import { expect, it } from "vitest"

interface Event {
  readonly kind: Rates.Kind
  readonly isFailed: boolean
  /** How many spans pass before it. */
  readonly after: number
}

const events: fc.Arbitrary<ReadonlyArray<Event>> = fc.array(
  fc.record({
    kind: fc.constantFrom(...Rates.kinds),
    isFailed: fc.boolean(),
    after: fc.oneof(fc.double({ min: 0, max: 3, noNaN: true }), fc.integer({ min: 0, max: 200 }))
  }),
  { maxLength: 60 }
)

const isolated = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provideService(Effect.provide(effect, TestClock.layer()), Metric.MetricRegistry, new Map()))

const happens = (kind: Rates.Kind, isFailed: boolean) =>
  Effect.withFiber(({ context }) => Effect.sync(() => Rates.count(kind, isFailed, context)))

it("are counted by span, and forgotten after six hours", () =>
  fc.assert(
    fc.asyncProperty(events, fc.integer({ min: 0, max: 100 }), async (given, later) => {
      const seen: Array<Event & { readonly span: number }> = []
      let at = 0
      const found = await isolated(
        Effect.gen(function* () {
          for (const event of given) {
            const wait = Math.round(event.after * Rates.SPAN)
            at += wait
            yield* TestClock.adjust(wait)
            seen.push({ ...event, span: Math.floor(at / Rates.SPAN) })
            yield* happens(event.kind, event.isFailed)
          }
          at += later * Rates.SPAN
          yield* TestClock.adjust(later * Rates.SPAN)
          return yield* Rates.read
        })
      )
      const first = Math.floor(at / Rates.SPAN) - Rates.SPANS + 1
      expect(found.from).toBe(first * Rates.SPAN)
      for (const kind of Rates.kinds) {
        const of = (takes: (event: Event) => boolean) =>
          Array.from(
            { length: Rates.SPANS },
            (_, place) => seen.filter((one) => one.kind === kind && one.span === first + place && takes(one)).length
          )
        expect(found.counts[kind]).toEqual({ all: of(() => true), failed: of(({ isFailed }) => isFailed) })
      }
    })
  ))

it("go on in the newest span where the clock is set back", async () => {
  const { requests } = await isolated(
    Effect.gen(function* () {
      yield* TestClock.setTime(10 * Rates.SPAN)
      yield* happens("requests", false)
      yield* TestClock.setTime(Rates.SPAN)
      yield* happens("requests", true)
      return (yield* Rates.read).counts
    })
  )
  expect([requests.all.at(-1), requests.failed.at(-1)]).toEqual([2, 1])
})

const numbers = fc.array(fc.nat(100), { minLength: Rates.SPANS, maxLength: Rates.SPANS })
const counts = fc.record({ all: numbers, failed: numbers })
const rates: fc.Arbitrary<Rates.Rates> = fc.record({
  from: fc.integer({ min: 1_000, max: 1_000 + 2 * Rates.SPANS }).map((span) => span * Rates.SPAN),
  counts: fc.record({ requests: counts, telcoCalls: counts, deliveries: counts, jobs: counts })
})

it("of several processes are added span by span", () => {
  fc.assert(
    fc.property(rates, fc.array(rates, { maxLength: 3 }), (first, others) => {
      const both = Rates.together(first, others)
      expect(both.from).toBe(first.from)
      for (const kind of Rates.kinds) {
        for (const of of ["all", "failed"] as const) {
          const bySpan = new Map<number, number>()
          for (const { counts: all, from } of [first, ...others]) {
            for (const [place, count] of all[kind][of].entries()) {
              const at = from + place * Rates.SPAN
              bySpan.set(at, (bySpan.get(at) ?? 0) + count)
            }
          }
          const expected = first.counts[kind][of].map((_, place) => bySpan.get(first.from + place * Rates.SPAN))
          expect(both.counts[kind][of]).toEqual(expected)
        }
      }
    })
  )
})
