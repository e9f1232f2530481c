/** A fixed part of what `npm run test:ocs` runs from new seeds. */
import { describe, expect, it } from "vitest"
import * as Runs from "./Runs.ts"
import * as Simulation from "./Simulation.ts"

describe("Orders of packages under faults", () => {
  it("leave exactly one package or none for each, and none that belongs to no order", async () => {
    const { faults, failures, switches } = await Runs.of(1, 101)
    expect(failures).toEqual([])
    // The runs have met what they are for.
    expect(switches).toBeGreaterThan(1_000)
    const met = ["late", "twice", "answer lost", "request lost", "refused", "traffic control", "process dies"]
    for (const one of met) expect(faults.get(one), one).toBeGreaterThan(2)
    expect(faults.get("duplicates deleted")).toBeGreaterThan(10)
  }, 120_000)

  it.each([3_000_416, 3_000_608, 3_000_813, 3_001_349, 3_006_925])(
    "tell of a used package whose order was cancelled only after its watch time, as from seed %i",
    async (seed) => {
      expect((await Simulation.run(seed)).problems).toEqual([])
    }
  )

  it("may be told as created by an answer that a cancellation has overtaken, as from seed 52003401", async () => {
    expect((await Simulation.run(52_003_401)).problems).toEqual([])
  })
})
