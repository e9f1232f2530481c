/**
 * Looks for what does not hold of the engine: the simulation of several processes, with fixed plans and with new ones, and
 * that of one process under a virtual clock. Prints the first thing that it finds, and nothing where all holds.
 */
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import { Cluster, Commands, History, Invariants, Simulation } from "simplan/testing"
import { plans } from "../cluster/Plans.ts"

const [seed = 1] = process.argv.slice(2).map(Number)

/** How many plans of `test/cluster`, how many new ones, and how many runs of one process. */
const PLANS = 24
const NEW_PLANS = 16
const RUNS = 60

const report = (found: string): never => {
  process.stdout.write(found)
  process.exit(0)
}

const huntIn = async (all: ReadonlyArray<Cluster.Plan>) => {
  for (const plan of all) {
    const exit = await Effect.runPromiseExit(Cluster.verdict(plan))
    const [complaint] = Exit.isSuccess(exit) ? exit.value.complaints : ["a run does not end, or breaks"]
    if (complaint !== undefined) report(`several processes: ${complaint}`)
  }
}

const huntAlone = async () => {
  for (const commands of fc.sample(Commands.runs(), { seed, numRuns: RUNS })) {
    const history = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(Simulation.make({ seed, esims: { Green: 4, Aqua: 1 }, physicalSims: 1 }), (simulated) =>
          History.record(simulated, commands)
        )
      )
    )
    const [violation] = Invariants.check(history)
    if (violation !== undefined) report(`one process: ${violation.invariant}: ${violation.message}`)
  }
}

await huntIn(fc.sample(plans, { seed: 1, numRuns: PLANS }))
await huntAlone()
await huntIn(fc.sample(plans, { seed: seed + 1, numRuns: NEW_PLANS }))
process.exit(0)
