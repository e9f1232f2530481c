/**
 * The same commands on memory and on PGlite give the same history, and every invariant holds for
 * it.
 */
import * as fc from "fast-check"
import * as Pglite from "simplan/pglite"
import { describe, it } from "vitest"
import { comparing, runs } from "./Comparing.ts"

describe("PGlite", () => {
  const compare = comparing(() => Pglite.layer())

  it("has the same histories as memory for random runs", async () => {
    await fc.assert(fc.asyncProperty(fc.nat(), runs, compare), { numRuns: 12, seed: 1 })
  }, 300_000)
})
