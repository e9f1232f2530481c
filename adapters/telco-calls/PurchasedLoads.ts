/**
 * Which package has the load of a SIM that was bought.
 *
 * A SIM that the supplier sells again is another purchase with the same ICCID. The last one counts:
 * what packages had of a former one is over.
 *
 * What a package has is decided once: one that was told to top up does so also if the load becomes
 * free meanwhile.
 */
import { Effect } from "effect"
import { type Amount, Package, Telco, TelcoAnswers } from "simplan/ports"
import * as CallFailure from "./CallFailure.ts"
import type * as PurchaseRecords from "./purchases/PurchaseRecords.ts"
import type * as SimLocks from "./SimLocks.ts"

type Failure = CallFailure.TelcoFailure

/** A SIM that was bought. */
export interface Bought {
  /** The purchase that it came by. */
  readonly purchaseId: string
  /** What it was bought with. */
  readonly load: string
  /** Of its order. */
  readonly reference: string
  /** When its order was asked for first; null: that was not kept. */
  readonly askedAt: number | null
  /** As the supplier has sold it. */
  readonly sim: Telco.BoughtSim
  /** What each package has that was ever told, by its id. */
  readonly packages: Readonly<Record<string, PurchaseRecords.Share>>
  /** Whether the load was used, of which the last cancellation has told. */
  readonly isUsed: boolean
  /** Null: it was not given back. */
  readonly returned: PurchaseRecords.Purchase["returned"]
  /** What came back for the load when it was taken off; null: nothing that is known. */
  readonly credit: Amount.Amount | null
  /** The money of packages that were cancelled, by their ids. */
  readonly settled: Readonly<Record<string, Telco.Settled>>
}

/** What came back for a load that was taken off; null: nothing. */
export type AskCredit = (bought: Bought) => Effect.Effect<Amount.Amount | null, Failure>

/** What a package has of a SIM. */
export interface Claim {
  /** `Load`: what the SIM was bought with, without a call. `TopUp`: it is to be ordered. */
  readonly share: "Load" | "TopUp"
  /** The SIM that it is on. */
  readonly bought: Bought
}

/** How a package is taken away, by what it has. */
export interface Takes {
  /**
   * Takes off what is left of the load, and tells whether it was used or is over. `Refused`: it is
   * in use, and stays.
   */
  readonly load: (bought: Bought, of: Telco.PackageRef) => Effect.Effect<boolean, Failure>
  /** Takes off what was ordered apart. Its answer may be `Telco.Settled`. */
  readonly topUp: (of: Telco.PackageRef) => Effect.Effect<unknown, Failure>
  /** Is asked after a load was taken off. Absent: nothing ever comes back. */
  readonly credit?: AskCredit
}

/**
 * The packages on a SIM that were not cancelled, but for those of some attachments. Null: there are
 * none on a SIM that was not bought.
 */
export const live = (
  bought: Pick<Bought, "packages"> | null,
  without: ReadonlyArray<string> = []
): ReadonlyArray<string> =>
  Object.entries(bought?.packages ?? {}).flatMap(([packageId, share]) =>
    share === "Cancelled" || without.includes(Package.attachmentIdOf(packageId)) ? [] : packageId
  )

/**
 * Rule S5: why an order for a SIM that was free is refused; null: it is not. What was taken before
 * stays taken, whoever came after it.
 */
export const occupied = (
  bought: Pick<Bought, "packages" | "sim">,
  { onlyAttachments, packageId }: Pick<Telco.PackageOrder, "onlyAttachments" | "packageId">
): Telco.Refused | null => {
  if (onlyAttachments === undefined || bought.packages[packageId] !== undefined) return null
  const occupiedBy = live(bought, onlyAttachments)
  const message = `The SIM ${bought.sim.iccid} has packages of others`
  return occupiedBy.length === 0 ? null : new Telco.Refused({ message, occupiedBy })
}

/** The loads of the SIMs that were bought. */
export interface PurchasedLoads {
  /** The last purchase of an ICCID; null: this journal has none. */
  readonly boughtOf: (iccid: string) => Effect.Effect<Bought | null, Telco.Unavailable>
  /** `listPackages` of the port: a supplier that knows nothing of ours lists nothing of it. */
  readonly listPackages: (of: Telco.Listing) => Effect.Effect<ReadonlyArray<string>, Telco.Unavailable>
  /**
   * Gives the load of a SIM to a package, or tells that the package is to be ordered as a top-up;
   * again the same for the same package. `Refused` if the SIM was not bought here or was given
   * back, if the package was cancelled or was one of a former purchase, and if others have packages
   * on a SIM that was free (`occupied`).
   */
  readonly claim: (of: {
    readonly iccid: string
    readonly load: string
    readonly packageId: string
    readonly onlyAttachments?: ReadonlyArray<string>
    /**
     * Why no top-up can be ordered: it is `Refused` so, and nothing is remembered. Absent: one can.
     */
    readonly noTopUp?: string
  }) => Effect.Effect<Claim, Failure>
  /**
   * Spends the id of a package, and tells what it had: null, nothing of the last purchase. Its load
   * is free again unless it was used.
   */
  readonly release: (of: {
    readonly iccid: string
    readonly packageId: string
    readonly isUsed: boolean
    /** What is to be answered of its money from now on. Absent: nothing. */
    readonly settled?: Telco.Settled
  }) => Effect.Effect<"Load" | "TopUp" | null, Telco.Unavailable>
  /**
   * `cancelPackage` of the port: takes off what the package has, and spends its id. Undefined: the
   * SIM was not bought here.
   */
  readonly cancel: (of: Telco.PackageRef, take: Takes) => Effect.Effect<Telco.CancelledPackage | undefined, Failure>
  /** What came back for the load of a SIM that was taken off, which is asked until it is known. */
  readonly credited: (iccid: string, ask: AskCredit) => Effect.Effect<Telco.Settled, Failure>
  /**
   * `returnSim` of the port: gives a SIM back by `call`, which is made again until it has an
   * outcome, and finds out by itself whether it was done before: then the ICCID may have been sold
   * again already, so it goes by the order's reference. Refused while a package has something of
   * the SIM, or if another purchase has the ICCID. From the first call on nothing of it is claimed,
   * unless it is refused.
   */
  readonly giveBack: (
    of: { readonly purchaseId: string; readonly iccid: string },
    call: (bought: Bought) => Effect.Effect<Telco.Refund, CallFailure.CallFailure>
  ) => Effect.Effect<Telco.Refund, Failure>
}

const refused = (message: string) => new Telco.Refused({ message })

/** The loads of the purchases that are in the records. */
export const make = (records: PurchaseRecords.Records, locks: SimLocks.Locks): PurchasedLoads => {
  const boughtFrom = (purchaseId: string, of: PurchaseRecords.Purchase): Bought | null => {
    const { askedAt, credit = null, isUsed, load, packages, reference, returned, settled = {}, sim } = of
    return sim === null || reference === null
      ? null
      : { purchaseId, load, reference, askedAt, sim, packages, isUsed, returned, credit, settled }
  }

  const last = Effect.fnUntraced(function* (iccid: string) {
    const [found, ...former] = yield* records.ofSim(iccid)
    if (found === undefined) return null
    const bought = boughtFrom(found.record.purchaseId, found.purchase)
    return bought === null ? null : { ...found, former, bought }
  })

  const hasLoad = ({ isUsed, packages }: PurchaseRecords.Purchase): boolean =>
    !isUsed && !Object.values(packages).includes("Load")

  const claim: PurchasedLoads["claim"] = ({ iccid, load, noTopUp, onlyAttachments, packageId }) =>
    locks.withLock(iccid, () =>
      Effect.gen(function* () {
        const found = yield* last(iccid)
        if (found === null) return yield* refused(`The SIM ${iccid} was not bought through this service`)
        const { bought, former, purchase, record } = found
        const known = purchase.packages[packageId]
        if (known === "Cancelled") return yield* refused(`The package ${packageId} was cancelled`)
        if (known !== undefined) return { share: known, bought }
        if (former.some((one) => Object.hasOwn(one.purchase.packages, packageId))) {
          return yield* refused(`The SIM ${iccid} was sold again after the package ${packageId}`)
        }
        if (purchase.returned === "calling") {
          return yield* CallFailure.unavailable(`The SIM ${iccid} may have been given back to its supplier`)
        }
        if (purchase.returned !== null) return yield* refused(`The SIM ${iccid} was given back to its supplier`)
        const others = occupied(bought, { packageId, ...(onlyAttachments !== undefined && { onlyAttachments }) })
        if (others !== null) return yield* others
        const share = load === purchase.load && hasLoad(purchase) ? "Load" : "TopUp"
        if (share === "TopUp" && noTopUp !== undefined) return yield* refused(noTopUp)
        const packages = { ...purchase.packages, [packageId]: share } as const
        yield* record.put({ ...purchase, packages })
        return { share, bought: { ...bought, packages } }
      })
    )

  const release: PurchasedLoads["release"] = ({ iccid, isUsed, packageId, settled }) =>
    locks.withLock(iccid, () =>
      Effect.gen(function* () {
        const found = yield* last(iccid)
        if (found === null) return null
        const { purchase, record } = found
        const known = purchase.packages[packageId]
        if (known === "Cancelled") return null
        yield* record.put({
          ...purchase,
          packages: { ...purchase.packages, [packageId]: "Cancelled" },
          isUsed: purchase.isUsed || (known === "Load" && isUsed),
          ...(settled?.topUp !== undefined && { settled: { ...purchase.settled, [packageId]: settled } })
        })
        return known ?? null
      })
    )

  const boughtOf: PurchasedLoads["boughtOf"] = (iccid) => Effect.map(last(iccid), (found) => found?.bought ?? null)

  const credited: PurchasedLoads["credited"] = (iccid, ask) =>
    locks.withLock(iccid, () =>
      Effect.gen(function* () {
        const found = yield* last(iccid)
        if (found === null) return {}
        const { bought, purchase, record } = found
        const credit = bought.credit ?? (yield* ask(bought))
        if (credit === null) return {}
        if (bought.credit === null) yield* record.put({ ...purchase, credit })
        return { credit, purchaseId: bought.purchaseId }
      })
    )

  const cancel: PurchasedLoads["cancel"] = Effect.fnUntraced(function* (of, take) {
    const { iccid, packageId } = of
    const bought = yield* boughtOf(iccid)
    if (bought === null) return undefined
    const share = bought.packages[packageId]
    if (share === "Cancelled") {
      const { credit, purchaseId } = bought
      return {
        isLoadUsed: bought.isUsed,
        ...(bought.settled[packageId] ?? (credit !== null && { credit, purchaseId }))
      }
    }
    const isUsed = share === "Load" && (yield* take.load(bought, of))
    const settled =
      share === "TopUp"
        ? TelcoAnswers.settled(yield* take.topUp(of))
        : isUsed && take.credit !== undefined
          ? yield* credited(iccid, take.credit)
          : {}
    yield* release({ iccid, packageId, isUsed, settled })
    return { isLoadUsed: isUsed || bought.isUsed, ...settled }
  })

  const giveBack: PurchasedLoads["giveBack"] = ({ iccid, purchaseId }, call) =>
    locks.withLock(iccid, (held) =>
      Effect.gen(function* () {
        const record = yield* records.open(purchaseId)
        const purchase = record.get()
        const bought = purchase === null ? null : boughtFrom(purchaseId, purchase)
        if (purchase === null || bought?.sim.iccid !== iccid) {
          return yield* refused(`The SIM ${iccid} was not bought by the purchase ${purchaseId}`)
        }
        // People at the supplier decide: what they have decided is another question.
        const isAsked = purchase.returned === "asked"
        if (purchase.returned !== null && purchase.returned !== "calling" && !isAsked) return purchase.returned
        // The supplier can have sold it again only once it had it back.
        if (purchase.returned === null && (yield* last(iccid))?.record.purchaseId !== purchaseId) {
          return yield* refused(`The SIM ${iccid} was sold again after the purchase ${purchaseId}`)
        }
        const [holder] = Object.entries(purchase.packages).find(([, share]) => share !== "Cancelled") ?? []
        if (holder !== undefined) return yield* refused(`The package ${holder} is on the SIM ${iccid}`)
        if (!isAsked) yield* record.put({ ...purchase, returned: "calling" })
        yield* held.keep
        return yield* Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const answer = yield* Effect.result(restore(call(bought)))
            if (answer._tag === "Success") {
              if (answer.success !== purchase.returned) yield* record.put({ ...purchase, returned: answer.success })
              return answer.success
            }
            const { outcome } = answer.failure
            if (isAsked) return yield* CallFailure.toPort(answer.failure)
            if (outcome === "NotDone") yield* record.put(purchase)
            else if (outcome !== "Unknown") yield* record.put({ ...purchase, returned: null })
            return yield* CallFailure.toPort(answer.failure)
          })
        )
      })
    )

  return {
    boughtOf,
    listPackages: ({ iccid, onlyAttachments }) =>
      Effect.map(boughtOf(iccid), (bought) => live(bought, onlyAttachments)),
    claim,
    release,
    cancel,
    credited,
    giveBack
  }
}
