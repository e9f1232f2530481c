/**
 * The telco port over eSIM Access.
 *
 * An eSIM is bought with its bundle, which a package claims without a call. What is ordered as a
 * top-up would be added to the volume and to the time of what is there ("merge",
 * https://docs.esimaccess.com, `/esim/topup`), so that two packages could not be told apart:
 * top-ups are refused, and so are plans that recur, begin at a time or are throttled. All of an
 * eSIM is one package, and nothing within it can be stopped.
 *
 * Calls name the eSIM by its `esimTranNo`, since its ICCID is sold again.
 */
import { Context, Effect, Layer } from "effect"
import { type Capabilities, type PackageEnd, Telco, TelcoCapabilities, Time } from "simplan/ports"
import {
  Account,
  CallFailure,
  Journal,
  type PollState,
  Polls,
  Messages,
  PurchasedLoads,
  Purchases,
  Selling,
  ServiceChanges,
  SimLocks
} from "../telco-calls/index.ts"
import * as AccountApi from "./AccountApi.ts"
import * as HttpApi from "./HttpApi.ts"
import * as Seller from "./Seller.ts"

/** What an account goes by. */
export interface Options {
  /** Names it in the journal, which several telcos may share. */
  readonly telco: string
  /**
   * How long a call without an answer may still be done, in milliseconds: 5 minutes for an order,
   * one for a pause, unless given.
   */
  readonly lateMillis?: number
  /** How often eSIMs are polled, and at which rate all calls are made. */
  readonly polls?: Partial<Pick<Polls.Options, "callsPerSecond" | "fastest" | "slowest">>
}

const LATE = 60_000

/** The longest message, in characters (`/esim/sendSms`). */
const LONGEST_MESSAGE = 500

/** How many top-ups an eSIM may have (`/esim/topup`). */
const MOST_TOP_UPS = 10

const NO_TOP_UP =
  "eSIM Access adds a top-up to the volume and the time of the bundle that is there, so an eSIM has one package: sell another eSIM"

const refused = (message: string) => new Telco.Refused({ message })

/** What eSIM Access can do. Its messages have no sender, so any may be named. */
export const capabilities: Partial<Capabilities.Capabilities> = {
  suspension: "sim",
  cancellation: "unused",
  windows: false,
  throttling: false,
  volumes: false,
  sms: { longest: LONGEST_MESSAGE, senders: null },
  topUps: { most: MOST_TOP_UPS, afterExpiry: false, kept: "merged" },
  firstUse: "either"
}

/**
 * The states in which a bundle has ended, and by what (`/esim/query`, `esimStatus`). What is
 * cancelled or revoked here has no package by then.
 */
const ENDS: Readonly<Record<string, PackageEnd.Reason>> = {
  USED_UP: "depleted",
  USED_EXPIRED: "expired",
  UNUSED_EXPIRED: "lapsed",
  CANCEL: "revoked",
  REVOKE: "revoked",
  REVOKED: "revoked"
}

/** States in which nothing of the bundle is left to be sold, whatever was used. */
const OVER = Object.keys(ENDS)

/** How late usage is counted (`/esim/usage/query`). */
const LAG = 3 * Time.HOUR

const endOf = ({ expiresAt, status }: AccountApi.Esim): PollState.Seen["end"] => {
  const reason = ENDS[status]
  if (reason === undefined) return null
  return { reason, at: reason === "expired" || reason === "lapsed" ? expiresAt : null }
}

/** Whether somebody has the profile, or had it (rule S3). */
const isDownloaded = (smdpStatus: string): boolean => smdpStatus !== "" && smdpStatus !== "RELEASED"

const make = Effect.fnUntraced(function* ({ lateMillis, polls: options, telco }: Options) {
  const api = yield* AccountApi.AccountApi
  const journal = yield* Journal.Journal
  const locks = SimLocks.make(journal, { telco })
  const purchases = Purchases.make(Seller.make(api), {
    telco,
    journal,
    locks,
    ...(lateMillis !== undefined && { lateMillis })
  })

  /** A SIM that was bought here. */
  const boughtOf = Effect.fnUntraced(function* (iccid: string) {
    const bought = yield* purchases.boughtOf(iccid)
    return bought ?? (yield* refused(`The SIM ${iccid} was not bought of eSIM Access through this service`))
  })

  /** By what it is asked for. */
  const nameOf = ({ reference, sim }: PurchasedLoads.Bought) =>
    sim.subscriberId === null ? { orderNo: reference } : { esimTranNo: sim.subscriberId }

  /** How the eSIM of a purchase is now. */
  const esimOf = Effect.fnUntraced(function* (bought: PurchasedLoads.Bought) {
    const esims = yield* api.esims(nameOf(bought))
    const found = esims?.find(({ orderNo }) => orderNo === bought.reference)
    if (found !== undefined) return found
    const message = `eSIM Access says nothing of the eSIM of ${bought.reference}`
    return yield* new CallFailure.CallFailure({ outcome: "Unknown", message, isAnswered: true })
  })

  /**
   * Makes a call that changes the state of an eSIM. One that is refused is done if the eSIM is as
   * it is to be: an answer may have been lost.
   */
  const become = (
    bought: PurchasedLoads.Bought,
    call: (esimTranNo: string) => Effect.Effect<void, CallFailure.CallFailure>,
    isDone: (esim: AccountApi.Esim) => boolean
  ) =>
    Effect.gen(function* () {
      const esimTranNo = bought.sim.subscriberId ?? (yield* esimOf(bought)).esimTranNo
      yield* Effect.catchIf(
        call(esimTranNo),
        ({ outcome }) => outcome === "Refused",
        (failure) => Effect.flatMap(esimOf(bought), (esim) => (isDone(esim) ? Effect.void : Effect.fail(failure)))
      )
    })

  /** Refuses to take away what was used, unless an operator has said so: then it is revoked. */
  const revoke = Effect.fnUntraced(function* (bought: PurchasedLoads.Bought, of: Telco.PackageRef, used: string) {
    if (of.isUndone === true) return yield* refused(`${used}: it is kept`)
    if (of.isConfirmed !== true) {
      return yield* refused(`${used}, and eSIM Access could only revoke the eSIM for good, without money back`)
    }
    yield* CallFailure.asPort(become(bought, api.revoke, ({ status }) => OVER.includes(status)))
  })

  const cancelLoad = Effect.fnUntraced(function* (bought: PurchasedLoads.Bought, of: Telco.PackageRef) {
    const { activatedAt, smdpStatus, status, usedBytes } = yield* CallFailure.asPort(esimOf(bought))
    const isOver = OVER.includes(status)
    // One that is paused may be new.
    const isInUse = status === "IN_USE" || activatedAt !== null || usedBytes > 0
    if (isOver) return true
    if (isInUse) yield* revoke(bought, of, `${usedBytes} bytes of the package ${of.packageId} are used`)
    else if (isDownloaded(smdpStatus)) {
      yield* revoke(bought, of, `The eSIM of the package ${of.packageId} was downloaded`)
    } else return false
    return true
  })

  /** The eSIM of a purchase; not found if it is missing though its order is there. */
  const present = Effect.fnUntraced(function* (bought: PurchasedLoads.Bought) {
    const byOrder = api.esims({ orderNo: bought.reference })
    const esims = yield* CallFailure.ofBuyer(api.esims(nameOf(bought)), byOrder)
    const found = esims?.find(({ orderNo }) => orderNo === bought.reference)
    if (found !== undefined) return found
    const message = `eSIM Access has no eSIM ${bought.sim.subscriberId ?? ""} of the order ${bought.reference}`
    const missing = new CallFailure.CallFailure({ outcome: "NotFound", message, isAnswered: true })
    return yield* CallFailure.ofBuyer(Effect.fail(missing), byOrder)
  })

  /** All that is on an eSIM is its load: there are no top-ups. */
  const readNow = (bought: PurchasedLoads.Bought) =>
    Effect.map(present(bought), (esim): Selling.Reading => {
      const { activatedAt: activationAt, expiresAt: expirationAt, totalBytes: allowanceBytes, usedBytes } = esim
      return {
        load: { usedBytes, allowanceBytes, activationAt, expirationAt, end: endOf(esim) },
        topUps: new Map()
      }
    })

  const { calls, polls } = Selling.make({
    ...{ telco, journal, purchases, readNow, cancelLoad, topUps: NO_TOP_UP },
    nameOf: ({ reference, sim }) => sim.subscriberId ?? reference,
    giveBack: (bought) =>
      Effect.as(
        become(bought, api.cancel, ({ status }) => status === "CANCEL"),
        "credit" as const
      ),
    polls: { lag: LAG, callsPerSecond: HttpApi.CALLS_PER_SECOND, ...options }
  })

  /** By the call that is for it (`/esim/usage/query`). */
  const readUsage = Effect.fn("EsimAccess.readUsage")(function* ({ iccid }: { readonly iccid: string }) {
    const bought = yield* purchases.boughtOf(iccid)
    const [packageId] = PurchasedLoads.live(bought)
    if (bought === null || packageId === undefined) return []
    const esimTranNo = bought.sim.subscriberId ?? (yield* CallFailure.asPort(esimOf(bought))).esimTranNo
    const usage = yield* CallFailure.asPort(api.usage(esimTranNo))
    return usage === null ? [] : [{ packageId, usedBytes: usage.usedBytes }]
  })

  const isSuspended = ({ status }: AccountApi.Esim): boolean => status === "SUSPENDED"

  const setService = ServiceChanges.make(
    ({ active, iccid }) =>
      Effect.gen(function* () {
        const bought = yield* Effect.mapError(boughtOf(iccid), ({ _tag, message }) => {
          const outcome = _tag === "Telco.Refused" ? "Refused" : "NotDone"
          return new CallFailure.CallFailure({ outcome, message, isAnswered: true })
        })
        yield* become(
          bought,
          (esimTranNo) => api.setSuspended({ esimTranNo, isSuspended: !active }),
          (esim) => isSuspended(esim) === !active && !OVER.includes(esim.status)
        )
      }),
    { telco, journal, locks, lateMillis: lateMillis ?? LATE }
  )

  const sendSms = Messages.make(journal, locks, telco, ({ iccid, text }, { begin }, held) =>
    Effect.gen(function* () {
      const esim = yield* CallFailure.asPort(esimOf(yield* boughtOf(iccid)))
      if (!esim.takesSms) return yield* refused(`The bundle of the eSIM ${iccid} takes no messages`)
      yield* held.keep
      const { esimTranNo } = esim
      yield* begin({ parts: 1, segments: null }).next(api.sendSms({ esimTranNo, message: text }))
    })
  )

  /** What was downloaded cannot be made available again. */
  const releaseProfile = Effect.fn("EsimAccess.releaseProfile")(function* ({ iccid }: { readonly iccid: string }) {
    const { smdpStatus } = yield* CallFailure.asPort(esimOf(yield* boughtOf(iccid)))
    if (smdpStatus === "RELEASED") return
    return yield* refused(
      `The eSIM ${iccid} is ${smdpStatus || "in no known state"}, and eSIM Access releases none again`
    )
  })

  const port = TelcoCapabilities.limited(capabilities, { ...calls, readUsage, setService, sendSms, releaseProfile })
  const account = Account.Account.of({
    bundles: CallFailure.asPort(Effect.map(api.bundles(null), (all) => all.map(Seller.listed))),
    balance: CallFailure.asPort(api.balance),
    purchases,
    // It names no cost, and has no top-ups.
    orders: (of) =>
      Effect.map(CallFailure.asPort(api.esimsSince(of)), (all) =>
        all.map(
          ({ createdAt: at, iccid, orderNo: reference }): Account.Order => ({
            ...{ reference, load: null, iccid: iccid === "" ? null : iccid, cost: null, at },
            topUp: Effect.succeed(null)
          })
        )
      )
  })
  return Context.make(Telco.Telco, port).pipe(Context.add(Account.Account, account), Context.add(Polls.Polls, polls))
})

/** One account, over the calls that it takes and a journal. */
export const layer = (
  options: Options
): Layer.Layer<Telco.Telco | Account.Account | Polls.Polls, never, AccountApi.AccountApi | Journal.Journal> =>
  Layer.effectContext(make(options))
