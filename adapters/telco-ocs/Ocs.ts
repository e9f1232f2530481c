/**
 * The telco port over an online charging system (OCS).
 *
 * Packages and the mobile plan are ordered, SIMs are paused and messages are sent under entries of
 * the journal, because the system knows no idempotency keys. It has no call that releases a profile
 * for a new download: that succeeds here and does nothing, and whoever needs it lets the SM-DP+ do
 * it.
 *
 * Beside it: until when polls have counted what was used.
 */
import { Effect, Layer } from "effect"
import { Telco, TelcoUsage, type Time } from "simplan/ports"
import { Journal, SimLocks } from "../telco-calls/index.ts"
import type * as Api from "./api/Api.ts"
import * as UsageComparison from "./drift/UsageComparison.ts"
import * as FinalUsage from "./FinalUsage.ts"
import * as MobilePlans from "./MobilePlans.ts"
import * as OrderJournal from "./orders/OrderJournal.ts"
import * as Orders from "./orders/Orders.ts"
import * as Pauses from "./Pauses.ts"
import * as SimState from "./reports/SimState.ts"
import * as Settings from "./Settings.ts"
import * as Sms from "./Sms.ts"
import * as Subscribers from "./Subscribers.ts"
import * as Zones from "./Zones.ts"

const make = Effect.gen(function* () {
  const { mobilePlanId, telco } = yield* Settings.Settings
  const { cancelPackage, createPackage, listPackages, suspendPackage } = yield* Orders.Orders
  const { setMobilePlan } = yield* MobilePlans.MobilePlans
  const { keep, setService } = yield* Pauses.make
  return Telco.Telco.of({
    capabilities: { mobilePlans: mobilePlanId !== null },
    createPackage: (order) => Effect.tap(createPackage(order), () => keep(order.iccid)),
    suspendPackage,
    cancelPackage,
    listPackages,
    readUsage: yield* FinalUsage.make,
    compareUsage: yield* UsageComparison.makeAsk,
    sendSms: yield* Sms.makeSendSms,
    setMobilePlan,
    setService,
    releaseProfile: ({ iccid }) =>
      Effect.logDebug(
        `${telco} has no call that releases the profile of ${iccid}; route "profiles" to an SM-DP+ if it is to be downloaded again`
      )
  })
})

const makeUsage = Effect.gen(function* () {
  const { listLag, telco } = yield* Settings.Settings
  const journal = yield* Journal.Journal
  const none: ReadonlyMap<string, Time.Instant> = new Map()
  return {
    asOf: ({ iccid }) =>
      Effect.gen(function* () {
        const entry = yield* journal.get({ telco, kind: Subscribers.KIND, key: iccid })
        if (entry === null) return none
        const ordered = yield* journal.ofSim({ telco, kind: OrderJournal.KIND, iccid })
        return SimState.asOf(ordered.map(SimState.orderedOf), SimState.of(entry), listLag)
        // Failure: nobody knows how fresh it is.
      }).pipe(Effect.orElseSucceed(() => none))
  } satisfies TelcoUsage.TelcoUsage
})

/** What belongs to one system beside the port: its settings, zones, subscribers and orders. */
export type Services =
  | Settings.Settings
  | Zones.Zones
  | Subscribers.Subscribers
  | Orders.Orders
  | MobilePlans.MobilePlans

/** One system, over the calls that it takes and a journal; with `TelcoUsage`. */
export const layer = (
  options: Settings.Options
): Layer.Layer<Telco.Telco | Services, never, Api.Api | Journal.Journal> =>
  Layer.merge(Layer.effect(Telco.Telco, make), Layer.effect(TelcoUsage.TelcoUsage, makeUsage)).pipe(
    Layer.provideMerge([Orders.layer, MobilePlans.layer]),
    Layer.provideMerge([Subscribers.layer, Zones.layer]),
    Layer.provide(SimLocks.layer(options.telco)),
    Layer.provideMerge(Settings.layer(options))
  )
