/**
 * The telcos that the library makes: the simulated one of tests, and one over functions that know
 * no idempotency keys.
 */
import type { AdapterCall, Logger, PackageOrder, TelcoCapabilities, TelcoLayer, TelcoPackage } from "../Options.ts"
import type { InstantInput, TimeSpan } from "./Calls.ts"

/** The name of one of a telco's functions. */
export type TelcoOperation =
  | "createPackage"
  | "suspendPackage"
  | "cancelPackage"
  | "sendSms"
  | "releaseProfile"
  | "setMobilePlan"
  | "setService"

/** A package that the simulator has made. */
export interface SimulatorPackage {
  /** `<attachment id>:<occurrence>`, the key of the order. */
  readonly packageId: string
  /** The simulator's own id; reports may name the package by it. */
  readonly telcoPackageId: string
  /** The SIM that it is on. */
  readonly iccid: string
  /** `suspended` and `cancelled` are final. */
  readonly status: "active" | "suspended" | "cancelled"
  /** As ordered. Null: from the first use. */
  readonly window: { readonly start: Date; readonly end: Date } | null
  /** The supply tier of the terms that were ordered. */
  readonly label: string
  /** The allowance that was ordered; a MB has 1,048,576 bytes (rule T1). */
  readonly dataMegaBytes: number
  /** The validity that was ordered, in days of 24 h. */
  readonly periodDays: number
}

/** An SMS that the simulator has sent. */
export interface SimulatorMessage {
  /** What it was sent once by. */
  readonly messageId: string
  /** The SIM that it went to. */
  readonly iccid: string
  /** The sender. */
  readonly from: string
  /** The whole text, however many segments it takes. */
  readonly text: string
}

/**
 * What goes wrong.
 *
 * - `unavailable` (the default): the call never reaches the telco, which may say when to ask again.
 * - `refuse`: the telco refuses for good, and again when the same call comes back.
 * - `answer lost`: the telco does the work, and the call fails as if it were unavailable.
 * - `slow`: the call takes `delay` of the machine's time to reach the telco, and reaches it even if
 *   its caller gives up.
 */
export type SimulatorFault =
  | { readonly fault?: "unavailable" | undefined; readonly retryAfterSeconds?: number | undefined }
  | { readonly fault: "refuse"; readonly message?: string | undefined }
  | { readonly fault: "answer lost" }
  | { readonly fault: "slow"; readonly delay: TimeSpan }

/** Which calls go wrong, and how. */
export type SimulatorFailure = SimulatorFault & {
  /** The function whose calls go wrong; of all functions if it is absent. */
  readonly on?: TelcoOperation | undefined
  /** The SIM whose calls go wrong; of all SIMs if it is absent. */
  readonly iccid?: string | undefined
  /** How many calls go wrong, at least 1; all of them, until `recover`, if it is absent. */
  readonly times?: number | undefined
}

/**
 * A telco in this process for tests: `createSimplan({ telco: simulator })`. It outlives the
 * services over it, so that a service that is started again finds the packages of the one before.
 * Nothing outlives the process. Lists are in the order in which things happened first, and nothing
 * that was refused is in them.
 */
export interface Simulator extends TelcoLayer {
  /** Every package that was made, suspended and cancelled ones included. */
  readonly packages: () => Promise<ReadonlyArray<SimulatorPackage>>
  /** Every SMS that was sent, each id once. */
  readonly messages: () => Promise<ReadonlyArray<SimulatorMessage>>
  /** Whether the mobile plan is applied, by ICCID; only those for which it was ever set. */
  readonly mobilePlans: () => Promise<ReadonlyMap<string, boolean>>
  /** Whether the SIM has service, by ICCID; only those that were ever paused (rule S7). */
  readonly services: () => Promise<ReadonlyMap<string, boolean>>
  /** The ICCID of each release of a profile. */
  readonly releasedProfiles: () => Promise<ReadonlyArray<string>>
  /** How many calls of each function came in, those that never reached the telco included. */
  readonly calls: () => Promise<Readonly<Record<TelcoOperation, number>>>
  /**
   * Has the next calls go wrong. Of several failures that apply to a call the first one given
   * befalls it; a slow one may come before another. Throws an `InvalidFieldError` if an option
   * is wrong.
   */
  readonly fail: (failure: SimulatorFailure) => void
  /** Ends all failures. A call that is slow already stays so. */
  readonly recover: () => void
}

/** A package that is on a SIM at the telco. */
export interface ListedPackage {
  /** The telco's own id of it. */
  readonly telcoPackageId: string
  /** The `packageId` of its order, if the telco keeps it, such as in a note. */
  readonly packageId?: string | null | undefined
  /** When it is active, if the telco says so. */
  readonly activationAt?: InstantInput | null | undefined
  /** When it ends, if the telco says so. */
  readonly expirationAt?: InstantInput | null | undefined
  /**
   * All that was used of it by now, in bytes, if the telco says so. When a subscription moves to
   * another SIM, what is left is ordered by it (rule S8); without it by the last report.
   */
  readonly usedBytes?: number | null | undefined
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
 * A telco that knows no idempotency keys. Each function makes its call once and keeps nothing:
 * `journaledTelco` sees to it that it is not made twice.
 *
 * A function throws `TelcoRefused` if the telco says no. After anything else that it throws the
 * outcome is unknown, but for errors of connections that were never made.
 */
export interface TelcoSystem {
  /** What it cannot do (rule P4), which is refused before it is asked, as that of `Telco`. */
  readonly capabilities?: Partial<TelcoCapabilities> | undefined
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
  /**
   * Stops the service of a SIM, or starts it again, if `active` is true. Absent: the telco
   * cannot do it, and no subscription is paused (rule S7).
   */
  readonly setService?:
    | ((of: { readonly iccid: string; readonly active: boolean }, call: AdapterCall) => Promise<unknown>)
    | undefined
}

/** Options of `journaledTelco`. */
export interface JournalOptions {
  /**
   * The telco's name in the journal; `telco` by default. Another name is another telco, which knows
   * nothing of the calls of the one before.
   */
  readonly name?: string | undefined
  /**
   * How long a call without an answer may still be done by the telco; 1 minute by default. For so
   * long an order without an answer is searched for before it is made again, or is taken for
   * cancelled.
   */
  readonly lateFor?: TimeSpan | undefined
  /**
   * Where the suite logs what the functions throw unexpectedly; stderr by default. A service has
   * its own logger.
   */
  readonly logger?: Logger | false | undefined
}
