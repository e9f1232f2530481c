/**
 * Random runs find a planted fault, and fast-check shortens the commands that found it.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Commands, Invariants } from "../../src/testing/index.ts"
import { recorded } from "./Histories.ts"
import { faults } from "./Planted.ts"

describe("A planted fault is found, and shrinks to at most 10 commands", () => {
  it.each(faults)(
    "%s",
    async (_, around) => {
      const holds = fc.asyncProperty(fc.nat(), Commands.runs(), async (seed, commands) => {
        const history = await recorded(seed, commands, { around })
        return Invariants.check(history).length === 0
      })
      const found = await fc.check(holds, { numRuns: 500, seed: 7 })
      expect(found.failed).toBe(true)
      expect(found.counterexample?.[1].length).toBeLessThanOrEqual(10)
    },
    300_000
  )
})
