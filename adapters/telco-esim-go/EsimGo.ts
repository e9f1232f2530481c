/**
 * The telco port over eSIM Go.
 *
 * An eSIM is bought with its first bundle, its load. A package of that load claims it without a
 * call; each other package is a top-up, which stays apart from it. Nothing can be scheduled or
 * throttled, and volumes are those of the bundles.
 */
import { Context, Effect, Layer } from "effect"
import { type Capabilities, Telco, type TelcoBundles, TelcoCapabilities } from "simplan/ports"
import {
  Account,
  CallFailure,
  CallGate,
  Journal,
  KeylessTelco,
  Polls,
  Purchases,
  type PurchasedLoads,
  Selling,
  SimLocks
} from "../telco-calls/index.ts"
import * as AccountApi from "./AccountApi.ts"
import * as Assignments from "./Assignments.ts"
import * as Credits from "./Credits.ts"
import * as HttpApi from "./HttpApi.ts"
import * as Seller from "./Seller.ts"
import * as TopUps from "./TopUps.ts"

/** What the operator says about the account. */
export interface Options {
  /** The telco's name in the settings. The journal's entries are under it. */
  readonly telco: string
  /**
   * Whether the account manager has enabled refunds. Then the price of what was not used goes to
   * the balance; else it is lost. False unless given.
   */
  readonly refunds?: boolean
  /** The senders that messages may have; `eSIM` alone unless the account has others. */
  readonly senders?: ReadonlyArray<string>
  /**
   * How long a call without an answer may still be done, and be missing in lists, in milliseconds.
   */
  readonly lateMillis?: number
  /** How far their clock and this machine's may be apart, in milliseconds. */
  readonly skewMillis?: number
  /** How often eSIMs are polled, and at which rate all calls are made. */
  readonly polls?: Partial<Pick<Polls.Options, "callsPerSecond" | "fastest" | "slowest">>
}

/** The longest message, in characters (`POST /esims/{iccid}/sms`). */
const LONGEST_SMS = 160

/** How many bundles an eSIM may have (help article 16749619803153). */
const MOST_BUNDLES = 30

const LATE = 300_000

const refused = (message: string) => new Telco.Refused({ message })

/** What eSIM Go can do, with these senders of messages. */
export const capabilities = (senders: ReadonlyArray<string>): Partial<Capabilities.Capabilities> => ({
  windows: false,
  throttling: false,
  volumes: false,
  sms: { longest: LONGEST_SMS, senders },
  topUps: { most: MOST_BUNDLES, afterExpiry: true, kept: "apart" },
  mobilePlans: false
})

/** The port, the purchases behind it, and the polls of what was bought. */
export interface EsimGo {
  /** The port, which refuses what eSIM Go cannot do. */
  readonly telco: Telco.Telco["Service"]
  /** What was bought of the account, and which packages have it. */
  readonly purchases: Purchases.Purchases
  /** They report first uses, usage and ends; a SIM is polled from its first package on. */
  readonly polls: Polls.Polls["Service"]
}

/** The port over these calls and this journal. */
export const make = (
  api: AccountApi.AccountApi["Service"],
  journal: Journal.Journal["Service"],
  { lateMillis = LATE, refunds = false, senders = ["eSIM"], telco, ...options }: Options
): EsimGo => {
  const locks = SimLocks.make(journal, { telco })
  const known: Seller.Known = {
    boughtOf: (iccid) => purchases.boughtOf(iccid),
    topUpsOn: KeylessTelco.madeOn(journal, telco)
  }
  const { boughtOf, topUpsOn } = known
  const purchases = Purchases.make(Seller.make(api, known), { ...options, telco, journal, locks, lateMillis })
  const credits = Credits.make(api, {
    ...{ isRefunded: refunds, boughtOf: known.boughtOf },
    creditedOn: KeylessTelco.creditedOn(journal, telco)
  })
  const { revoke, ...topUps } = TopUps.make(api, known, { isRefunded: refunds, note: credits.note })

  const keyless = KeylessTelco.make(
    {
      ...{ ...topUps, creditOf: credits.ofTopUp },
      sendSms: ({ from, iccid, text }) => api.sendSms({ from, iccid, text }),
      releaseProfile: ({ iccid }) =>
        Effect.logDebug(`${telco} has no call that releases the profile of ${iccid}; it says itself when it can be`),
      setMobilePlan: () => Effect.void,
      setService: ({ active, iccid }) => api.setSuspended({ iccid, isSuspended: !active })
    },
    journal,
    { telco, lateMillis }
  )

  /** The load of a SIM as it is; null: the eSIM has left the account. */
  const loadOn = ({ reference, sim: { iccid } }: PurchasedLoads.Bought) =>
    Assignments.unlessGone(Assignments.ofOrder(api, { iccid, reference }))

  /** Takes the load from a package. It can be sold again if it is as it was bought. */
  const cancelLoad = Effect.fnUntraced(function* (bought: PurchasedLoads.Bought, of: Telco.PackageRef) {
    const { iccid, packageId } = of
    const assignments = yield* CallFailure.asPort(loadOn(bought))
    const isUsed =
      assignments === null ||
      assignments.length === 0 ||
      assignments.some((one) => Assignments.isUsed(one) || Assignments.isOver(one)) ||
      // Whoever has installed it has it still (rule S3).
      (yield* CallFailure.asPort(api.details(iccid))).installedAt !== null
    if (of.isUndone === true && assignments?.some(Assignments.isUsed) === true) {
      return yield* refused(`The package ${packageId} is in use`)
    }
    if (isUsed && assignments !== null) {
      yield* CallFailure.asPort(CallFailure.unlessMissing(revoke({ iccid, reference: bought.reference })))
    }
    return isUsed
  })

  /**
   * What a former customer has had is of other orders, and so is what the assignments of none of
   * ours say.
   */
  const readNow = Effect.fnUntraced(function* ({ reference, sim: { iccid } }: PurchasedLoads.Bought) {
    const made = yield* topUpsOn(iccid)
    const all = yield* CallFailure.ofBuyer(api.assignments(iccid), api.orderOf(reference))
    const listed = Assignments.byOrder(all)
    const bundleOf = (order: string) => {
      const assignments = listed.get(order)
      const isWhole = all.length < AccountApi.MOST_ASSIGNMENTS
      return assignments === undefined ? null : Assignments.bundleOf(assignments, isWhole)
    }
    const topUps = [...made].flatMap(([packageId, order]) => {
      const bundle = bundleOf(order)
      return bundle === null ? [] : [[packageId, bundle] as const]
    })
    return { load: bundleOf(reference), topUps: new Map(topUps) }
  })

  const returned = Effect.fnUntraced(function* (bought: PurchasedLoads.Bought) {
    const { iccid } = bought.sim
    const assignments = (yield* loadOn(bought)) ?? []
    if (assignments.some(Assignments.isUsed)) {
      return yield* new CallFailure.CallFailure({
        outcome: "Refused",
        message: `The bundle of the SIM ${iccid} is in use`
      })
    }
    yield* Assignments.unlessGone(revoke({ iccid, reference: bought.reference }))
    return bought.credit !== null || (yield* credits.isOfLoad(bought)) ? "credit" : "none"
  })

  const { calls, polls } = Selling.make({
    ...{ telco, journal, purchases, readNow, cancelLoad, topUps: keyless, giveBack: returned },
    creditOf: credits.ofLoad,
    polls: { callsPerSecond: HttpApi.CALLS_PER_SECOND, ...options.polls }
  })

  return {
    purchases,
    polls,
    telco: TelcoCapabilities.limited(capabilities(senders), {
      ...keyless,
      ...calls,
      suspendPackage: Effect.fn("EsimGo.suspendPackage")(function* (of) {
        const { iccid, packageId } = of
        const bought = yield* boughtOf(iccid)
        const share = bought?.packages[packageId]
        if (share === "TopUp") return yield* keyless.suspendPackage(of)
        if (bought === null || share !== "Load") return
        const { reference } = bought
        yield* CallFailure.asPort(CallFailure.unlessMissing(revoke({ iccid, reference })))
        return yield* purchases.credited(iccid, credits.ofLoad)
      })
    })
  }
}

/**
 * A bundle as operators choose it. One that starts when it is assigned would begin in stock, so no
 * eSIM is to be bought with it. What has no data is none.
 */
const listed = ({ dataBytes, description, isUnlimited, name, startsAtOnce, ...of }: AccountApi.Bundle) => {
  const bundle: TelcoBundles.Bundle = {
    code: name,
    name: description || name,
    kind: startsAtOnce ? "topUp" : "any",
    countries: Account.countries(of.countries),
    dataBytes,
    days: of.periodDays,
    price: of.price
  }
  return dataBytes === null && !isUnlimited ? [] : [bundle]
}

/** One account, over the calls that it takes and a journal. */
export const layer = (
  options: Options
): Layer.Layer<Telco.Telco | Account.Account | Polls.Polls, never, AccountApi.AccountApi | Journal.Journal> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const api = yield* AccountApi.AccountApi
      const journal = yield* Journal.Journal
      const { polls, purchases, telco } = make(api, journal, options)
      const account = Account.Account.of({
        bundles: CallGate.asPoll(CallFailure.asPort(Effect.map(api.bundles, (all) => all.flatMap(listed)))),
        balance: CallFailure.asPort(api.balance),
        purchases,
        orders: ({ since }) =>
          CallFailure.asPort(
            Effect.map(api.orders(since), (all) =>
              all.map(Seller.ordered(KeylessTelco.ofOrder(journal, options.telco)))
            )
          )
      })
      return Context.make(Telco.Telco, telco).pipe(
        Context.add(Account.Account, account),
        Context.add(Polls.Polls, polls)
      )
    })
  )
