/**
 * The simulated telco of tests: its books, and the faults of its calls.
 */
import type { TelcoLayer } from "../Options.ts"
import type { TimeSpan } from "./Calls.ts"

/** The name of one of a telco's functions. */
export type TelcoOperation =
  | "createPackage"
  | "suspendPackage"
  | "cancelPackage"
  | "sendSms"
  | "releaseProfile"
  | "setMobilePlan"

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
 * - `slow`: the call takes `delay` of the machine's time to reach the telco, and reaches it even if its caller gives up.
 */
export type SimulatorFault =
  | { readonly fault?: "unavailable" | undefined; readonly retryAfterSeconds?: number | undefined }
  | { readonly fault: "refuse"; readonly message?: string | undefined }
  | { readonly fault: "answer lost" }
  | { readonly fault: "slow"; readonly delay: TimeSpan }

/** Which calls go wrong, and how. */
export type SimulatorFailure = SimulatorFault & {
  /** The function whose calls go wrong; of all functions where it is absent. */
  readonly on?: TelcoOperation | undefined
  /** The SIM whose calls go wrong; of all SIMs where it is absent. */
  readonly iccid?: string | undefined
  /** How many calls go wrong, at least 1; all of them, until `recover`, where it is absent. */
  readonly times?: number | undefined
}

/**
 * A telco in this process for tests: `createSimplan({ telco: simulator })`. It outlives the
 * services over it, so that a service that is started again finds the packages of the one before. Nothing outlives the
 * process. Lists are in the order in which things happened first, and nothing that was refused is in them.
 */
export interface Simulator extends TelcoLayer {
  /** Every package that was made, suspended and cancelled ones included. */
  readonly packages: () => Promise<ReadonlyArray<SimulatorPackage>>
  /** Every SMS that was sent, each id once. */
  readonly messages: () => Promise<ReadonlyArray<SimulatorMessage>>
  /** Whether the mobile plan is applied, by ICCID; only those for which it was ever set. */
  readonly mobilePlans: () => Promise<ReadonlyMap<string, boolean>>
  /** The ICCID of each release of a profile. */
  readonly releasedProfiles: () => Promise<ReadonlyArray<string>>
  /** How many calls of each function came in, those that never reached the telco included. */
  readonly calls: () => Promise<Readonly<Record<TelcoOperation, number>>>
  /**
   * Has the next calls go wrong. Of several failures that apply to a call the first one given befalls it; a slow one may come
   * before another. Throws an `InvalidFieldError` where an option is wrong.
   */
  readonly fail: (failure: SimulatorFailure) => void
  /** Ends all failures. A call that is slow already stays so. */
  readonly recover: () => void
}
