/**
 * A fixed part of what `npm run test:ocs` runs from new seeds: orders of packages, pauses beside
 * them (rule S7), replacements (rule S8), restores (rule S5).
 */
import { describe, expect, it } from "vitest"
import * as ReplacementSimulation from "./ReplacementSimulation.ts"
import * as RestoreSimulation from "./RestoreSimulation.ts"
import * as Runs from "./Runs.ts"
import * as Simulation from "./Simulation.ts"

describe("Orders of packages and usage under faults", () => {
  it("leave exactly one package or none for each, none that belongs to no order, and equal books of usage", async () => {
    const { comparisons, faults, failures, switches } = await Runs.of(1, 81)
    expect(failures).toEqual([])
    // The runs have met what they are for.
    expect(switches).toBeGreaterThan(1_000)
    expect(comparisons).toBeGreaterThan(250)
    const interrupted = ["process dies while it tops up", "top-up without an answer", "an undone package was used"]
    for (const one of ["usage fails", "packages fails", "no process runs", "charged outside", ...interrupted])
      expect(faults.get(one), one).toBeGreaterThan(5)
    const met = [
      "late",
      "twice",
      "answer lost",
      "request lost",
      "refused",
      "traffic control",
      "process dies",
      "write of the journal fails"
    ]
    for (const one of met) expect(faults.get(one), one).toBeGreaterThan(2)
    for (const one of ["clock off", "device online", "list behind", "window misread", "SIM paused", "SIM resumed"])
      expect(faults.get(one), one).toBeGreaterThan(5)
    expect(faults.get("duplicates deleted")).toBeGreaterThan(5)
    for (const one of ["replaced after use", "replaced while paused", "process dies while it replaces"])
      expect(faults.get(one), one).toBeGreaterThan(50)
    for (const one of [
      "an undone package is left there",
      "no process runs for days",
      "package lost before it is replaced",
      "SIM put back while the one before is not counted",
      "moved to a SIM that was left before",
      "SIM that was left is sold to another customer",
      "SIM removed there",
      "restored before sales",
      "restored and compared"
    ])
      expect(faults.get(one), one).toBeGreaterThan(1)
  }, 300_000)

  it.each([3_000_416, 3_000_608, 3_000_727, 3_001_168])(
    "tell of a used package whose order was cancelled only after its watch time, as from seed %i",
    async (seed) => {
      expect((await Simulation.run(seed)).problems).toEqual([])
    }
  )

  it("count a SIM that was left whose next one was put back into stock", async () => {
    const { problems, stats } = await ReplacementSimulation.run(36)
    expect(problems).toEqual([])
    expect(stats.faults.get("SIM put back while the one before is not counted")).toBeGreaterThan(0)
  })

  it.each([13, 23])(
    "keep what a later customer has on a SIM that a deleted subscription had moved to, as from seed %i",
    async (seed) => {
      const { problems, stats } = await RestoreSimulation.run(seed)
      expect(problems).toEqual([])
      expect(stats.faults.get("deleted on a later customer's SIM")).toBeGreaterThan(0)
    }
  )

  it.each([401_486, 406_419])(
    "tell of a used package beside a window that was misread, as from seed %i",
    async (seed) => {
      const { problems, stats } = await Simulation.run(seed)
      expect(problems).toEqual([])
      expect(stats.faults.get("window misread")).toBeGreaterThan(0)
    }
  )
})
