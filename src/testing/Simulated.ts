/**
 * A service under simulation, as commands and invariants see it: its services, its storage, what
 * its telco was asked and wrote down, the webhooks that arrived, and the means to kill and restart
 * its process.
 */
import type { Duration, Effect } from "effect"
import type { Services } from "../Services.ts"
import type { Label } from "../domain/Label.ts"
import type { Instant } from "../domain/Time.ts"
import type { Jobs } from "../ports/Jobs.ts"
import type { Outbox } from "../ports/Outbox.ts"
import type { Storage, StorageError } from "../ports/Storage.ts"
import type { Change } from "../ports/TelcoPorts.ts"

/**
 * What can go wrong with a call to the telco. `refuse` befalls only what a refusal ends at once:
 * creating a package, sending a message, changing a mobile plan.
 */
export const faults = ["refuse", "unavailable", "answer lost", "slow"] as const

/**
 * `refuse to end` befalls what stops or undoes something, which is left to an operator after three
 * times (rule S6). A telco that is `unreachable` is unavailable, and its caller knows that it has
 * done nothing. One that is `allocating` has not sold what is bought yet (rule I15).
 */
export type Fault = (typeof faults)[number] | "refuse to end" | "unreachable" | "allocating" | Unsold

/** Why a telco sells no SIM: it befalls purchases alone (rule I15). */
export const unsold = ["sold_out", "no_balance"] as const

/** Why a telco sells no SIM. */
export type Unsold = (typeof unsold)[number]

/** A package in the telco's books that the telco did not refuse. */
export interface TelcoPackage {
  /** `<attachment id>:<occurrence>`, the key that it was ordered under (rule R1). */
  readonly packageId: string
  /** The id that the telco gave it; reports may name it by this one. */
  readonly telcoPackageId: string
  /** The SIM that it was ordered for. */
  readonly iccid: string
  /** A cancelled package stays in the books. The telco does not note expiry. */
  readonly status: "active" | "suspended" | "cancelled"
}

/** What the telco's records come to; what was refused is left out. */
export interface TelcoBooks {
  /** In the order of their creation; suspended and cancelled ones are among them. */
  readonly packages: ReadonlyArray<TelcoPackage>
  /** Ids of the messages that were sent, in order. */
  readonly messages: ReadonlyArray<string>
  /** Whether the mobile plan is applied, by ICCID, if it was ever set. */
  readonly mobilePlans: ReadonlyArray<readonly [iccid: string, applied: boolean]>
  /** Whether the SIM has service, by ICCID, if that was ever set (rule S7). */
  readonly services: ReadonlyArray<readonly [iccid: string, active: boolean]>
}

/**
 * What the telco wrote down at one instant, under the key of the call; a refusal stands under its
 * key too.
 */
export type TelcoRecord = { readonly at: Instant; readonly key: string; readonly refusal: string | null } & (
  | {
      readonly kind: "package"
      readonly iccid: string
      readonly window: { readonly start: Instant; readonly end: Instant } | null
      /** What it grants. */
      readonly dataMegaBytes: number
    }
  | { readonly kind: "suspension" | "cancellation" }
  | { readonly kind: "message"; readonly iccid: string; readonly text: string }
  | { readonly kind: "release"; readonly iccid: string }
  | { readonly kind: "mobile plan change"; readonly iccid: string; readonly applied: boolean }
  | { readonly kind: "service change"; readonly iccid: string; readonly active: boolean }
  | {
      /** A SIM that was sold, under the id of its purchase (rule I15). */
      readonly kind: "sale"
      readonly iccid: string
      readonly organizationId: string
      readonly load: string
      /** Until when it has to be put into use; null: it need not be. */
      readonly sellBy: Instant | null
    }
  /** A SIM that its supplier has taken back, under the id of its purchase. */
  | { readonly kind: "return"; readonly iccid: string }
)

/**
 * A call as its caller saw it; `no answer`: the caller gave up, and the telco may have done the
 * work.
 */
export interface TelcoCall {
  /** Business time at which the call began. */
  readonly at: Instant
  /** The operation of the port `Telco` that was called; lists are left out. */
  readonly kind: Change
  /** What the call is idempotent by. */
  readonly key: string
  /** The SIM that the call was about. */
  readonly iccid: string
  /** After `unavailable`, too, the telco may have done the work. */
  readonly outcome: "done" | "refused" | "unavailable" | "no answer"
}

/** A webhook as its receiver gets it. */
export interface ReceivedWebhook {
  /** Business time of the arrival. */
  readonly at: Instant
  /** The organization whose endpoint it was sent to. */
  readonly organizationId: string
  /** The JSON of rule W5, as it was sent. */
  readonly body: string
  /** How many calls to the telco were over when it arrived. */
  readonly callsBefore: number
}

/** A running simulation. `Simulation.make` builds one. */
export interface Simulated {
  /** Decides all that is random; the same seed and steps give the same run. */
  readonly seed: number
  /** Business time at which the simulation began. */
  readonly start: Instant
  /**
   * Two organizations with an inventory and a webhook endpoint each; stories commonly play in the
   * first.
   */
  readonly organizationIds: readonly [string, string]
  /**
   * The ICCIDs of an organization's inventory, in order of import; then those that were bought for
   * it, in order of their sale.
   */
  readonly iccids: (organizationId: string) => ReadonlyArray<string>
  /** The standard coverage profiles of a label. */
  readonly coverageIds: (label: Label) => ReadonlyArray<string>
  /** Runs a use case in the present process; one that stands still since a kill never ends it. */
  readonly use: <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.Effect<A, E>
  /**
   * Runs a story of several steps in the simulation's own time throughout, so that it is the same
   * at each run however busy the machine is.
   */
  readonly inItsTime: <A, E, R>(story: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Business time. */
  readonly now: Effect.Effect<Instant>
  /**
   * Moves business time to an instant; everything due by then is done, in due order. Backwards is
   * refused.
   */
  readonly advanceTo: (instant: Instant) => Effect.Effect<Instant, Error>
  /**
   * Moves it by a span, in milliseconds or such as `12 hours`. A span backwards, or not of whole
   * milliseconds, is refused. Gives the new instant.
   */
  readonly advanceBy: (by: Duration.Input) => Effect.Effect<Instant, Error>
  /** The clock goes on by a span while no process runs: what falls due is not done. */
  readonly sleepThrough: (millis: number) => Effect.Effect<void, StorageError>
  /** The next calls to the telco, `times` of them, meet this fault; null: none does. */
  readonly setFault: (fault: Fault | null, times: number) => Effect.Effect<void>
  /** Waits until calls that are still on their way have reached the telco. */
  readonly arrivals: Effect.Effect<void>
  /** The telco's books as they stand now. */
  readonly telco: Effect.Effect<TelcoBooks>
  /** All that the telco wrote down from the `from`th record on, in order. */
  readonly telcoRecords: (from: number) => ReadonlyArray<TelcoRecord>
  /** All calls that are over, from the `from`th on. */
  readonly telcoCalls: (from: number) => ReadonlyArray<TelcoCall>
  /**
   * From its `commits`th commit on the process stands still, before it or after it, as if killed
   * there.
   */
  readonly kill: (at: { readonly commits: number; readonly when: "before" | "after" }) => Effect.Effect<void>
  /** Ends when the present process stands still. */
  readonly killed: Effect.Effect<void>
  /** Another process on the same storage and telco. */
  readonly restart: Effect.Effect<void, StorageError>
  /** What broke in the background, from the `from`th message on: none of that is ever to happen. */
  readonly mishaps: (from: number) => ReadonlyArray<string>
  /** All webhooks that arrived from the `from`th on. */
  readonly received: (from: number) => ReadonlyArray<ReceivedWebhook>
  /** All webhooks that have arrived so far, in order. */
  readonly webhooks: Effect.Effect<ReadonlyArray<ReceivedWebhook>>
  /** All processes share it, so it still answers after a kill. */
  readonly storage: Storage["Service"]
  /** The queue of durable work that all processes share. */
  readonly jobs: Jobs["Service"]
  /** The queue of webhook deliveries that all processes share. */
  readonly outbox: Outbox["Service"]
}
