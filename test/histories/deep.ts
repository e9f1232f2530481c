/**
 * One worker of `npm run test:deep` (see deep.mjs): random runs in memory until its time is over or
 * one fails.
 *
 * A run follows from its seed alone: `npm run test:deep -- --seed N --runs 1` repeats it.
 */
import { parentPort, workerData } from "node:worker_threads"
import { Effect, Schema } from "effect"
import * as fc from "fast-check"
import type * as Cluster from "../../adapters/simulation/cluster/Cluster.ts"
import { verdict } from "../../adapters/simulation/cluster/Cluster.ts"
import { plans } from "../cluster/Plans.ts"
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
  plant: Schema.NullOr(Schema.Int),
  /** Where the worker writes the seed of the run under way. */
  underWay: Schema.instanceOf(Float64Array)
})

/** A message of a worker: how much it has run, and the failure, if there is one. */
export interface Result {
  readonly runs: number
  readonly commands: number
  readonly years: number
  /**
   * Runs of several processes: how many there were, of how many processes, and what happened in
   * them.
   */
  readonly clusters: number
  readonly processes: number
  readonly requests: number
  readonly choices: number
  readonly struck: Readonly<Record<string, number>>
  readonly failure: {
    readonly seed: number
    readonly commands: ReadonlyArray<Commands.Command>
    readonly violations: ReadonlyArray<Invariants.Violation>
  } | null
  readonly clusterFailure: {
    readonly seed: number
    readonly plan: Cluster.Plan
    readonly complaints: ReadonlyArray<string>
  } | null
}

/** One in so many runs is also one of several processes, which takes much longer. */
const CLUSTERS = 8

/** In one of so many runs an endpoint takes every event. */
const LIFECYCLES = 2

/** In one of so many runs the telco sells eSIMs. */
const PURCHASES = 3

const YEAR = 365.25 * 24 * 60 * 60 * 1_000

/** How many runs are spent on shortening the commands of a failure. */
const SHRINKS = 2_000
const CLUSTER_SHRINKS = 200

const yearsOf = ({ start, steps }: History.History): number => ((steps.at(-1)?.ended ?? start) - start) / YEAR

const work = async ({ plant, runs: most, seed: first, step, underWay, until }: typeof Task.Type): Promise<Result> => {
  const planted = plant === null ? undefined : faults[plant]?.[1]
  const around = planted === undefined ? {} : { around: planted }
  const struck: Record<string, number> = {}
  const result = { runs: 0, commands: 0, years: 0, clusters: 0, processes: 0, requests: 0, choices: 0, struck }
  const complaintsOf = async (plan: Cluster.Plan) => {
    const found = await Effect.runPromise(verdict(plan))
    result.clusters += 1
    result.processes += found.processes
    result.requests += found.requests
    result.choices += found.choices
    for (const [what, times] of found.struck) struck[what] = (struck[what] ?? 0) + times
    return found.complaints
  }
  const isBuying = (seed: number) => planted === undefined && seed % PURCHASES === 0
  const violationsOf = async (seed: number, commands: ReadonlyArray<Commands.Command>) => {
    const [start = 0] = fc.sample(Arbitraries.instants, { seed, numRuns: 1 })
    const lifecycle = seed % LIFECYCLES === 0
    const selling = isBuying(seed) ? { esims: { Green: 1 }, sellableDays: [30, null, 5, 2, 400] } : {}
    const history = await recorded(seed, commands, { ...around, ...selling, start, lifecycle })
    const invariants = lifecycle ? [...Invariants.all, ...Invariants.lifecycle] : Invariants.all
    return { history, violations: Invariants.check(history, invariants) }
  }
  for (let seed = first; result.runs < most && Date.now() < until; seed += step) {
    underWay[0] = seed
    const runs = isBuying(seed) ? Commands.purchases() : Commands.runs()
    const [commands = []] = fc.sample(runs, { seed, numRuns: 1 })
    const { history, violations } = await violationsOf(seed, commands)
    result.runs += 1
    result.commands += history.steps.length
    result.years += yearsOf(history)
    if (violations.length === 0 && seed % CLUSTERS === 0 && planted === undefined) {
      const [plan] = fc.sample(plans, { seed, numRuns: 1 })
      const complaints = plan === undefined ? [] : await complaintsOf(plan)
      if (plan !== undefined && complaints.length > 0) {
        const before = { ...result, struck: { ...struck } }
        const shorter = await shrink(plans, seed, CLUSTER_SHRINKS, async (of) => (await complaintsOf(of)).length === 0)
        const found = shorter === undefined ? complaints : await complaintsOf(shorter)
        return { ...before, failure: null, clusterFailure: { seed, plan: shorter ?? plan, complaints: found } }
      }
    }
    if (violations.length === 0) continue
    const shrunk = await shrink(
      runs,
      seed,
      SHRINKS,
      async (shorter) => (await violationsOf(seed, shorter)).violations.length === 0
    )
    const found = await violationsOf(seed, shrunk ?? commands)
    return {
      ...result,
      clusterFailure: null,
      failure: { seed, commands: shrunk ?? commands, violations: found.violations }
    }
  }
  return { ...result, failure: null, clusterFailure: null }
}

/**
 * The shortest value found that fails likewise; the first run of the same seed draws the very same
 * one.
 */
const shrink = async <A>(
  arbitrary: fc.Arbitrary<A>,
  seed: number,
  most: number,
  holds: (value: A) => Promise<boolean>
) => {
  let left = most
  const property = fc.asyncProperty(arbitrary, async (value) => (left-- > 0 ? holds(value) : true))
  const found = await fc.check(property, { seed, numRuns: 1 })
  return found.counterexample?.[0]
}

const task = Schema.decodeUnknownSync(Task)(workerData)
work(task).then(
  (result) => parentPort?.postMessage(result),
  (cause) => {
    throw cause
  }
)
