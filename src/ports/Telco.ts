/**
 * The telco port: the underlying system for charging, network, SM-DP+ and SMS.
 *
 * Every call carries a key and is idempotent by it: the same call again has the first one's outcome and no further
 * effect, also when the first one's answer was lost. Suspending, cancelling and releasing what is not there succeeds.
 * A cancelled package's key is spent: a creation that arrives later is `Refused`. What was refused is asked again only
 * under another key (rule S6), and may then be done.
 */
import { Context, Data, type Effect } from "effect"
import type { PlanTerms } from "../domain/Plan.ts"
import type { Instant } from "../domain/Time.ts"

/** The telco refuses, for good: the same call, by its key, will be refused again. */
export class Refused extends Data.TaggedError("Telco.Refused")<{
  /** What the telco says; callers are shown it, and problems keep it. */
  readonly message: string
}> {}

/**
 * The telco could not be reached, or did not answer in time. Whether it did the work is unknown; the caller retries,
 * not before `retryAfterSeconds` where the telco says so.
 */
export class Unavailable extends Data.TaggedError("Telco.Unavailable")<{
  /** What went wrong, for logs. */
  readonly message: string
  /** Whole seconds. Absent: the caller's own pauses. */
  readonly retryAfterSeconds?: number
  /** False: the telco was not even asked, because it has too many calls already. The try does not count as one. */
  readonly isAsked?: boolean
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
}

/** The telco's package. Times are null where it does not report them. */
export interface TelcoPackage {
  /** The telco's own name of the package, which its reports may use (rule R1). */
  readonly telcoPackageId: string
  /** It replaces the time that was asked for (rule T6). */
  readonly activationAt: Instant | null
  /** It replaces the time that was asked for (rule T6). */
  readonly expirationAt: Instant | null
}

/** A package to be suspended or cancelled. */
export interface PackageRef {
  /** The `packageId` of its order. */
  readonly packageId: string
  /** The SIM that it is on. */
  readonly iccid: string
  /** What the call is idempotent by: the package's id unless given. */
  readonly key?: string
}

type Call<A> = Effect.Effect<A, Refused | Unavailable>

/** The port of the telco. Each call fails with `Refused` or `Unavailable` and with nothing else. */
export class Telco extends Context.Service<
  Telco,
  {
    /** Idempotent by `packageId`: the same order again has the first one's package. */
    readonly createPackage: (order: PackageOrder) => Call<TelcoPackage>
    /** Stops the package for good (rule T7). One that is not there is no failure. */
    readonly suspendPackage: (of: PackageRef) => Call<void>
    /** Takes the package away and spends its id (rules S3 and S5). One that is not there is no failure. */
    readonly cancelPackage: (of: PackageRef) => Call<void>
    /** Sends at most once for each `messageId`. `Unavailable`: it may have been sent. */
    readonly sendSms: (sms: {
      readonly messageId: string
      readonly iccid: string
      readonly from: string
      readonly text: string
    }) => Call<void>
    /** Makes the profile of an ICCID available for a new download. */
    readonly releaseProfile: (of: { readonly key: string; readonly iccid: string }) => Call<void>
    /** Applies or removes the mobile plan of an eSIM (rule I6), idempotent by `key`. */
    readonly setMobilePlan: (of: {
      readonly key: string
      readonly iccid: string
      readonly applied: boolean
    }) => Call<void>
  }
>()("simplan/Telco") {}
