/**
 * What can happen to a service, as commands for random runs: plain data, how to draw it, and how it
 * is run. What commonly happens is drawn often, and what rarely does often enough to be seen.
 *
 *     const session = Commands.begin(simulated)
 *     const { asked, outcome } = yield* Commands.run(session, command)
 *
 * `modelRun` wraps them for fast-check's `fc.commands` and `fc.asyncModelRun`.
 */
import * as fc from "fast-check"
import { Effect, Struct } from "effect"
import { DAY, HOUR, MINUTE } from "../domain/Time.ts"
import type { StorageError } from "../ports/Storage.ts"
import type { Asked, Command, Outcome, Tag } from "./commands/Command.ts"
import { type Bounds, type Kind, modest, place, rarely } from "./commands/Kind.ts"
import * as Reports from "./commands/Reports.ts"
import * as Requests from "./commands/Requests.ts"
import { label, status } from "./commands/Requests.ts"
import type { Session } from "./commands/Session.ts"
import * as Surroundings from "./commands/Surroundings.ts"
import { unsold } from "./Simulated.ts"

export type { Answer, Asked, Command, Outcome, Request, Side } from "./commands/Command.ts"
export { type Bounds, modest } from "./commands/Kind.ts"
export { begin, type Session } from "./commands/Session.ts"

/** Each kind of command. */
const kinds: { readonly [Name in Tag]: Kind<Name> } = {
  CreatePlan: Requests.createPlan,
  ArchivePlan: Requests.archivePlan,
  UnarchivePlan: Requests.unarchivePlan,
  DeletePlan: Requests.deletePlan,
  Subscribe: Requests.subscribe,
  TopUp: Requests.topUp,
  Report: Reports.report,
  ReconcileUsage: Reports.reconcileUsage,
  Suspend: Requests.suspend,
  Delete: Requests.remove,
  Replace: Requests.replace,
  Pause: Requests.pause,
  SendSms: Requests.sendSms,
  SetMobilePlan: Requests.setMobilePlan,
  CorrectSim: Requests.correctSim,
  SetStockLevels: Requests.setStockLevels,
  SetBundle: Requests.setBundle,
  ReturnSim: Requests.returnSim,
  Repeat: Requests.repeat,
  Advance: Surroundings.advance,
  AdvanceTo: Surroundings.advanceTo,
  Kill: Surroundings.kill,
  Restart: Surroundings.restart,
  Fault: Surroundings.fault,
  Quiet: Surroundings.quiet
}

/** A command of this kind. */
const drawn = <Name extends Tag>(name: Name, bounds: Bounds): fc.Arbitrary<Command<Name>> =>
  kinds[name].fields(bounds).map((fields) => ({ _tag: name, ...fields }))

/** One command. */
export const command = (bounds: Bounds = modest): fc.Arbitrary<Command> =>
  fc.oneof(...Struct.keys(kinds).map((name) => ({ weight: kinds[name].weight, arbitrary: drawn(name, bounds) })))

/**
 * Any SIM is withdrawn or made available again: the first ones are in service most often, and are
 * not corrected then.
 */
const moveStock: fc.Arbitrary<Command<"CorrectSim">> = fc.record({
  _tag: fc.constant("CorrectSim" as const),
  by: fc.constant(0 as const),
  sim: fc.nat(11),
  foreign: fc.constant(false),
  correction: fc.record({ status })
})

/** A level that the stock may be just above or below. */
const watchStock: fc.Arbitrary<Command<"SetStockLevels">> = fc.record({
  _tag: fc.constant("SetStockLevels" as const),
  by: fc.constant(0 as const),
  levels: fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.record({ label, level: fc.integer({ min: 1, max: 12 }) })) },
    { weight: 1, arbitrary: fc.constant([]) }
  )
})

/**
 * Changes of the stock, each of which is counted before anything else happens: a later change of
 * any SIM of the label would have it counted as well (rule I12).
 */
const stockChanges: fc.Arbitrary<ReadonlyArray<Command>> = fc
  .array(fc.oneof({ weight: 3, arbitrary: moveStock }, { weight: 1, arbitrary: watchStock }), {
    minLength: 1,
    maxLength: 5,
    size: "max"
  })
  .map((changes) => changes.flatMap((change) => [change, { _tag: "Advance", millis: MINUTE } as const]))

/**
 * A change of the service that the telco does not take at first (rules S6 and S7): of all its calls
 * this is the next one.
 */
const serviceChange: fc.Arbitrary<ReadonlyArray<Command>> = fc
  .record({
    fault: fc.constantFrom("refuse to end" as const, "unavailable" as const),
    times: fc.integer({ min: 1, max: 4 }),
    line: place,
    resumed: rarely(3)
  })
  .map(({ fault, line, resumed, times }) => [
    { _tag: "Fault", fault, times },
    { _tag: "Pause", by: 0, line, paused: !resumed, foreign: false },
    { _tag: "Advance", millis: HOUR }
  ])

/**
 * An order whose process is killed, mostly as the telco has its packages; the next attempt finds it
 * out of reach (rule S5).
 */
const takenOver: fc.Arbitrary<ReadonlyArray<Command>> = fc
  .record({
    death: fc.oneof(
      { weight: 3, arbitrary: fc.constant({ _tag: "Kill", commits: 2, when: "before" } as const) },
      { weight: 1, arbitrary: drawn("Kill", modest) }
    ),
    order: fc.oneof(drawn("Subscribe", modest), drawn("TopUp", modest)),
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
 * A subscription that moves while the telco is out of reach, so that the end of its SIM is not
 * confirmed; before and after it what names that SIM: a top-up under a key that comes again,
 * creations, the mobile plan. Some of it the telco refuses (rules I9 and S8).
 */
const moved: fc.Arbitrary<ReadonlyArray<Command>> = fc
  .record({
    line: place,
    plan: place,
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
    const head = { by: 0, plan, period: null } as const
    const commands: { readonly [Tag in (typeof named)[number]]: Command } = {
      Subscribe: { _tag: "Subscribe", ...head, sim: null, left: 0, foreign: false, keyed: false },
      Repeat: { _tag: "Repeat", back: 0 },
      SetMobilePlan: {
        ...{ _tag: "SetMobilePlan", by: 0, sim: null, left: 0, label: "Green", apply: true, foreign: false }
      },
      Advance: { _tag: "Advance", millis: MINUTE }
    }
    return [
      { _tag: "Fault", fault: away, times },
      ...(isToppedUp ? [{ _tag: "TopUp", ...head, line, keyed: true } as const] : []),
      { _tag: "Replace", by: 0, line, foreign: false },
      ...(refuses ? [{ _tag: "Fault", fault: "refuse", times: 1 } as const] : []),
      ...named.map((tag) => commands[tag])
    ]
  })

/**
 * A run: a plan and a subscription to begin with, then anything, and in the end all that was put
 * off.
 */
export const runs = (bounds: Bounds = modest): fc.Arbitrary<ReadonlyArray<Command>> =>
  fc
    .tuple(
      drawn("CreatePlan", bounds).map((command) => ({ ...command, by: 0 as const })),
      drawn("Subscribe", bounds).map((command) => ({
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

/** A plan that may be a bundle: from its first use, without recurrence or throttling. */
const bundlePlan: fc.Arbitrary<Command<"CreatePlan">> = fc.record({
  _tag: fc.constant("CreatePlan" as const),
  by: fc.constant(0 as const),
  label: fc.constant("Green" as const),
  coverage: fc.nat(2),
  terms: fc.record({
    name: fc.constant("Bundle"),
    dataMegaBytes: fc.integer({ min: 1, max: 1_000 }),
    periodDays: fc.integer({ min: 1, max: 30 }),
    throttling: fc.constant([]),
    recurrence: fc.constant(null)
  }),
  flaw: fc.constant(null)
})

/** A creation of a plan that may be a bundle; mostly it names no SIM. */
const purchase: fc.Arbitrary<Command<"Subscribe">> = fc.record({
  _tag: fc.constant("Subscribe" as const),
  by: fc.constant(0 as const),
  plan: place,
  sim: fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(11) }),
  foreign: fc.constant(false),
  period: fc.constant(null),
  keyed: rarely(3)
})

/** The telco does not sell, or not at once; or it loses an answer. */
const purchaseFault: fc.Arbitrary<Command<"Fault">> = fc.record({
  _tag: fc.constant("Fault" as const),
  fault: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...unsold) },
    { weight: 4, arbitrary: fc.constantFrom("answer lost" as const, "slow" as const, "unavailable" as const) },
    { weight: 1, arbitrary: fc.constantFrom("refuse to end" as const, "unreachable" as const) }
  ),
  times: fc.integer({ min: 1, max: 4 })
})

/** Time until eSIMs that were bought have to be put into use, and beside it. */
const untilLapse = fc
  .record({ days: fc.constantFrom(0, 1, 4, 28, 29, 30), beside: fc.constantFrom(-1, 0, 1, HOUR) })
  .map(({ beside, days }): Command => ({ _tag: "Advance", millis: Math.max(0, days * DAY + beside) }))

/**
 * A run in which the telco sells eSIMs with bundles (rule I15): plans that are bundles, and what
 * becomes of what was bought.
 */
export const purchases = (bounds: Bounds = modest): fc.Arbitrary<ReadonlyArray<Command>> =>
  fc
    .tuple(
      bundlePlan,
      fc.array(
        fc.oneof(
          { weight: 9, arbitrary: purchase },
          { weight: 1, arbitrary: bundlePlan },
          { weight: 2, arbitrary: drawn("SetBundle", bounds) },
          { weight: 4, arbitrary: drawn("Delete", bounds) },
          { weight: 3, arbitrary: drawn("ReturnSim", bounds) },
          { weight: 1, arbitrary: drawn("Replace", bounds) },
          { weight: 1, arbitrary: drawn("Report", bounds) },
          { weight: 1, arbitrary: drawn("Repeat", bounds) },
          { weight: 1, arbitrary: moveStock },
          { weight: 1, arbitrary: watchStock },
          { weight: 4, arbitrary: purchaseFault },
          { weight: 2, arbitrary: drawn("Kill", bounds) },
          { weight: 1, arbitrary: drawn("Restart", bounds) },
          { weight: 3, arbitrary: untilLapse }
        ),
        { maxLength: bounds.commands - 3, size: "max" }
      )
    )
    .map(([plan, others]) => [
      plan,
      { _tag: "SetBundle", by: 0, plan: 0, foreign: false, load: 0 },
      ...others,
      { _tag: "Quiet" }
    ])

/** What a command came to. */
export interface Ran {
  /** The request with its ids and instants. */
  readonly asked: Asked
  /** How the request ended. A defect or a failure of storage is reported as `Broken`. */
  readonly outcome: Outcome
}

const resolve = <Name extends Tag>(session: Session, command: Command<Name>) =>
  kinds[command._tag].resolve(session, command)

/** Runs a command. It never fails: whatever comes of it is an outcome. */
export const run = (session: Session, command: Command): Effect.Effect<Ran, StorageError> =>
  Effect.gen(function* () {
    const { asked, outcome } = yield* resolve(session, command)
    return { asked, outcome: yield* outcome }
  })

/**
 * What a model run reports of each command, in order; `expect` is called after each, and may throw.
 */
export interface Model {
  /** Grows by one with each command, before `expect` is called. */
  readonly ran: Array<Ran>
}

/**
 * Commands for `fc.commands`: `fc.asyncModelRun(() => ({ model: { ran: [] }, real: session }),
 * commands)`.
 */
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
