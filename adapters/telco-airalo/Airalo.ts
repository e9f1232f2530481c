/**
 * The telco port over Airalo, a supplier that sells an eSIM only together with its first package.
 *
 * A package of ours is the load of the eSIM that was bought for it, which costs no call, or a
 * top-up. Packages begin with their first use, stay apart on an eSIM, and cannot be cancelled or
 * suspended once they are bought. So a load that nobody has used is given back to its eSIM, which
 * may be sold again; money comes back only by a request that people at Airalo decide.
 *
 * It has no profiles to manage: whoever has the code of an eSIM downloads it.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { type Capabilities, Telco, TelcoCapabilities, Time } from "simplan/ports"
import {
  Account,
  CallFailure,
  Journal,
  type PollState,
  Polls,
  PurchasedLoads,
  Purchases,
  Selling,
  SimLocks
} from "../telco-calls/index.ts"
import * as Catalogue from "./Catalogue.ts"
import * as HttpPartnerApi from "./HttpPartnerApi.ts"
import * as PartnerApi from "./PartnerApi.ts"
import * as Seller from "./Seller.ts"
import * as TopUps from "./TopUps.ts"

type Call<A> = Effect.Effect<A, CallFailure.CallFailure>

/** How it is sold. */
export interface SellerOptions {
  /** The telco's name in the settings, and its place in the journal; `airalo` unless given. */
  readonly telco?: string
  /**
   * How long an order without an answer may still come, in milliseconds; 5 minutes unless given.
   */
  readonly lateMillis?: number
  /** How often eSIMs are polled, and at which rate all calls are made. */
  readonly polls?: Partial<Pick<Polls.Options, "callsPerSecond" | "fastest" | "slowest">>
}

const LATE = 300_000

const refused = (message: string): Telco.Refused => new Telco.Refused({ message })

/** What Airalo can do. */
export const capabilities: Partial<Capabilities.Capabilities> = {
  cancellation: "load",
  windows: false,
  throttling: false,
  volumes: false,
  firstUse: "either",
  // "Get data usage" and "Get eSIM" have no state of the profile.
  downloads: false
}

/** What is granted otherwise than the terms say; null: nothing. */
const different = (
  { id, days, megaBytes }: Catalogue.Offer,
  { dataMegaBytes, periodDays }: Telco.PackageOrder["terms"]
): string | null => {
  if (megaBytes === dataMegaBytes && days === periodDays) return null
  const own = megaBytes === null ? "no limit" : `${megaBytes} MB`
  return `${id} has ${own} for ${days} days, and the plan says ${dataMegaBytes} MB for ${periodDays} days`
}

/** The package that an eSIM was bought with; undefined: it is not listed. */
const loadOf = (packages: ReadonlyArray<PartnerApi.SimPackage>, load: string): PartnerApi.SimPackage | undefined =>
  packages
    .filter(({ kind, packageId }) => (kind === null ? packageId === load : kind === "sim"))
    .toSorted((left, right) => Number(left.id) - Number(right.id))
    .at(-1)

/** "Get eSIM package history": a package that was not used has no times, and all that it grants. */
const isUnused = ({ activationAt, status, usedBytes }: PartnerApi.SimPackage): boolean =>
  activationAt === null && status === "NOT_ACTIVE" && (usedBytes ?? 0) === 0

/**
 * What a package has ended by ("Get eSIM package history", and the statuses of "Get usage"): one
 * that was recycled without any use has lapsed. Null: it has not ended.
 */
const endOf = (of: PartnerApi.SimPackage): PollState.Seen["end"] => {
  const { activationAt, expirationAt, finishedAt, status } = of
  switch (status) {
    case "FINISHED":
      return { reason: "depleted", at: finishedAt }
    case "EXPIRED":
    case "RECYCLED":
      return activationAt === null ? { reason: "lapsed", at: null } : { reason: "expired", at: expirationAt }
    default:
      return null
  }
}

const bundleOf = (of: PartnerApi.SimPackage): PollState.Bundle => {
  const { activationAt, expirationAt, grantedBytes: allowanceBytes, usedBytes } = of
  return { allowanceBytes, usedBytes, activationAt, expirationAt, end: endOf(of) }
}

/** How far Airalo's clock may be behind this one. */
const SKEW = Time.HOUR

/** No package lapses so soon after its order. */
const LAPSE = Time.DAY

/**
 * Whether a package is of a former purchase of the ICCID: it was used or over before the order, or
 * has lapsed when nothing of the order can have.
 */
const isFormer = (of: PartnerApi.SimPackage, { askedAt }: PurchasedLoads.Bought, now: number): boolean => {
  if (askedAt === null) return false
  const { activationAt, expirationAt, finishedAt } = of
  const known = [activationAt, expirationAt, finishedAt].flatMap((at) => at ?? [])
  return known.some((at) => at < askedAt - SKEW) || (endOf(of)?.reason === "lapsed" && now < askedAt + LAPSE)
}

/** A reading whose refusal says nothing about what is to be done after it. */
const asReading = <A>(call: Call<A>): Call<A> =>
  Effect.mapError(
    call,
    (failure) => new CallFailure.CallFailure({ ...failure, message: failure.message, outcome: "NotDone" })
  )

const make = ({ lateMillis = LATE, polls: options, telco = "airalo" }: SellerOptions) =>
  Effect.gen(function* () {
    const api = yield* PartnerApi.PartnerApi
    const journal = yield* Journal.Journal
    const locks = SimLocks.make(journal, { telco })
    const catalogue = yield* Catalogue.make(api)
    const purchases = Purchases.make(Seller.make(api, catalogue), { telco, journal, locks, lateMillis })
    const topUps = TopUps.make(api, { telco, journal, lateMillis })

    /** The calls about the packages of one eSIM follow each other. */
    const withPackages = <A, E>(iccid: string, use: (held: SimLocks.Held) => Effect.Effect<A, E>) =>
      locks.withLock(`packages ${iccid}`, use)

    /** The top-up that an order is. Refused if none is on sale for the eSIM. */
    const topUpOf = Effect.fnUntraced(function* (load: string, terms: Telco.PackageOrder["terms"]) {
      const offer = yield* catalogue.find(load)
      if (offer === null) return yield* Seller.refusal(`Airalo does not sell the package ${load} now`, "sold_out")
      const wrong = different(offer, terms)
      if (wrong !== null) return yield* Seller.refusal(wrong)
      if (!offer.operator.isRechargeable) {
        return yield* Seller.refusal(`eSIMs of ${offer.operator.title} take no top-ups at Airalo`)
      }
      const topUp = yield* catalogue.topUpLike(offer)
      if (topUp === null) return yield* Seller.refusal(`Airalo has no top-up that grants the same as ${load}`)
      return topUp.id
    })

    const order = Effect.fnUntraced(function* (of: Telco.PackageOrder, load: string, held: SimLocks.Held) {
      const { iccid, packageId, terms } = of
      const record = yield* topUps.open(packageId, iccid)
      const begun = record.get()
      if (begun !== null && begun.iccid !== iccid) {
        return yield* refused(`The package ${packageId} is on the SIM ${begun.iccid}`)
      }
      // It had nothing of the SIM by then, unless the process has died in between.
      if (begun?.refusal) return yield* TopUps.refusedBy(begun.refusal)
      const bought = yield* purchases.boughtOf(iccid)
      if (bought === null) return yield* refused(`The SIM ${iccid} was not bought through this service`)
      const others = PurchasedLoads.occupied(bought, of)
      if (others !== null) return yield* others
      const known = catalogue.known(load)
      const wrong = begun !== null || known === null ? null : different(known, terms)
      if (wrong !== null) return yield* refused(wrong)
      if (begun === null) yield* record.put(TopUps.unasked(iccid))
      const { share } = yield* purchases.claim({ iccid, load, packageId })
      if (share === "Load") {
        return { telcoPackageId: bought.reference, activationAt: null, expirationAt: null, isLoad: true }
      }
      yield* held.keep
      const topUp =
        begun?.topUp ??
        (yield* Effect.tapErrorTag(
          CallFailure.asPort(topUpOf(load, terms)),
          "Telco.Refused",
          ({ message, reason = null }) => record.put({ ...TopUps.unasked(iccid), refusal: { message, reason } })
        ))
      const { cost, orderId } = yield* topUps.order(record, topUp)
      const charged = cost === null ? {} : { cost }
      return { telcoPackageId: orderId, activationAt: null, expirationAt: null, ...charged, isLoad: false }
    })

    const createPackage = Effect.fn("TelcoAiralo.createPackage")(function* (of: Telco.PackageOrder) {
      const { iccid, load = "", packageId } = of
      return yield* withPackages(iccid, (held) =>
        Effect.tapErrorTag(order(of, load, held), "Telco.Refused", () => refuseTopUp(packageId, iccid))
      )
    })

    /** A package that is refused has nothing of its eSIM, so the eSIM may be given back. */
    const refuseTopUp = Effect.fnUntraced(function* (packageId: string, iccid: string) {
      const bought = yield* purchases.boughtOf(iccid)
      const known = (yield* topUps.open(packageId, iccid)).get()
      if (bought?.packages[packageId] !== "TopUp" || !known?.refusal) return
      yield* purchases.release({ iccid, packageId, isUsed: false })
    })

    const cancelLoad = Effect.fnUntraced(function* (bought: PurchasedLoads.Bought, of: Telco.PackageRef) {
      const { iccid, isConfirmed = false, isUndone = false, packageId } = of
      const listed = yield* CallFailure.asPort(asReading(api.packagesOf(iccid)))
      const load = loadOf(listed, bought.load)
      if (load === undefined) {
        return yield* CallFailure.unavailable(`Airalo does not list the package of the SIM ${iccid} yet`)
      }
      const isUsed = !isUnused(load)
      if (isUsed && (isUndone || !isConfirmed)) {
        return yield* refused(`The package ${packageId} was used, and Airalo takes nothing back`)
      }
      return isUsed
    })

    const cancelTopUp = Effect.fnUntraced(function* (of: Telco.PackageRef) {
      const { iccid, isConfirmed = false, isUndone = false, packageId } = of
      const record = yield* topUps.open(packageId, iccid)
      const begun = record.get()
      const known = begun?.topUp && begun.refusal === null ? yield* topUps.resolve(record, begun, begun.topUp) : begun
      if (!known?.made || known.topUp === null) return {}
      const topUp = { load: known.topUp, cost: known.made.cost }
      if (isConfirmed && !isUndone) return { topUp }
      const message = `The package ${packageId} is a top-up, and Airalo takes none back`
      return yield* new Telco.Refused({ message, topUp })
    })

    const isRecycled = (iccid: string) => Effect.map(api.usageOf(iccid), ({ status }) => status === "RECYCLED")

    /**
     * What is listed on an eSIM, of its last purchase. Airalo may sell an ICCID again ("Error
     * handling", 73: recycled), and what a former customer has had was over before the order.
     */
    const readNow = Effect.fnUntraced(function* (bought: PurchasedLoads.Bought, packageIds: ReadonlyArray<string>) {
      const { iccid } = bought.sim
      const now = yield* Clock.currentTimeMillis
      const all = yield* CallFailure.ofBuyer(api.packagesOf(iccid), api.orderOf(bought.reference))
      const present = all.filter((one) => !isFormer(one, bought, now))
      const load = loadOf(present, bought.load)
      const made = new Map<string, PollState.Bundle>()
      for (const packageId of packageIds) {
        const own = yield* topUpOn(present, iccid, packageId)
        if (own !== undefined) made.set(packageId, bundleOf(own))
      }
      // "Get usage": what nobody has used in time is recycled, and the history does not say so.
      const isGone = packageIds.length + PurchasedLoads.live(bought).length === 0 && (yield* isRecycled(iccid))
      return { load: load === undefined ? null : bundleOf(load), topUps: made, isGone }
    })

    /**
     * Airalo does not say which order a package is of ("Submit top-up order" has no number of it).
     * Those of one kind are in the order in which they were bought; of more than are known, the
     * last count.
     */
    const topUpOn = Effect.fnUntraced(function* (
      listed: ReadonlyArray<PartnerApi.SimPackage>,
      iccid: string,
      packageId: string
    ) {
      const code = (yield* topUps.open(packageId, iccid)).get()?.topUp
      if (!code) return undefined
      const made = yield* topUps.madeOn(iccid, code)
      const alike = listed
        .filter((one) => one.packageId === code)
        .toSorted((left, right) => Number(left.id) - Number(right.id))
      const place = made.indexOf(packageId)
      return place === -1 ? undefined : alike[place + Math.max(0, alike.length - made.length)]
    })

    /** Asks for the money of an eSIM that nobody has used, unless it has come back already. */
    const askBack = Effect.fnUntraced(function* ({
      load,
      purchaseId,
      reference,
      returned,
      sim
    }: PurchasedLoads.Bought) {
      if ((yield* asReading(api.orderOf(reference))).status === "refunded") return "credit"
      if (returned === "asked") return "asked"
      const found = loadOf(yield* asReading(api.packagesOf(sim.iccid)), load)
      if (found !== undefined && !isUnused(found)) {
        return yield* Seller.refusal(`The SIM ${sim.iccid} was used, and Airalo takes none back then`)
      }
      // A request that was not answered is made again: people decide on both.
      const notes = `Bought for stock, not installed and not sold. Our reference: ${Purchases.keyOf(purchaseId)}`
      yield* api.requestRefund({ iccid: sim.iccid, reason: "OTHERS", notes })
      return "asked"
    })

    const { calls, polls } = Selling.make({
      ...{ telco, journal, purchases, readNow, cancelLoad, giveBack: askBack },
      topUps: { createPackage, cancelPackage: cancelTopUp },
      polls: { callsPerSecond: HttpPartnerApi.CALLS_PER_SECOND, ...options }
    })
    const port = TelcoCapabilities.limited(capabilities, {
      ...calls,
      createPackage: (of) => Effect.tap(createPackage(of), () => polls.watch(of.iccid)),
      cancelPackage: (of) => withPackages(of.iccid, () => calls.cancelPackage(of))
    })
    return Context.make(Telco.Telco, port).pipe(
      Context.add(
        Account.Account,
        Account.Account.of({
          bundles: CallFailure.asPort(Effect.map(catalogue.all, (offers) => offers.map(Catalogue.listed))),
          balance: CallFailure.asPort(api.balance),
          purchases,
          orders: (of) =>
            Effect.map(CallFailure.asPort(api.ordersBetween(of)), (all) =>
              // One that has failed is not charged.
              all.filter(({ status }) => status !== "failed").map(topUps.ordered)
            )
        })
      ),
      Context.add(Polls.Polls, polls)
    )
  })

/** Over the calls and a journal. */
export const layerWithoutApi = (
  options: SellerOptions = {}
): Layer.Layer<Telco.Telco | Account.Account | Polls.Polls, never, PartnerApi.PartnerApi | Journal.Journal> =>
  Layer.effectContext(make(options))

/** Where Airalo is, and how it is sold. */
export interface Options extends HttpPartnerApi.Options, SellerOptions {}

/** Over HTTP and a journal. */
export const layer = (options: Options) => Layer.provideMerge(layerWithoutApi(options), HttpPartnerApi.layer(options))
