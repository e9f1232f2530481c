/**
 * Runs that show what does not hold of the engine: those of several processes, with fixed plans and
 * with new ones, and those of one process under a virtual clock.
 */
import { Context, Effect, Exit } from "effect"
import * as fc from "fast-check"
import { Jobs, Outbox, Storage, Telco } from "simplan/ports"
import { Cluster, Commands, History, Invariants, Simulation } from "simplan/testing"
import { around } from "../../adapters/simulation/Processes.ts"
import { plans } from "../cluster/Plans.ts"
import { regressions } from "../cluster/Regressions.ts"
import { handlers } from "../histories/Histories.ts"

/** How many plans of `test/cluster`, how many runs of one process, and how many new plans. */
const PLANS = 12
const RUNS = 20
const NEW_PLANS = 4

interface Run {
  readonly name: string
  /** Ends with the first complaint, null where there is none. */
  readonly complaint: () => Promise<string | null>
}

const ofProcesses = (name: string, drawn: ReadonlyArray<Cluster.Plan>): ReadonlyArray<Run> =>
  drawn.map((plan, index) => ({
    name: `${name} ${index}`,
    complaint: async () => {
      const exit = await Effect.runPromiseExit(Cluster.verdict(plan))
      return Exit.isSuccess(exit) ? (exit.value.complaints[0] ?? null) : "it does not end, or breaks"
    }
  }))

const HOUR = 3_600_000

const createPlan = (label: "Green" | "Aqua"): Commands.Command => ({
  _tag: "CreatePlan",
  by: 0,
  label,
  coverage: 0,
  terms: {
    name: "daily",
    dataMegaBytes: 1,
    periodDays: 1,
    throttling: [],
    recurrence: { periodicity: "Daily", frequency: 1, occurrences: 3 }
  },
  flaw: null
})

const subscribe = (start: number | null): Commands.Command => ({
  _tag: "Subscribe",
  by: 0,
  plan: 0,
  sim: null,
  foreign: false,
  period: start === null ? null : { start, end: null },
  keyed: false
})

/**
 * Recurring plans of which two at a time have their packages due, and then two more within a poll
 * of the fetch loops.
 */
const together: ReadonlyArray<Commands.Command> = [
  createPlan("Green"),
  ...[0, 0, 100, 100].map((after) => subscribe(13 * HOUR + after)),
  { _tag: "Advance", millis: 100 * HOUR }
]

/**
 * A creation that dies has the only eSIM of the label, and is not decided when the next one is
 * asked for.
 */
const undecided: ReadonlyArray<Commands.Command> = [
  createPlan("Aqua"),
  { _tag: "Kill", commits: 1, when: "after" },
  subscribe(null),
  subscribe(null)
]

/** The telco refuses a pause at first, which is no reason to give it up (rule S6). */
const refusedOnce: ReadonlyArray<Commands.Command> = [
  createPlan("Green"),
  subscribe(null),
  { _tag: "Advance", millis: HOUR },
  { _tag: "Fault", fault: "refuse to end", times: 1 },
  { _tag: "Pause", by: 0, line: 0, paused: true, foreign: false },
  { _tag: "Advance", millis: HOUR },
  { _tag: "Quiet" }
]

/** A withdrawal takes the stock below its level, and nothing else has it counted (rule I12). */
const belowLevel: ReadonlyArray<Commands.Command> = [
  { _tag: "SetStockLevels", by: 0, levels: [{ label: "Green", level: 4 }] },
  { _tag: "Advance", millis: HOUR },
  {
    _tag: "CorrectSim",
    by: 0,
    sim: 0,
    foreign: false,
    correction: { status: { _tag: "Withdrawn", reason: "broken" } }
  },
  { _tag: "Advance", millis: HOUR }
]

const later = <Service extends object>(service: Service): Service =>
  around(service, {
    ask: (_, argument) => argument,
    run: (_, operation) => Effect.andThen(Effect.yieldNow, operation)
  })

/**
 * The storage and the telco of a server answer when others have had their turn; those of a
 * simulation at once.
 */
const answeringLater: NonNullable<Simulation.Options["around"]> = (ports) =>
  ports.pipe(
    Context.add(Storage.Storage, later(Context.get(ports, Storage.Storage))),
    Context.add(Jobs.Jobs, later(Context.get(ports, Jobs.Jobs))),
    Context.add(Outbox.Outbox, later(Context.get(ports, Outbox.Outbox))),
    Context.add(Telco.Telco, later(Context.get(ports, Telco.Telco)))
  )

const ofOneProcess = (seed: number): ReadonlyArray<Run> =>
  [together, ...fc.sample(Commands.runs(), { seed, numRuns: RUNS }), undecided, refusedOnce, belowLevel].map(
    (commands, index) => {
      const simulation = Simulation.make({
        seed,
        esims: { Green: 4, Aqua: 1 },
        physicalSims: 1,
        lifecycle: true,
        handlers,
        around: index === 0 ? answeringLater : (ports) => ports
      })
      const recorded = Effect.flatMap(simulation, (simulated) => History.record(simulated, commands))
      return {
        name: `commands ${index}`,
        complaint: async () => {
          const exit = await Effect.runPromiseExit(Effect.scoped(recorded))
          if (!Exit.isSuccess(exit)) return "it breaks"
          const [violation] = Invariants.check(exit.value, [...Invariants.all, ...Invariants.lifecycle])
          return violation === undefined ? null : `${violation.invariant}: ${violation.message}`
        }
      }
    }
  )

/** The runs in the order in which they are tried; the one of that name goes first. */
export const runsOf = (seed: number, first: string | null): ReadonlyArray<Run> =>
  [
    ...ofProcesses("plan", fc.sample(plans, { seed: 1, numRuns: PLANS })),
    ...ofProcesses(
      "regression",
      regressions.map(([plan]) => plan)
    ),
    ...ofOneProcess(seed),
    ...ofProcesses("new plan", fc.sample(plans, { seed: seed + 1, numRuns: NEW_PLANS }))
  ].toSorted((left, right) => Number(right.name === first) - Number(left.name === first))
