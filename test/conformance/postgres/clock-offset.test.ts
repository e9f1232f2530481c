/** Rule W13: when the clock of a database counts as set. */
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ClockOffset from "../../../adapters/postgres/database/ClockOffset.ts"

describe("the clock of a database", () => {
  it.each([
    ["is the same where a measurement is more exact than one of a busy start", 0, 3_000, 2_400, 2, false],
    ["is the same where a busy machine measures inexactly", 0, 2, 2_400, 3_000, false],
    ["was set ahead", 0, 3_000, 600_000, 2, true],
    ["was set back", 0, 2, -600_000, 3_000, true],
    ["is the same where it is adjusted by less than a second", 0, 1, 900, 1, false],
    ["was set by a second", 0, 1, 1_000, 1, true]
  ])("%s", (_, offset, error, later, laterError, isSet) => {
    expect(ClockOffset.wasSet({ offset, error }, { offset: later, error: laterError })).toBe(isSet)
  })

  const clock = Effect.runSync(Effect.provide(Clock.Clock, TestClock.layer()))
  const from = (first: ClockOffset.Measurement) => ClockOffset.make(first, clock, () => 0)

  it("gives claims and leases one time, in whatever order they are made, while it is not set", () => {
    const measurement = fc.record({
      offset: fc.double({ min: 0, max: 400, noNaN: true }),
      error: fc.integer({ min: 0, max: 200 })
    })
    const reads = fc.constantFrom("none", "claim", "lease")
    fc.assert(
      fc.property(measurement, fc.array(fc.tuple(reads, measurement)), (first, later) => {
        const offset = from(first)
        for (const [read, measured] of later) {
          if (read === "claim") void offset.ofClaims
          if (read === "lease") void offset.ofLeases
          offset.take(measured)
        }
        expect(offset.ofClaims).toBe(offset.ofLeases)
      })
    )
  })

  it.each([
    ["ahead", 600_000],
    ["back", -600_000]
  ])("claims by the earlier time and leases by the later one after it was set %s", (_, step) => {
    const offset = from({ offset: 0, error: 1 })
    offset.take({ offset: step, error: 1 })
    expect(offset.ofLeases - offset.ofClaims).toBe(600_000)
  })
})
