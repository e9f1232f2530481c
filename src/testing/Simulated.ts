/**
 * A service under simulation, as commands and invariants see it: its services, its storage, its telco's books and
 * faults, the webhooks that arrived, and the means to kill and restart its process.
 */
import type { Effect } from "effect"
import type { Services } from "../app/Services.ts"
import type { Instant } from "../domain/Time.ts"
import type { Storage, StorageError } from "../ports/Storage.ts"

/** What can go wrong with a call to the telco. */
export const faults = ["refuse", "unavailable", "answer lost", "slow"] as const

export type Fault = (typeof faults)[number]

export interface TelcoPackage {
  readonly packageId: string
  readonly telcoPackageId: string
  readonly iccid: string
  readonly status: "active" | "suspended" | "cancelled"
}

export interface TelcoBooks {
  readonly packages: ReadonlyArray<TelcoPackage>
  /** Ids of the messages that were sent, in order. */
  readonly messages: ReadonlyArray<string>
  /** Whether the mobile plan is applied, by ICCID, where it was ever set. */
  readonly mobilePlans: ReadonlyArray<readonly [iccid: string, applied: boolean]>
}

/** A webhook as its receiver gets it. */
export interface ReceivedWebhook {
  readonly at: Instant
  readonly organizationId: string
  readonly body: string
}

export interface Simulated {
  readonly seed: number
  readonly start: Instant
  /** Two organizations with an inventory and a webhook endpoint each; stories commonly play in the first. */
  readonly organizationIds: readonly [string, string]
  /** The ICCIDs of an organization's inventory, in order of import. */
  readonly iccids: (organizationId: string) => ReadonlyArray<string>
  /** Runs a use case in the present process; one that stands still since a kill never ends it. */
  readonly use: <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.Effect<A, E>
  readonly now: Effect.Effect<Instant>
  /** To an instant, or by a span; everything due by then is done, in due order. Backwards is refused. */
  readonly advanceTo: (instant: Instant) => Effect.Effect<Instant, Error>
  readonly advanceBy: (millis: number) => Effect.Effect<Instant, Error>
  /** The next calls to the telco, `times` of them, meet this fault; null: none does. */
  readonly setFault: (fault: Fault | null, times: number) => Effect.Effect<void>
  readonly telco: Effect.Effect<TelcoBooks>
  /** From its `commits`th commit on the process stands still, before it or after it, as if killed there. */
  readonly kill: (at: { readonly commits: number; readonly when: "before" | "after" }) => Effect.Effect<void>
  /** Another process on the same storage and telco. */
  readonly restart: Effect.Effect<void, StorageError>
  readonly webhooks: Effect.Effect<ReadonlyArray<ReceivedWebhook>>
  readonly storage: Storage["Service"]
}
