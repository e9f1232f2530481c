/**
 * Active periods by their distance from now: around every boundary of rules T4 and T5, to the millisecond, on both
 * sides of it, and anywhere.
 */
import * as fc from "fast-check"
import { DAY, HOUR } from "../../domain/Time.ts"
import { around } from "./Instants.ts"

/** The ends of a period by their distance from now; null: not sent. */
export interface Distances {
  /** In milliseconds; below 0 lies in the past. */
  readonly start: number | null
  /** In milliseconds; below 0 lies in the past. It need not be after `start`. */
  readonly end: number | null
}

/** T5: a recurring plan starts at most 24 h ago; what starts within 12 h is created at once. */
const starts: fc.Arbitrary<number> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(0, -DAY, 12 * HOUR, -12 * HOUR, DAY).chain(around)
  },
  { weight: 1, arbitrary: fc.integer({ min: -2 * DAY, max: 60 * DAY }) }
)

/** Periods for a plan that recurs: the start decides, and the end is ignored. */
export const recurring: fc.Arbitrary<Distances> = fc.record({
  start: fc.option(starts, { freq: 12 }),
  end: fc.option(fc.integer({ min: -DAY, max: 400 * DAY }), { freq: 2 })
})

/** T4: `start < end`, and `end` after now. */
export const once: fc.Arbitrary<Distances> = fc
  .record({
    start: fc.option(fc.oneof(fc.constantFrom(0, -1, 1, -DAY, DAY), fc.integer({ min: -90 * DAY, max: 90 * DAY })), {
      freq: 12
    }),
    end: fc.oneof(
      { weight: 1, arbitrary: fc.constant({ of: "nothing" as const, by: 0 }) },
      {
        weight: 4,
        arbitrary: fc.record({
          of: fc.constant("start" as const),
          by: fc.constantFrom(0, -1, 1, DAY)
        })
      },
      {
        weight: 4,
        arbitrary: fc.record({
          of: fc.constant("now" as const),
          by: fc.constantFrom(0, -1, 1, DAY)
        })
      },
      {
        weight: 6,
        arbitrary: fc.record({
          of: fc.constant("start" as const),
          by: fc.integer({ min: 1, max: 120 * DAY })
        })
      }
    )
  })
  .map(({ end, start }) => ({
    start,
    end: end.of === "nothing" ? null : end.by + (end.of === "start" ? (start ?? 0) : 0)
  }))

/** Periods for whatever plan it turns out to be. */
export const any: fc.Arbitrary<Distances> = fc.oneof(recurring, once)
