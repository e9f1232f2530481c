/**
 * All that an OCS reports: its notifications when they come, and the polls that find the rest. The
 * polls, the watch time of orders and mobile plans, and the daily comparison, of SIMs in stock too,
 * run until the scope closes; what they have begun then falls to another process.
 *
 * Every call here gives way to the orders' calls. A failure ends nothing: the loops wait and go on.
 */
import { Effect, Layer } from "effect"
import {
  type Catalogues,
  type Organizations,
  Problems,
  type Reports,
  type Sims,
  type UsageReconciliation
} from "simplan"
import { Time } from "simplan/ports"
import { Background, type Journal, PollSchedule } from "../telco-calls/index.ts"
import type { Api } from "./api/Api.ts"
import { MobilePlans } from "./MobilePlans.ts"
import { Orders } from "./orders/Orders.ts"
import type { Duplicate } from "./orders/Settlement.ts"
import type { Settings } from "./Settings.ts"
import * as Findings from "./drift/Findings.ts"
import * as FullComparison from "./drift/FullComparison.ts"
import * as StockComparison from "./drift/StockComparison.ts"
import * as Notifications from "./reports/Notifications.ts"
import * as Polling from "./Polling.ts"
import * as Unpolled from "./Unpolled.ts"

/** How often the SIMs of an OCS are polled. */
export interface Options extends StockComparison.Options, Pick<Polling.Options, "fastest" | "slowest"> {
  /**
   * The thresholds that the OCS notifies, in percent: 50 and 80 unless given, as its operator is
   * asked to set them; none if it sends no notifications (see `PollSchedule`).
   */
  readonly notified?: ReadonlyArray<number>
  /**
   * Whether the OCS may notify the states of a SIM's profile: it is one of its own. All are unless
   * given.
   */
  readonly mayReport?: Notifications.Options["mayReport"]
}

/** A meter for `Options`, of so many calls per second that are allowed. */
export const makeMeter = PollSchedule.makeMeter

type Needs =
  | Api
  | Journal.Journal
  | Orders
  | MobilePlans
  | Settings
  | Reports.Reports
  | Catalogues.Catalogues
  | Problems.Problems
  | UsageReconciliation.UsageReconciliation
  | Organizations.Organizations
  | Sims.Sims

/** What only the background needs. */
type Beside = Orders | MobilePlans | Organizations.Organizations | Sims.Sims

const limits = ({ mayReport: _, notified = [50, 80], ...options }: Options): Polling.Options => ({
  ...options,
  notified
})

/** Answers a notification. */
export const take = (
  options: Options,
  body: unknown
): Effect.Effect<Notifications.Answer, never, Exclude<Needs, Beside>> =>
  Effect.gen(function* () {
    const { pollBeside } = yield* Polling.make(limits(options))
    const { mayReport, telco } = options
    const notifications = yield* Notifications.make({ telco, poll: pollBeside, mayReport })
    return yield* notifications.take(body)
  }).pipe(Background.asTelco)

/** How far a comparison of all SIMs is. Times are in milliseconds. */
export type Progress = FullComparison.Progress

/**
 * Has all SIMs compared now, also those that were compared before, as after a restore: the
 * background does it.
 */
export const compareAll = FullComparison.request

/** How far the last comparison of all SIMs is; null: none was asked for. */
export const comparison = FullComparison.progress

/** How many orders, and how many mobile plans, are settled at once. */
const ORDERS = 20

/**
 * Polls SIMs and compares their books, also of those in stock, settles orders and mobile plans, and
 * lists a wrong zone among the problems.
 */
const turns = (options: Options) =>
  Effect.gen(function* () {
    const { telco } = options
    const polling = yield* Polling.make(limits(options))
    const orders = yield* Orders
    const plans = yield* MobilePlans
    const problems = yield* Problems.Problems
    const stock = yield* StockComparison.make(options)
    const all = yield* FullComparison.make(options)
    const unpolled = yield* Unpolled.make

    const pollDue = Effect.map(polling.due, ({ failed, polls }) =>
      polls > 0 && failed === polls
        ? Background.STUCK
        : polls < Polling.BATCH
          ? Math.min(Background.IDLE, options.fastest)
          : 0
    )
    const report = (kept: ReadonlyArray<Duplicate>) =>
      Effect.asVoid(problems.add({ findings: kept.map((one) => Findings.duplicate(telco, one)) }))
    const settling = Effect.map(orders.settle({ limit: ORDERS, report }), ({ due }) =>
      due < ORDERS ? Background.IDLE : 0
    )
    const proving = Effect.gen(function* () {
      const found = yield* orders.disproof
      if (found !== null) yield* problems.add({ findings: [Findings.zone(telco, found)] })
      return Time.MINUTE
    })
    const finding = Effect.map(unpolled, ({ isOver }) => (isOver ? Time.MINUTE : 0))
    const planning = Effect.map(plans.settle({ limit: ORDERS }), (due) => (due < ORDERS ? Background.IDLE : 0))
    return [
      Background.turn(`Polling of ${telco}`, pollDue),
      Background.turn(`The search for SIMs of ${telco} that nobody polls`, finding),
      Background.turn(`Settling of ${telco}`, settling),
      Background.turn(`Settling of mobile plans of ${telco}`, planning),
      Background.turn(`The proof of the zone of ${telco}`, proving),
      Background.turn(`The comparison of SIMs in stock with ${telco}`, stock),
      Background.turn(`The comparison of all SIMs with ${telco}`, all)
    ] as const
  })

/**
 * Polls SIMs, compares books, those of the stock too, and settles orders and mobile plans, until it
 * is interrupted.
 */
export const run = (options: Options): Effect.Effect<never, never, Needs> =>
  Effect.flatMap(turns(options), Background.forever)

/**
 * Does what of that is due now: at most 100 polls, orders and mobile plans each, and 10 SIMs in
 * stock. What is interrupted falls due again.
 */
export const drain = (options: Options): Effect.Effect<void, never, Needs> =>
  Effect.flatMap(turns(options), Background.drain)

/** Runs in the background until the scope closes. */
export const background = (options: Options): Layer.Layer<never, never, Needs> =>
  Layer.effectDiscard(Effect.forkScoped(run(options)))
