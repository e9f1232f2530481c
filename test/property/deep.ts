/**
 * One worker of `npm run test:deep` (see deep.mjs): random runs in memory until its time is over or one fails.
 *
 * A run follows from its seed alone: `npm run test:deep -- --seed N --runs 1` repeats it.
 */
import { parentPort, workerData } from "node:worker_threads"
import { Schema } from "effect"
import * as fc from "fast-check"
import { Arbitraries, Commands, type History, Invariants } from "../../src/testing/index.ts"
import { recorded } from "./Histories.ts"
import { faults } from "./Planted.ts"

const Task = Schema.Struct({
  /** The first seed. The worker takes it and every `step`th one after it. */
  seed: Schema.Int,
  step: Schema.Int,
  runs: Schema.Int,
  until: Schema.Finite,
  /** The number of a planted fault that the runs have to find. */
  plant: Schema.NullOr(Schema.Int)
})

/** A message of a worker: how much it has run, and the failure, if there is one. */
export interface Told {
  readonly runs: number
  readonly commands: number
  readonly years: number
  readonly failure: {
    readonly seed: number
    readonly commands: ReadonlyArray<Commands.Command>
    readonly violations: ReadonlyArray<Invariants.Violation>
  } | null
}

const YEAR = 365.25 * 24 * 60 * 60 * 1_000

/** How many runs are spent on shortening the commands of a failure. */
const SHRINKS = 2_000

const yearsOf = ({ start, steps }: History.History): number => ((steps.at(-1)?.ended ?? start) - start) / YEAR

const work = async ({ plant, runs, seed: first, step, until }: typeof Task.Type): Promise<Told> => {
  const planted = plant === null ? undefined : faults[plant]?.[1]
  const around = planted === undefined ? {} : { around: planted }
  const told = { runs: 0, commands: 0, years: 0 }
  const violationsOf = async (seed: number, commands: ReadonlyArray<Commands.Command>) => {
    const [start = 0] = fc.sample(Arbitraries.Instants.instants, { seed, numRuns: 1 })
    const history = await recorded(seed, commands, { ...around, start })
    return { history, violations: Invariants.check(history) }
  }
  for (let seed = first; told.runs < runs && Date.now() < until; seed += step) {
    const [commands = []] = fc.sample(Commands.runs(), { seed, numRuns: 1 })
    const { history, violations } = await violationsOf(seed, commands)
    told.runs += 1
    told.commands += history.steps.length
    told.years += yearsOf(history)
    if (violations.length === 0) continue
    const shrunk = await shrink(seed, async (shorter) => (await violationsOf(seed, shorter)).violations.length === 0)
    const found = await violationsOf(seed, shrunk ?? commands)
    return { ...told, failure: { seed, commands: shrunk ?? commands, violations: found.violations } }
  }
  return { ...told, failure: null }
}

/** The shortest commands found that fail too. The first run of the same seed draws the same commands. */
const shrink = async (seed: number, holds: (commands: ReadonlyArray<Commands.Command>) => Promise<boolean>) => {
  let left = SHRINKS
  const property = fc.asyncProperty(Commands.runs(), async (commands) => (left-- > 0 ? holds(commands) : true))
  const found = await fc.check(property, { seed, numRuns: 1 })
  return found.counterexample?.[0]
}

const task = Schema.decodeUnknownSync(Task)(workerData)
work(task).then(
  (told) => parentPort?.postMessage(told),
  (cause) => {
    throw cause
  }
)
