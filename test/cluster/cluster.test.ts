/**
 * Several processes on one storage, under any interleaving and any faults: what must hold of every
 * history holds.
 */
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Cluster, History } from "simplan/testing"
import { plans } from "./Plans.ts"
import { regressions } from "./Regressions.ts"

/** The same runs each time: `npm run test:deep` is for new ones. */
const SEED = 1

describe("Several processes on one storage", () => {
  it("keep every invariant, whoever goes next and whatever goes wrong", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { complaints } = await Effect.runPromise(Cluster.verdict(plan))
        expect(complaints).toEqual([])
      }),
      { numRuns: 3 + regressions.length, seed: SEED, examples: [...regressions] }
    )
  }, 300_000)

  it("have one history for each plan", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const [once, again] = [
          await Effect.runPromise(Cluster.verdict(plan)),
          await Effect.runPromise(Cluster.verdict(plan))
        ]
        expect(History.toJson(again.history)).toBe(History.toJson(once.history))
        expect(again.choices).toBe(once.choices)
      }),
      { numRuns: 2, seed: SEED }
    )
  }, 300_000)
})
