/**
 * SIMs of the inventory: eSIMs and physical cards, known by their ICCID, and who holds them (rules I1, S2, S5).
 */
import type { Label } from "./Label.ts"
import type { LastOperator } from "./Location.ts"
import type { CurrentStatus } from "./SmdpHistory.ts"
import type { Instant } from "./Time.ts"

/**
 * Who has the SIM. It is `Free`; or being put into service (`Provisioning`, invisible until the telco's outcome is
 * committed); or in service; or `Releasing`, until the telco has confirmed that nothing of the last one remains.
 */
export type Hold =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Provisioning"; readonly subscriptionId: string }
  | { readonly _tag: "InService"; readonly subscriptionId: string }
  | { readonly _tag: "Releasing"; readonly subscriptionId: string }

/**
 * Whether the organization's mobile plan is applied to an eSIM (rule I6). `Settled`: the telco has it so. `Changing`: the
 * telco is being asked for `target`; until it has answered, `applied` is what a request is told.
 */
export type MobilePlan =
  | { readonly _tag: "Settled"; readonly applied: boolean }
  | { readonly _tag: "Changing"; readonly applied: boolean; readonly target: boolean }

export interface Sim {
  readonly organizationId: string
  readonly simId: string
  /** 18 to 20 digits, unique in the whole service. */
  readonly iccid: string
  /** The place in the service's order of import, from 1; given by the storage when the SIM is imported. */
  readonly serial: number
  readonly label: Label
  readonly isEsim: boolean
  /** The activation code of SGP.22 section 4.1; null for a physical SIM, and for an eSIM imported without one. */
  readonly lpa: string | null
  readonly createdAt: Instant
  readonly hold: Hold
  /** When it last came back from a subscription; null while it was never used. */
  readonly recycledAt: Instant | null
  /** Whether there is any sign that the profile was downloaded (rule S2). Never goes back to false. */
  readonly downloaded: boolean
  readonly smdp: CurrentStatus | null
  readonly location: LastOperator | null
  /** The last usage, first use or location that was reported (rule R3). */
  readonly lastActivityAt: Instant | null
  readonly mobilePlan: MobilePlan
  /** Guards the SIM and all that hangs on it: its subscription, attachments and packages. */
  readonly version: number
}

/** A SIM as it was when it was loaded: what guards a decision about something that hangs on it. */
export type Loaded = Pick<Sim, "organizationId" | "iccid" | "version">

/** Rule S2: `used` is true while a subscription holds the SIM. */
export const isUsed = (sim: Sim): boolean => sim.hold._tag !== "Free"

/** Rule S2: an eSIM that no one holds and that shows no sign of a download. */
export const isFree = (sim: Sim): boolean => sim.isEsim && sim.hold._tag === "Free" && !sim.downloaded

/** Rule I1: a SIM as it is imported: free, never used, never seen in a device. */
export const imported = (
  sim: Pick<Sim, "organizationId" | "simId" | "iccid" | "label" | "isEsim" | "lpa" | "createdAt">
): Omit<Sim, "serial" | "version"> => ({
  ...sim,
  hold: { _tag: "Free" },
  recycledAt: null,
  downloaded: false,
  smdp: null,
  location: null,
  lastActivityAt: null,
  mobilePlan: { _tag: "Settled", applied: false }
})
