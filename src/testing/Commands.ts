/**
 * What can happen to a service, as commands for random runs: plain data, how to draw it, and how it is run. What commonly
 * happens is drawn often, and what rarely does often enough to be seen.
 *
 *     const session = Commands.begin(simulated)
 *     const { asked, outcome } = yield* Commands.run(session, command)
 *
 * `modelRun` wraps them for fast-check's `fc.commands` and `fc.asyncModelRun`.
 */
import * as fc from "fast-check"
import { HIGHEST } from "../domain/Stock.ts"
import { DAY, HOUR, MINUTE } from "../domain/Time.ts"
import { reasons } from "../domain/Withdrawal.ts"
import * as Arbitraries from "./Arbitraries.ts"
import { faults } from "./Simulated.ts"
import type { Command, Side, Asked, Outcome } from "./commands/Command.ts"
import { Effect } from "effect"
import type { StorageError } from "../ports/Storage.ts"
import * as Reports from "./commands/Reports.ts"
import { perform } from "./commands/Performing.ts"
import { resolve, type Session } from "./commands/Resolving.ts"

export type { Answer, Asked, Command, Outcome, Request, Side } from "./commands/Command.ts"
export { begin, type Session } from "./commands/Resolving.ts"

/** How large runs get, and the plans in them. */
export interface Bounds extends Arbitraries.PlanBounds {
  /** The longest span by which the clock is advanced at once, in milliseconds. */
  readonly advance: number
  /** How many commands a run has at most. */
  readonly commands: number
}

/** What a run of a few milliseconds can hold. */
export const modest: Bounds = { ...Arbitraries.modestPlans, advance: 3 * 365 * DAY, commands: 24 }

type Of<Tag extends Command["_tag"]> = fc.Arbitrary<Extract<Command, { readonly _tag: Tag }>>

const by: fc.Arbitrary<Side> = fc.oneof(
  { weight: 7, arbitrary: fc.constant(0 as const) },
  { weight: 1, arbitrary: fc.constant(1 as const) }
)

/** True once in so many times; shrinks to false. */
const rarely = (once: number): fc.Arbitrary<boolean> => fc.nat(once - 1).map((drawn) => drawn === once - 1)

const label = fc.oneof(
  { weight: 5, arbitrary: fc.constant("Green" as const) },
  { weight: 1, arbitrary: fc.constant("Aqua" as const) }
)

const period = fc.option(Arbitraries.activePeriods, { freq: 3 })

const createPlan = (bounds: Bounds): Of<"CreatePlan"> =>
  fc
    .record({
      by,
      label,
      coverage: fc.nat(2),
      request: fc.oneof(
        {
          weight: 9,
          arbitrary: Arbitraries.planRequests(bounds).map((terms) => ({ terms, field: null }))
        },
        { weight: 1, arbitrary: Arbitraries.invalidPlanRequests(bounds) }
      )
    })
    .map(({ by, coverage, label, request }) => ({
      _tag: "CreatePlan",
      by,
      label,
      coverage,
      terms: request.terms,
      flaw: request.field
    }))

const changePlan: Of<"ArchivePlan" | "UnarchivePlan" | "DeletePlan"> = fc.record({
  _tag: fc.constantFrom("ArchivePlan" as const, "UnarchivePlan" as const, "DeletePlan" as const),
  by,
  plan: Reports.place,
  foreign: rarely(5)
})

const subscribe: Of<"Subscribe"> = fc.record({
  _tag: fc.constant("Subscribe" as const),
  by,
  plan: Reports.place,
  sim: fc.option(Reports.place, { freq: 1 }),
  foreign: rarely(10),
  period,
  keyed: rarely(3)
})

const topUp: Of<"TopUp"> = fc.record({
  _tag: fc.constant("TopUp" as const),
  by,
  plan: Reports.place,
  line: Reports.place,
  period,
  keyed: rarely(3)
})

const reports: Of<"Report"> = fc.record({
  _tag: fc.constant("Report" as const),
  of: by,
  line: Reports.place,
  sim: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: Reports.place }),
  reports: fc.oneof(
    { weight: 4, arbitrary: fc.array(Reports.report, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(Reports.report, { minLength: 1, maxLength: 4 }) }
  ),
  spelled: rarely(3)
})

const reconcileUsage: Of<"ReconcileUsage"> = fc.record({
  _tag: fc.constant("ReconcileUsage" as const),
  of: by,
  line: Reports.place,
  used: fc.array(
    fc.record({
      daysAgo: fc.integer({ min: 1, max: 4 }),
      countryAlpha2: fc.constantFrom(null, "FR", "DE", "JP"),
      percent: fc.constantFrom(0, 10, 50, 100),
      beside: fc.constantFrom(0, 1)
    }),
    { maxLength: 4 }
  ),
  today: fc.record({ least: Reports.amount, more: Reports.amount })
})

const suspend: Of<"Suspend"> = fc.record({
  _tag: fc.constant("Suspend" as const),
  by,
  line: Reports.place,
  attachment: Reports.place,
  foreign: rarely(8)
})

const remove: Of<"Delete"> = fc.record({
  _tag: fc.constant("Delete" as const),
  by,
  line: Reports.place,
  foreign: rarely(8)
})

const replace: Of<"Replace"> = fc.record({
  _tag: fc.constant("Replace" as const),
  by,
  line: Reports.place,
  foreign: rarely(8)
})

const pause: Of<"Pause"> = fc.record({
  _tag: fc.constant("Pause" as const),
  by,
  line: Reports.place,
  paused: fc.boolean(),
  foreign: rarely(8)
})

const sendSms: Of<"SendSms"> = fc.record({
  _tag: fc.constant("SendSms" as const),
  by,
  line: Reports.place,
  foreign: rarely(6),
  keyed: fc.boolean()
})

const setMobilePlan: Of<"SetMobilePlan"> = fc.record({
  _tag: fc.constant("SetMobilePlan" as const),
  by,
  sim: fc.option(Reports.place, { freq: 2 }),
  label,
  apply: fc.boolean(),
  foreign: rarely(8)
})

/** Activation codes by SGP.22, with and without the prefix of QR codes, none, and one of a format that is not known. */
const lpa = fc.constantFrom(
  "LPA:1$smdp.example$",
  "LPA:1$smdp.example$OTHER",
  "LPA:1$smdp.example$OTHER$1.3.6.1$1",
  "1$smdp.example$OTHER",
  null,
  "LPA:2$smdp.example$OTHER"
)

const status = fc.oneof(
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Withdrawn" as const), reason: fc.constantFrom(...reasons) }) },
  { weight: 2, arbitrary: fc.constant({ _tag: "Available" } as const) }
)

const correctSim: Of<"CorrectSim"> = fc.record({
  _tag: fc.constant("CorrectSim" as const),
  by,
  sim: Reports.place,
  foreign: rarely(8),
  correction: fc.oneof(
    { weight: 5, arbitrary: fc.record({ status }) },
    { weight: 2, arbitrary: fc.record({ label }) },
    { weight: 2, arbitrary: fc.record({ lpa }) },
    { weight: 1, arbitrary: fc.record({ label, lpa, status }, { requiredKeys: [] }) }
  )
})

const level = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, HIGHEST, HIGHEST + 1) }
)

const levels = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.record({ label, level })) },
  {
    weight: 2,
    arbitrary: fc.tuple(level, level).map(([green, aqua]) => [
      { label: "Green" as const, level: green },
      { label: "Aqua" as const, level: aqua }
    ])
  },
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.record({ label, level }).map((one) => [one, one]) }
)

const setStockLevels: Of<"SetStockLevels"> = fc.record({ _tag: fc.constant("SetStockLevels" as const), by, levels })

const repeat: Of<"Repeat"> = fc.record({
  _tag: fc.constant("Repeat" as const),
  back: fc.nat(2)
})

const advance = (bounds: Bounds): Of<"Advance"> =>
  fc.record({
    _tag: fc.constant("Advance" as const),
    millis: Arbitraries.spans(bounds.advance)
  })

const advanceTo: Of<"AdvanceTo"> = fc.record({
  _tag: fc.constant("AdvanceTo" as const),
  of: by,
  line: Reports.place,
  attachment: Reports.place,
  boundary: fc.constantFrom("due" as const, "activation" as const, "expiry" as const),
  beside: fc.constantFrom(0, -1, 1)
})

const kill: Of<"Kill"> = fc.record({
  _tag: fc.constant("Kill" as const),
  commits: fc.integer({ min: 1, max: 4 }),
  when: fc.constantFrom("before" as const, "after" as const)
})

const restart = (bounds: Bounds): Of<"Restart"> =>
  fc.record({
    _tag: fc.constant("Restart" as const),
    downtime: fc.oneof(fc.constant(0), Arbitraries.spans(Math.min(bounds.advance, 60 * DAY)))
  })

const fault: Of<"Fault"> = fc.record({
  _tag: fc.constant("Fault" as const),
  fault: fc.constantFrom(...faults, null),
  times: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 40 }))
})

const quiet: Of<"Quiet"> = fc.constant({ _tag: "Quiet" })

/** One command. */
export const command = (bounds: Bounds = modest): fc.Arbitrary<Command> =>
  fc.oneof(
    { weight: 4, arbitrary: createPlan(bounds) },
    { weight: 2, arbitrary: changePlan },
    { weight: 12, arbitrary: subscribe },
    { weight: 3, arbitrary: topUp },
    { weight: 10, arbitrary: reports },
    { weight: 3, arbitrary: suspend },
    { weight: 3, arbitrary: remove },
    { weight: 4, arbitrary: pause },
    { weight: 4, arbitrary: replace },
    { weight: 2, arbitrary: sendSms },
    { weight: 3, arbitrary: setMobilePlan },
    { weight: 3, arbitrary: repeat },
    { weight: 10, arbitrary: advance(bounds) },
    { weight: 6, arbitrary: advanceTo },
    { weight: 3, arbitrary: kill },
    { weight: 2, arbitrary: restart(bounds) },
    { weight: 5, arbitrary: fault },
    { weight: 1, arbitrary: quiet },
    { weight: 3, arbitrary: correctSim },
    { weight: 4, arbitrary: reconcileUsage },
    { weight: 2, arbitrary: setStockLevels }
  )

/** Any SIM is withdrawn or made available again: the first ones are in service most often, and are not corrected then. */
const moveStock: Of<"CorrectSim"> = fc.record({
  _tag: fc.constant("CorrectSim" as const),
  by: fc.constant(0 as const),
  sim: fc.nat(11),
  foreign: fc.constant(false),
  correction: fc.record({ status })
})

/** A level that the stock may be just above or below. */
const watchStock: Of<"SetStockLevels"> = fc.record({
  _tag: fc.constant("SetStockLevels" as const),
  by: fc.constant(0 as const),
  levels: fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.record({ label, level: fc.integer({ min: 1, max: 12 }) })) },
    { weight: 1, arbitrary: fc.constant([]) }
  )
})

/**
 * Changes of the stock, each of which is counted before anything else happens: a later change of any SIM of the label would
 * have it counted as well (rule I12).
 */
const stockChanges: fc.Arbitrary<ReadonlyArray<Command>> = fc
  .array(fc.oneof({ weight: 3, arbitrary: moveStock }, { weight: 1, arbitrary: watchStock }), {
    minLength: 1,
    maxLength: 5,
    size: "max"
  })
  .map((changes) => changes.flatMap((change) => [change, { _tag: "Advance", millis: MINUTE } as const]))

/** A change of the service that the telco does not take at first (rules S6 and S7): of all its calls this is the next one. */
const serviceChange: fc.Arbitrary<ReadonlyArray<Command>> = fc
  .record({
    fault: fc.constantFrom("refuse to end" as const, "unavailable" as const),
    times: fc.integer({ min: 1, max: 4 }),
    line: Reports.place,
    resumed: rarely(3)
  })
  .map(({ fault, line, resumed, times }) => [
    { _tag: "Fault", fault, times },
    { _tag: "Pause", by: 0, line, paused: !resumed, foreign: false },
    { _tag: "Advance", millis: HOUR }
  ])

/** An order whose process is killed, mostly as the telco has its packages; the next attempt finds it out of reach (rule S5). */
const takenOver: fc.Arbitrary<ReadonlyArray<Command>> = fc
  .record({
    death: fc.oneof(
      { weight: 3, arbitrary: fc.constant({ _tag: "Kill", commits: 2, when: "before" } as const) },
      { weight: 1, arbitrary: kill }
    ),
    order: fc.oneof(subscribe, topUp),
    isOfNow: fc.boolean(),
    fault: fc.constantFrom("unreachable" as const, "unavailable" as const),
    times: fc.integer({ min: 1, max: 3 })
  })
  .map(({ death, fault, isOfNow, order, times }) => [
    death,
    { ...order, by: 0, period: isOfNow ? null : order.period },
    { _tag: "Fault", fault, times },
    { _tag: "Advance", millis: MINUTE }
  ])

/**
 * A subscription that moves while the telco is out of reach, so that the end of its SIM is not confirmed; before and after it
 * what names that SIM: a top-up under a key that comes again, creations, the mobile plan. Some of it the telco refuses (rules I9
 * and S8).
 */
const moved: fc.Arbitrary<ReadonlyArray<Command>> = fc
  .record({
    line: Reports.place,
    plan: Reports.place,
    away: fc.constantFrom("unreachable" as const, "unavailable" as const),
    times: fc.integer({ min: 1, max: 40 }),
    isToppedUp: fc.boolean(),
    refuses: rarely(2),
    named: fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constant("Subscribe" as const) },
        { weight: 2, arbitrary: fc.constant("Repeat" as const) },
        { weight: 2, arbitrary: fc.constant("SetMobilePlan" as const) },
        { weight: 1, arbitrary: fc.constant("Advance" as const) }
      ),
      { minLength: 1, maxLength: 4 }
    )
  })
  .map(({ away, isToppedUp, line, named, plan, refuses, times }) => {
    const of = { by: 0, plan, period: null } as const
    const commands: { readonly [Tag in (typeof named)[number]]: Command } = {
      Subscribe: { _tag: "Subscribe", ...of, sim: null, left: 0, foreign: false, keyed: false },
      Repeat: { _tag: "Repeat", back: 0 },
      SetMobilePlan: {
        ...{ _tag: "SetMobilePlan", by: 0, sim: null, left: 0, label: "Green", apply: true, foreign: false }
      },
      Advance: { _tag: "Advance", millis: MINUTE }
    }
    return [
      { _tag: "Fault", fault: away, times },
      ...(isToppedUp ? [{ _tag: "TopUp", ...of, line, keyed: true } as const] : []),
      { _tag: "Replace", by: 0, line, foreign: false },
      ...(refuses ? [{ _tag: "Fault", fault: "refuse", times: 1 } as const] : []),
      ...named.map((tag) => commands[tag])
    ]
  })

/** A run: a plan and a subscription to begin with, then anything, and in the end all that was put off. */
export const runs = (bounds: Bounds = modest): fc.Arbitrary<ReadonlyArray<Command>> =>
  fc
    .tuple(
      createPlan(bounds).map((command) => ({ ...command, by: 0 as const })),
      subscribe.map((command) => ({
        ...command,
        by: 0 as const,
        foreign: false
      })),
      fc.array(
        fc.oneof(
          { weight: 30, arbitrary: command(bounds).map((one): ReadonlyArray<Command> => [one]) },
          { weight: 1, arbitrary: stockChanges },
          { weight: 1, arbitrary: serviceChange },
          { weight: 2, arbitrary: takenOver },
          { weight: 2, arbitrary: moved }
        ),
        { maxLength: bounds.commands - 3, size: "max" }
      )
    )
    .map(([plan, subscription, others]) => [
      plan,
      subscription,
      ...others.flat().slice(0, bounds.commands - 3),
      { _tag: "Quiet" }
    ])

/** What a command came to. */
export interface Ran {
  /** The request with its ids and instants. */
  readonly asked: Asked
  /** How the request ended. A defect or a failure of storage is reported as `Broken`. */
  readonly outcome: Outcome
}

/** Runs a command. It never fails: whatever comes of it is an outcome. */
export const run = (session: Session, command: Command): Effect.Effect<Ran, StorageError> =>
  Effect.gen(function* () {
    const asked = yield* resolve(session, command)
    return { asked, outcome: yield* perform(session, asked) }
  })

/** What a model run reports of each command, in order; `expect` is called after each, and may throw. */
export interface Model {
  /** Grows by one with each command, before `expect` is called. */
  readonly ran: Array<Ran>
}

/** Commands for `fc.commands`: `fc.asyncModelRun(() => ({ model: { ran: [] }, real: session }), commands)`. */
export const modelRun = (
  expect: (session: Session, model: Model) => Promise<void> | void = () => {},
  bounds: Bounds = modest
): fc.Arbitrary<Iterable<fc.AsyncCommand<Model, Session>>> =>
  fc.commands(
    [
      command(bounds).map((command) => ({
        check: () => true,
        run: async (model: Model, session: Session) => {
          model.ran.push(await Effect.runPromise(session.simulated.inItsTime(run(session, command))))
          await expect(session, model)
        },
        toString: () => JSON.stringify(command)
      }))
    ],
    { maxCommands: bounds.commands, size: "max" }
  )
