/**
 * The requests that the probes of a cluster make, once all faults are over.
 */
import { Clock, Effect } from "effect"
import { Time } from "simplan"
import type { Commands } from "../../../src/testing/index.ts"
import type * as World from "./World.ts"

/** How late work may be that nothing holds up, in milliseconds. */
export const PROMPT = 2 * Time.SECOND

/** How long before its activation a package is created. */
export const LEAD = 12 * Time.HOUR

export const sleepUntil = (instant: Time.Instant): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(0, instant - now)))

export const location = (countryAlpha2: string, of: Commands.Side, line: number): Commands.Command =>
  locations([countryAlpha2], of, line)

/** One request with a report for each country. */
export const locations = (countries: ReadonlyArray<string>, of: Commands.Side, line: number): Commands.Command => ({
  _tag: "Report",
  of,
  line,
  reports: countries.map((countryAlpha2) => ({
    after: 0,
    again: null,
    fact: { _tag: "Location", countryAlpha2, rat: "4G" }
  }))
})

export const subscribe = (by: Commands.Side): Extract<Commands.Command, { _tag: "Subscribe" }> => ({
  _tag: "Subscribe",
  by,
  plan: 0,
  sim: null,
  foreign: false,
  period: null,
  keyed: false
})

export const sendSms = (keyed: boolean): Commands.Command => ({
  _tag: "SendSms",
  by: 0,
  line: 0,
  foreign: false,
  keyed
})

/** A plan of daily packages. */
export const daily = (by: Commands.Side, occurrences: number): Commands.Command => ({
  _tag: "CreatePlan",
  by,
  label: "Green",
  coverage: 0,
  terms: {
    name: "daily",
    dataMegaBytes: 100,
    periodDays: 1,
    throttling: [],
    recurrence: { periodicity: "Daily", frequency: 1, occurrences }
  },
  flaw: null
})

/** How many plans the organization has. */
const plansOf = (world: World.World, by: Commands.Side): number =>
  world.answered.filter(
    ({ asked, outcome }) =>
      asked._tag === "CreatePlan" &&
      outcome._tag === "Answered" &&
      asked.organizationId === world.simulated.organizationIds[by]
  ).length

/** An order under a key of the organization's newest plan, of which two packages are due. */
export const order = (world: World.World, by: Commands.Side): Commands.Command => ({
  ...subscribe(by),
  plan: plansOf(world, by) - 1,
  period: { start: -LEAD - Time.HOUR, end: null },
  keyed: true
})

/** Attaches the organization's newest plan; its first package is due at that instant. */
export const topUp = Effect.fnUntraced(function* (
  world: World.World,
  of: { readonly by: Commands.Side; readonly line: number; readonly dueAt: Time.Instant }
): Effect.fn.Return<Commands.Command> {
  const { by, line } = of
  const start = LEAD + of.dueAt - (yield* Clock.currentTimeMillis)
  return { _tag: "TopUp", by, plan: plansOf(world, by) - 1, line, period: { start, end: null }, keyed: false }
})

/** How many requests are made at once. */
const AT_ONCE = 6

/** Leaves so many jobs of an organization that all fall due at that instant. */
export const putJobs = Effect.fnUntraced(function* (
  world: World.World,
  by: Commands.Side,
  dueAt: Time.Instant,
  count: number
) {
  for (let put = 0; put < count; put += AT_ONCE) {
    const lines = Array.from({ length: Math.min(AT_ONCE, count - put) }, (_, line) => line)
    const commands = yield* Effect.forEach(lines, (line) => topUp(world, { by, line, dueAt }))
    yield* world.ask(
      commands.map((command, process) => ({ process, command })),
      PROMPT
    )
  }
})
