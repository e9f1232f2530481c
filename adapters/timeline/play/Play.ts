/**
 * Plays a scenario: the real services, in memory, under a virtual clock.
 *
 * The clock advances to the next instant at which something can happen: a step, a due job, an
 * activation or an expiry. After each advance, `Changes` records what has changed. The same
 * scenario always has the same history.
 */
import { Effect } from "effect"
import { type Time, Worker } from "simplan"
import { type Simulated, Simulation } from "simplan/testing"
import * as Actions from "./Actions.ts"
import * as Changes from "./Changes.ts"
import { type History, nextChange } from "./History.ts"
import * as Problem from "../scenario/Problem.ts"
import type * as Scenario from "../scenario/Scenario.ts"
import * as Stage from "./Stage.ts"

/** The limit of advances in a scenario. */
const ADVANCES = 20_000

/** The next instant at which something can happen; null if there is none. */
const nextInstant = Effect.fnUntraced(function* (simulated: Simulated.Simulated, watch: Changes.Watch) {
  const now = yield* simulated.now
  const due = yield* Effect.orDie(simulated.use(Worker.Worker.use((of) => of.nextDue)))
  const change = nextChange(watch.courses(), now)
  return due === null || (change !== null && change < due) ? change : due
})

const scene = Effect.fnUntraced(function* (scenario: Scenario.Playable) {
  const { source, start } = scenario
  const plans = [source.plan, ...(source.steps ?? []).flatMap((step) => (step.do === "top_up" ? [step.plan] : []))]
  const coverageIds = plans.flatMap((plan) => (plan?.coverage_id === undefined ? [] : [plan.coverage_id]))
  const simulated = yield* Simulation.makeOver(Stage.catalogueLayer(coverageIds), {
    seed: source.seed ?? 1,
    start,
    esims: { Green: 2 },
    physicalSims: 0,
    telcoTimes: source.telco_times ?? "reported",
    around: Stage.withoutBundles
  })
  const [organizationId] = simulated.organizationIds
  const made = yield* Stage.createPlan(simulated, organizationId, scenario, source.plan, ["plan"])
  const plan = yield* Stage.bundled(simulated, scenario, made)
  const watch = Changes.watch(simulated, organizationId)
  const iccid = simulated.iccids(organizationId)[0] ?? ""
  const stage: Stage.Stage = { simulated, scenario, organizationId, plan, courses: watch.courses, iccid }
  return { simulated, watch, stage }
})

const play = Effect.fnUntraced(function* (scenario: Scenario.Playable) {
  const { simulated, stage, watch } = yield* scene(scenario)
  let advances = 0
  const advanceTo = Effect.fnUntraced(function* (instant: Time.Instant) {
    advances += 1
    if (advances > ADVANCES) {
      const must = `must be early enough for the scenario to end within ${ADVANCES} changes`
      return yield* Problem.mistake(scenario.source, ["end"], must)
    }
    yield* Effect.orDie(simulated.advanceTo(instant))
    yield* watch.observe(stage.iccid)
  })
  /** Advances step by step to an instant; null: until nothing is left to happen. */
  const playUntil = Effect.fnUntraced(function* (to: Time.Instant | null) {
    for (;;) {
      const next = yield* nextInstant(simulated, watch)
      if (next === null || (to !== null && next >= to)) break
      yield* advanceTo(next)
    }
    if (to !== null) yield* advanceTo(to)
  })

  for (const timed of scenario.steps) {
    yield* playUntil(timed.at)
    const line = yield* Actions.perform(stage, timed)
    const note = timed.step.note !== undefined && timed.step.do !== "advance" ? ` (${timed.step.note})` : ""
    if (line !== null) watch.add({ ...line, what: line.what + note, at: timed.at, attachment: null })
    yield* advanceTo(timed.at)
  }
  yield* playUntil(scenario.end)
  const { source, start } = scenario
  const history: History = {
    title: source.title,
    about: source.about ?? null,
    seed: simulated.seed,
    start,
    end: yield* simulated.now,
    entries: watch.entries(),
    attachments: watch.courses()
  }
  return history
})

/** Plays the scenario, and returns its history. */
export const history = (scenario: Scenario.Playable): Effect.Effect<History, Problem.Mistake> =>
  Effect.scoped(play(scenario))
