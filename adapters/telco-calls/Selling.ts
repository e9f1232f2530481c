/**
 * The calls of the port that are alike at each supplier that sells eSIMs with their bundles, over
 * what one of them says of an eSIM (`readNow`).
 *
 * A package of the load that an eSIM was bought with claims it without a call; each other package
 * is a top-up, which the supplier may not have. Usage is read, and polled, of what packages have;
 * eSIMs in stock are polled to find out whether they can be sold still.
 */
import { Clock, Effect } from "effect"
import type { Telco } from "simplan/ports"
import * as CallFailure from "./CallFailure.ts"
import type * as Journal from "./Journal.ts"
import type * as PollState from "./polls/PollState.ts"
import * as Polls from "./polls/Polls.ts"
import * as PurchasedLoads from "./PurchasedLoads.ts"
import type { Purchases } from "./Purchases.ts"
import * as PurchaseRecords from "./purchases/PurchaseRecords.ts"

type Failure = CallFailure.TelcoFailure

/** What a supplier says of an eSIM now. */
export interface Reading {
  /** True: it says that nothing of the eSIM can be used any more. */
  readonly isGone?: boolean
  /** Of what it was bought with; null: it is not listed. */
  readonly load: PollState.Bundle | null
  /** Of top-ups, by the packages that have them; those that are not listed are left out. */
  readonly topUps: ReadonlyMap<string, PollState.Bundle>
}

/** What a supplier offers beside what is bought. */
export interface Supplier {
  /** Names the supplier in the journal, in metrics, and in the ids of reports. */
  readonly telco: string
  /** That of the purchases. */
  readonly journal: Journal.Journal["Service"]
  /** What was bought, and which package has it. */
  readonly purchases: Purchases
  /**
   * What it says of the last purchase of an ICCID, and of nothing from before it. `NotFound` if it
   * does not know the eSIM, though it is the account that has bought it: an eSIM that is missing
   * for long is reported as gone.
   */
  readonly readNow: (
    bought: PurchasedLoads.Bought,
    topUps: ReadonlyArray<string>
  ) => Effect.Effect<Reading, CallFailure.CallFailure | Failure>
  /** What it calls the package that has the load; the order's reference unless given. */
  readonly nameOf?: (bought: PurchasedLoads.Bought) => string
  /** Takes off what is left of a load, as `PurchasedLoads.Takes` has it. */
  readonly cancelLoad: PurchasedLoads.Takes["load"]
  /** Is asked after a load was taken off. Absent: nothing ever comes back. */
  readonly creditOf?: PurchasedLoads.AskCredit
  /** Top-ups as the port has packages; a sentence says why there are none. */
  readonly topUps: string | Pick<Telco.Telco["Service"], "createPackage" | "cancelPackage">
  /** Gives an eSIM back, as `PurchasedLoads.giveBack` asks for it. */
  readonly giveBack: (bought: PurchasedLoads.Bought) => Effect.Effect<Telco.Refund, CallFailure.CallFailure>
  /** How many calls a second it allows, and how its eSIMs are polled. */
  readonly polls: Pick<Polls.Options, "callsPerSecond" | "fastest" | "slowest" | "lag">
}

/** The calls of the port that a supplier has. */
export type Calls = Required<
  Pick<
    Telco.Telco["Service"],
    "buySim" | "returnSim" | "createPackage" | "cancelPackage" | "listPackages" | "readUsage"
  >
>

/** The calls of the port, and the polls of what was bought. */
export interface Selling {
  /** For `TelcoCapabilities.limited`, with what else the supplier can do. */
  readonly calls: Calls
  /** They report first uses, usage and ends. */
  readonly polls: Polls.Polls["Service"]
}

const isFailureOfCall = (failure: CallFailure.CallFailure | Failure): failure is CallFailure.CallFailure =>
  failure._tag === "TelcoCalls.CallFailure"

const isMissing = (failure: CallFailure.CallFailure | Failure): boolean =>
  isFailureOfCall(failure) && failure.outcome === "NotFound"

/** Whether a load is not as it was bought: whoever gets its eSIM gets less, or nothing. */
const isSpent = (load: PollState.Bundle | null): boolean =>
  load !== null && (load.end !== null || load.activationAt !== null || (load.usedBytes ?? 0) > 0)

/** A reading changes nothing, so that its refusal says nothing about what is to be done. */
const asPort = (failure: CallFailure.CallFailure | Failure): Failure =>
  isFailureOfCall(failure) ? CallFailure.later(failure) : failure

/** Sells what a supplier offers. Make it once in a process. */
export const make = (of: Supplier): Selling => {
  const {
    cancelLoad,
    creditOf,
    giveBack,
    journal,
    readNow,
    nameOf = ({ reference }) => reference,
    purchases,
    telco,
    topUps
  } = of

  /** An eSIM that has packages, or that can be sold still; null: it is neither. */
  const known = Effect.fnUntraced(function* (iccid: string) {
    const bought = yield* purchases.boughtOf(iccid)
    if (bought === null || bought.returned !== null) return null
    const packageIds = PurchasedLoads.live(bought)
    const { sellBy } = bought.sim
    const isUnsold = !bought.isUsed && (sellBy === null || (yield* Clock.currentTimeMillis) < sellBy)
    return packageIds.length > 0 || isUnsold ? { bought, purchaseId: bought.purchaseId, packageIds } : null
  })

  /** What the supplier says of an eSIM and of its packages; null: nothing is expected of it. */
  const readSim = Effect.fnUntraced(function* (iccid: string) {
    const found = yield* known(iccid)
    if (found === null) return null
    const { bought, packageIds, purchaseId } = found
    const apart = packageIds.filter((packageId) => bought.packages[packageId] === "TopUp")
    const reading = yield* readNow(bought, apart).pipe(
      Effect.catchIf(isMissing, () => Effect.succeed(null)),
      Effect.mapError(asPort)
    )
    if (reading === null) return { purchaseId, packageIds, seen: [], sim: "missing" as const }
    const seen = packageIds.flatMap((packageId) => {
      const own = bought.packages[packageId] === "Load" ? reading.load : reading.topUps.get(packageId)
      return own == null ? [] : { ...own, packageId }
    })
    const isGone = reading.isGone === true || (packageIds.length === 0 && isSpent(reading.load))
    return { purchaseId, packageIds, seen, ...(isGone && { sim: "gone" as const }) }
  })

  const polls = Polls.make({
    ...{ ...of.polls, telco, journal, poll: readSim },
    known: { kind: PurchaseRecords.KIND, of: known }
  })

  const createPackage = Effect.fn("Selling.createPackage")(function* (order: Telco.PackageOrder) {
    const noTopUp = typeof topUps === "string" ? { noTopUp: topUps } : {}
    const { bought, share } = yield* purchases.claim({ load: "", ...order, ...noTopUp })
    if (share === "TopUp" && typeof topUps !== "string") {
      return { ...(yield* topUps.createPackage(order)), isLoad: false }
    }
    return { telcoPackageId: nameOf(bought), activationAt: null, expirationAt: null, isLoad: true }
  })

  return {
    polls,
    calls: {
      buySim: (purchase) => Effect.tap(purchases.buy(purchase), ({ iccid }) => polls.stock(iccid)),
      returnSim: (sim) => purchases.giveBack(sim, giveBack),
      createPackage: (order) => Effect.tap(createPackage(order), () => polls.watch(order.iccid)),
      cancelPackage: Effect.fn("Selling.cancelPackage")((of: Telco.PackageRef) =>
        purchases.cancel(of, {
          load: cancelLoad,
          ...(creditOf !== undefined && { credit: creditOf }),
          topUp: (one) => (typeof topUps === "string" ? Effect.void : topUps.cancelPackage(one))
        })
      ),
      listPackages: purchases.listPackages,
      readUsage: Effect.fn("Selling.readUsage")(({ iccid }: { readonly iccid: string }) =>
        Effect.map(readSim(iccid), (found) =>
          (found?.seen ?? []).flatMap(({ activationAt, packageId, usedBytes }) =>
            usedBytes === null ? [] : { packageId, usedBytes, activationAt }
          )
        )
      )
    }
  }
}
