/**
 * A telco that knows no idempotency keys, as hosts write it in plain functions.
 */
import type { AdapterCall, Logger, PackageOrder, TelcoPackage } from "../Options.ts"
import type { InstantInput, TimeSpan } from "./Calls.ts"

/** A package that is on a SIM at the telco. */
export interface ListedPackage {
  /** The telco's own id of it. */
  readonly telcoPackageId: string
  /** The `packageId` of its order, where the telco keeps it, such as in a note. */
  readonly packageId?: string | null | undefined
  /** When it is active, where the telco says so. */
  readonly activationAt?: InstantInput | null | undefined
  /** When it ends, where the telco says so. */
  readonly expirationAt?: InstantInput | null | undefined
}

/** A package of the telco, and its order. */
export interface MadePackage {
  /** The telco's own id of it. */
  readonly telcoPackageId: string
  /** That of its order. */
  readonly packageId: string
  /** The SIM that it is on. */
  readonly iccid: string
}

/**
 * A telco that knows no idempotency keys. Each function makes its call once and keeps nothing: `journaledTelco` sees to it that
 * it is not made twice.
 *
 * A function throws `TelcoRefused` where the telco says no. After anything else that it throws the outcome is unknown, but for
 * errors of connections that were never made.
 */
export interface TelcoSystem {
  /** All packages on the SIM that are not cancelled, also those that were made by hand. */
  readonly listPackages: (of: { readonly iccid: string }, call: AdapterCall) => Promise<ReadonlyArray<ListedPackage>>
  /** Makes a package. */
  readonly createPackage: (order: PackageOrder, call: AdapterCall) => Promise<TelcoPackage>
  /** Stops a package for good. One that is stopped already is no error. */
  readonly suspendPackage: (of: MadePackage, call: AdapterCall) => Promise<unknown>
  /** Takes a package away. It was listed a moment before. */
  readonly cancelPackage: (of: MadePackage, call: AdapterCall) => Promise<unknown>
  /** Sends an SMS. One whose answer is lost is not sent again. */
  readonly sendSms: (
    sms: { readonly messageId: string; readonly iccid: string; readonly from: string; readonly text: string },
    call: AdapterCall
  ) => Promise<unknown>
  /** Makes the profile of an eSIM available for a new download. */
  readonly releaseProfile: (of: { readonly iccid: string }, call: AdapterCall) => Promise<unknown>
  /** Applies or removes the organization's mobile plan of an eSIM. */
  readonly setMobilePlan: (
    of: { readonly iccid: string; readonly applied: boolean },
    call: AdapterCall
  ) => Promise<unknown>
}

/** Options of `journaledTelco`. */
export interface JournalOptions {
  /**
   * The telco's name in the journal; `telco` by default. Another name is another telco, which knows nothing of the calls of
   * the one before.
   */
  readonly name?: string | undefined
  /**
   * How long a call without an answer may still be done by the telco; 1 minute by default. For so long an order without an
   * answer is searched for before it is made again, or is taken for cancelled.
   */
  readonly lateFor?: TimeSpan | undefined
  /** Where the suite logs what the functions throw unexpectedly; stderr by default. A service has its own logger. */
  readonly logger?: Logger | false | undefined
}
