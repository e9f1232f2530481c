/**
 * Many runs of the simulations, of orders, of usage, of replacements and of restores, and what they
 * add up to.
 */
import * as ReplacementSimulation from "./ReplacementSimulation.ts"
import * as RestoreSimulation from "./RestoreSimulation.ts"
import * as Simulation from "./Simulation.ts"
import * as UsageSimulation from "./UsageSimulation.ts"

export interface Runs {
  readonly switches: number
  readonly calls: number
  /** How often the system's book of usage was compared. */
  readonly comparisons: number
  readonly traces: ReadonlyArray<number>
  readonly faults: ReadonlyMap<string, number>
  readonly failures: ReadonlyArray<Pick<Simulation.Run, "seed" | "problems">>
}

/** Of how many seeds one has a restore: its runs take longer than the others. */
const RESTORES = 8

/** Runs every `step`th seed from `seed` on, to below `until`; calls `begins` before each. */
export const of = async (
  seed: number,
  until: number,
  step = 1,
  begins: (seed: number) => void = () => {}
): Promise<Runs> => {
  let switches = 0
  let calls = 0
  let comparisons = 0
  const traces = new Set<number>()
  const faults = new Map<string, number>()
  const failures: Array<Pick<Simulation.Run, "seed" | "problems">> = []
  for (let next = seed; next < until; next += step) {
    begins(next)
    const { problems, stats } = await Simulation.run(next)
    const usage = await UsageSimulation.run(next)
    const replacements = await ReplacementSimulation.run(next)
    const restores = next % RESTORES === 0 ? [await RestoreSimulation.run(next)] : []
    switches += stats.switches
    calls += stats.calls
    traces.add(stats.trace)
    comparisons += usage.stats.comparisons
    for (const [what, times] of [
      ...stats.faults,
      ...usage.stats.faults,
      ...replacements.stats.faults,
      ...restores.flatMap((one) => [...one.stats.faults])
    ])
      faults.set(what, (faults.get(what) ?? 0) + times)
    const all = [...problems, ...usage.problems, ...replacements.problems, ...restores.flatMap((one) => one.problems)]
    if (all.length > 0) failures.push({ seed: next, problems: all })
  }
  return { switches, calls, comparisons, traces: [...traces], faults, failures }
}
