/** Many runs of the simulation, and what they add up to. */
import * as Simulation from "./Simulation.ts"

export interface Runs {
  readonly switches: number
  readonly calls: number
  readonly traces: ReadonlyArray<number>
  readonly faults: ReadonlyMap<string, number>
  readonly failures: ReadonlyArray<Pick<Simulation.Run, "seed" | "problems">>
}

/** Runs every `step`th seed from `seed` on, to below `until`; calls `begins` before each. */
export const of = async (
  seed: number,
  until: number,
  step = 1,
  begins: (seed: number) => void = () => {}
): Promise<Runs> => {
  let switches = 0
  let calls = 0
  const traces = new Set<number>()
  const faults = new Map<string, number>()
  const failures: Array<Pick<Simulation.Run, "seed" | "problems">> = []
  for (let next = seed; next < until; next += step) {
    begins(next)
    const { problems, stats } = await Simulation.run(next)
    switches += stats.switches
    calls += stats.calls
    traces.add(stats.trace)
    for (const [what, times] of stats.faults) faults.set(what, (faults.get(what) ?? 0) + times)
    if (problems.length > 0) failures.push({ seed: next, problems })
  }
  return { switches, calls, traces: [...traces], faults, failures }
}
