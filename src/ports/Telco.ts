/**
 * The telco port: the underlying system for charging, network, SM-DP+ and SMS.
 *
 * Every call carries a key and is idempotent by it: the same call again has the first one's outcome
 * and no further effect, also when the first one's answer was lost. Suspending, cancelling and
 * releasing what is not there succeeds, at a telco that can do it. A cancelled package's key is
 * spent: a creation that arrives later is `Refused`. What was refused is asked again only under
 * another key (rule S6), and may then be done. `listPackages` and `readUsage` change nothing and
 * have no key; `compareUsage` has none, since it may be done twice.
 */
import { Context, Data, type Effect } from "effect"
import type { Amount } from "../domain/Amount.ts"
import type { Capabilities } from "../domain/Capabilities.ts"
import type { Settled } from "../domain/Cost.ts"
import type { UnsoldReason } from "../domain/Job.ts"
import type { Label } from "../domain/Label.ts"
import type { PlanTerms } from "../domain/Plan.ts"
import type { Refund } from "../domain/Sim.ts"
import type { SimIdentities } from "../domain/SimIdentities.ts"
import type { Instant } from "../domain/Time.ts"

/** The telco refuses, for good: the same call, by its key, will be refused again. */
export class Refused extends Data.TaggedError("Telco.Refused")<{
  /** What the telco says; callers are shown it, and problems keep it. */
  readonly message: string
  /**
   * The SIM of an order was free, and these packages on it are of none of its `onlyAttachments`
   * (rule S5), as `listPackages` calls them. Nothing is made or remembered: the same order is taken
   * once they are gone. Absent: the telco refuses for another reason.
   */
  readonly occupiedBy?: ReadonlyArray<string>
  /** Why a purchase is refused. Absent: for another reason. */
  readonly reason?: UnsoldReason
  /** What was bought for a package that is not taken away, as `Settled` has it. */
  readonly topUp?: NonNullable<Settled["topUp"]>
}> {}

/**
 * The telco could not be reached, or did not answer in time. Whether it did the work is unknown
 * unless `isDone` says so; the caller retries, not before `retryAfterSeconds` if the telco says
 * so.
 */
export class Unavailable extends Data.TaggedError("Telco.Unavailable")<{
  /** What went wrong, for logs. */
  readonly message: string
  /** Whole seconds. Absent: the caller's own pauses. */
  readonly retryAfterSeconds?: number
  /**
   * False: the telco was not even asked, because it has too many calls already. The try does not
   * count as one.
   */
  readonly isAsked?: boolean
  /**
   * False: the telco has certainly not done it, and will not: the call never left (connection
   * refused, open circuit breaker, no slot), or the telco said so. Then nothing of it has to be
   * undone (rule S5). Absent: it may have.
   */
  readonly isDone?: false
  /**
   * Which telco it is, if the port has several. What waits for a telco is tried soon after it
   * answers again.
   */
  readonly telco?: string
}> {}

/** A package that the telco is to make. */
export interface PackageOrder {
  /** `<attachment id>:<occurrence>`. */
  readonly packageId: string
  /** The SIM that it is for. */
  readonly iccid: string
  /** Null: from the first use, for the terms' validity. */
  readonly window: { readonly start: Instant; readonly end: Instant } | null
  /** What it grants; name, label and region code are the plan's. */
  readonly terms: PlanTerms
  /**
   * The supplier's bundle that it is ordered as, if the plan is one: on a SIM that was bought with
   * this load, and whose load no package has yet, the load itself, else a top-up by it. It stands
   * in the order, so that a plan that becomes another bundle buys nothing twice. Absent: the telco
   * goes by the terms.
   */
  readonly load?: string
  /**
   * Of a SIM that was free until now: the attachments that alone may have packages on it. A telco
   * that finds another one of this service's there refuses, and names it in `occupiedBy` (rule S5).
   * Absent: nothing is to be found out.
   */
  readonly onlyAttachments?: ReadonlyArray<string>
}

/** The telco's package. Times are null if it does not report them. */
export interface TelcoPackage {
  /** The telco's own name of the package, which its reports may use (rule R1). */
  readonly telcoPackageId: string
  /** It replaces the time that was asked for (rule T6). */
  readonly activationAt: Instant | null
  /** It replaces the time that was asked for (rule T6). */
  readonly expirationAt: Instant | null
  /** What a top-up was charged at, if the telco says so. */
  readonly cost?: Amount
  /**
   * Of an order of a bundle: whether it has what the SIM was bought with, which nothing is charged
   * for any more. Absent: the telco does not say; then the first order on a SIM has it.
   */
  readonly isLoad?: boolean
  /** Which telco it is, if the port has several. */
  readonly telco?: string
}

/** A SIM that is to be bought of a supplier, with a bundle on it. */
export interface SimPurchase {
  /** An id that never changes. */
  readonly purchaseId: string
  /** Whose stock the SIM is for. */
  readonly organizationId: string
  /** The label that the SIM gets. */
  readonly label: Label
  /** The supplier's code of the bundle that the SIM comes with. */
  readonly load: string
  /** The most that it may cost; null: anything. */
  readonly limit: Amount | null
}

/** A SIM that was bought. */
export interface BoughtSim extends SimIdentities {
  /** The SIM's; a supplier may sell one again that a former customer had. */
  readonly iccid: string
  /** Its activation code (SGP.22 section 4.1). */
  readonly lpa: string
  /** Until when the load has to be put into use; null: the supplier does not say. */
  readonly sellBy: Instant | null
  /** What it was charged at; null: the supplier does not say. */
  readonly cost: Amount | null
  /** Which telco it is, if the port has several. */
  readonly telco?: string
}

export type { Refund } from "../domain/Sim.ts"

/** How a message was sent, if a telco reports it. */
export interface SentSms {
  /** At least 1. */
  readonly segments: number
}

/** A package to be suspended or cancelled. */
export interface PackageRef {
  /** The `packageId` of its order, or what `listPackages` calls it. */
  readonly packageId: string
  /** The SIM that it is on. */
  readonly iccid: string
  /** What the call is idempotent by: the package's id unless given. */
  readonly key?: string
  /**
   * An operator has said that it is to be cancelled, whoever uses it. Absent: a telco that does not
   * know its order may refuse.
   */
  readonly isConfirmed?: true
  /**
   * The creation that ordered it is undone (rule S5). A telco that knows what was used of a package
   * refuses to cancel one that was used, and keeps it; any other telco cancels it.
   */
  readonly isUndone?: true
}

export type { Settled } from "../domain/Cost.ts"

/** What a telco says of a package that it has taken away. */
export interface CancelledPackage extends Settled {
  /**
   * What the SIM was bought with was used, or is over: nobody else gets the SIM for it (rule S3).
   * It stands in the answer to the same call again, too.
   */
  readonly isLoadUsed: boolean
}

/** What the telco has counted of a package. */
export interface PackageUsage {
  /** The `packageId` of its order. */
  readonly packageId: string
  /** All that was used of it on this SIM, in bytes. */
  readonly usedBytes: number
  /** When it was first used. Absent or null: it was not, or the telco does not say. */
  readonly activationAt?: Instant | null
}

/** Which packages are listed. */
export interface Listing {
  /** The SIM that they are on. */
  readonly iccid: string
  /**
   * Only those of others: for which an order with the same `onlyAttachments` is refused (rule S5).
   * A telco that cannot tell them apart lists all. Absent: all.
   */
  readonly onlyAttachments?: ReadonlyArray<string>
}

/** A call of the port. */
export type Call<A> = Effect.Effect<A, Refused | Unavailable>

/** The port of the telco. Each call fails with `Refused` or `Unavailable` and with nothing else. */
export class Telco extends Context.Service<
  Telco,
  {
    /**
     * What it does otherwise than a full telco (rule P4). It refuses what it cannot do, and the
     * service refuses it before that. Absent: it does all, as far as it has the operations.
     */
    readonly capabilities?: Partial<Capabilities>
    /**
     * Idempotent by `packageId`: the same order again has the first one's package. An order whose
     * package is on another SIM is `Refused`: after a restore of an older backup a subscription may
     * move anew, and its packages be ordered by the same ids.
     */
    readonly createPackage: (order: PackageOrder) => Call<TelcoPackage>
    /**
     * Stops the package for good (rule T7). One that is not there is no failure. A telco that sells
     * SIMs may answer `Settled`; any other answer says nothing.
     */
    readonly suspendPackage: (of: PackageRef) => Call<unknown>
    /**
     * Takes the package away and spends its id (rules S3 and S5). One that is not there is no
     * failure. A telco that sells SIMs answers `CancelledPackage`; any other answer says that the
     * load of the SIM can be sold again.
     */
    readonly cancelPackage: (of: PackageRef) => Call<unknown>
    /**
     * Sends at most once for each `messageId`. `Unavailable`: it may have been sent. A telco that
     * sends a text in other segments than 3GPP TS 23.038 and 23.040 ask for answers `SentSms`; any
     * other answer says nothing.
     */
    readonly sendSms: (sms: {
      readonly messageId: string
      readonly iccid: string
      readonly from: string
      readonly text: string
    }) => Call<unknown>
    /**
     * Makes the profile of an ICCID available for a new download. A telco that manages profiles and
     * does not know the ICCID refuses, so that an operator sees to it (rule S6); one that manages
     * none succeeds.
     */
    readonly releaseProfile: (of: { readonly key: string; readonly iccid: string }) => Call<void>
    /** Applies or removes the mobile plan of an eSIM (rule I6), idempotent by `key`. */
    readonly setMobilePlan: (of: {
      readonly key: string
      readonly iccid: string
      readonly applied: boolean
    }) => Call<void>
    /**
     * Stops the service of a SIM, or starts it again (rule S7), idempotent by `key`. The packages
     * on the SIM stay as they are, and their times go on. Absent: the telco cannot do it, as telcos
     * are that were written before it, and no SIM of it is paused.
     */
    readonly setService?: (of: {
      readonly key: string
      readonly iccid: string
      /** False: the SIM is to have no service. */
      readonly active: boolean
    }) => Call<void>
    /**
     * The packages of this service that the telco has on a SIM, suspended ones included; those that
     * are over may be left out. Each is called what `cancelPackage` takes it away by: the
     * `packageId` of its order, or, if the telco knows no order of it, a name of the telco's own
     * that no package of another SIM has. A SIM is free only when all that is listed was cancelled
     * (rule S5). Null: the telco cannot list them, and is taken at its word that what was cancelled
     * is gone. So is one without this operation, as telcos are that were written before it.
     */
    readonly listPackages?: (of: Listing) => Call<ReadonlyArray<string> | null>
    /**
     * What the telco has counted by now of the packages of this service on a SIM, suspended ones
     * included (rule S8). `stopped`: those that are suspended already; of them the answer has all
     * that was used until then, and the call is `Unavailable` while the telco's figures are older
     * than that. A package that is not there, was cancelled, or is not known by its order is left
     * out: of it the last report is taken for right. Null: the telco cannot say; then all last
     * reports are. So is a telco without this operation, as telcos are that were written before it.
     */
    readonly readUsage?: (of: {
      readonly iccid: string
      readonly stopped: ReadonlyArray<string>
    }) => Call<ReadonlyArray<PackageUsage> | null>
    /**
     * Has the usage of a SIM on a UTC day, which is its first instant, compared once more with the
     * telco's own book of it (rules S6 and U1). What differs then is added to the problems again.
     * Absent: whoever compares does so by itself.
     */
    readonly compareUsage?: (of: { readonly iccid: string; readonly day: Instant }) => Call<void>
    /**
     * Buys a SIM with a load, idempotent by `purchaseId`: there is never a second SIM of one
     * purchase. `Unavailable` while the supplier is allocating it too: the same call later has the
     * SIM. `Refused`: nothing was bought, and nothing will be. A SIM that came although the call
     * was not answered is the next one's for which it fits. Absent: the telco sells none.
     */
    readonly buySim?: (purchase: SimPurchase) => Call<BoughtSim>
    /**
     * Gives a SIM back that nobody has used, for good, idempotent by its ICCID and `purchaseId`.
     * `Refused`: the supplier takes it back no more. After `asked` the same call each day says what
     * its people have decided. Absent: it takes none back.
     */
    readonly returnSim?: (of: { readonly purchaseId: string; readonly iccid: string }) => Call<Refund>
  }
>()("simplan/Telco") {}
