/**
 * What a test can read in the simulator's books. Lists are in the order in which things happened first; nothing that
 * was refused is in them.
 */
import { Effect } from "effect"
import type { Telco } from "simplan/ports"
import type { BooksError } from "./Books.ts"
import type { Records } from "./Records.ts"

/** A package that the simulator has made. */
export interface SimulatedPackage {
  /** `<attachment id>:<occurrence>`, the key of the order. */
  readonly packageId: string
  /** What the order was answered with; reports may name the package by it. */
  readonly telcoPackageId: string
  /** The SIM that it is on. */
  readonly iccid: string
  /** `suspended` and `cancelled` are final. */
  readonly status: "active" | "suspended" | "cancelled"
  /** As ordered. Null: from the first use. */
  readonly window: Telco.PackageOrder["window"]
  /** The supply tier of the terms that were ordered. */
  readonly label: string
  /** The allowance that was ordered; a MB has 1,048,576 bytes (rule T1). */
  readonly dataMegaBytes: number
  /** The validity that was ordered, in days of 24 h. */
  readonly periodDays: number
}

/** An SMS that the simulator has sent. */
export interface SimulatedMessage {
  /** What it was sent once by. */
  readonly messageId: string
  /** The SIM that it went to. */
  readonly iccid: string
  /** The sender, as it was asked for. */
  readonly from: string
  /** The whole text, however many segments it takes. */
  readonly text: string
}

/** Reads of the books. Each fails with `BooksError` where the storage of the books does. */
export interface Inspection {
  /** Suspended and cancelled ones are among them. */
  readonly packages: Effect.Effect<ReadonlyArray<SimulatedPackage>, BooksError>
  /** The keys that were cancelled before a package came for them. */
  readonly spentKeys: Effect.Effect<ReadonlyArray<string>, BooksError>
  /** Every SMS that was sent, each id once. */
  readonly messages: Effect.Effect<ReadonlyArray<SimulatedMessage>, BooksError>
  /** Whether the mobile plan is applied, by ICCID; only those for which it was ever set. */
  readonly mobilePlans: Effect.Effect<ReadonlyMap<string, boolean>, BooksError>
  /** The ICCID of each release of a profile. */
  readonly releasedProfiles: Effect.Effect<ReadonlyArray<string>, BooksError>
}

interface Kept {
  readonly key: string
  readonly record: { readonly refusal: string | null }
}

const granted = <A extends Kept>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.filter(({ record }) => record.refusal === null)

const keys = (all: ReadonlyArray<Kept>): ReadonlySet<string> => new Set(granted(all).map(({ key }) => key))

/** Reads the books anew each time. */
export const make = (records: Records): Inspection => ({
  packages: Effect.gen(function* () {
    const packages = granted(yield* records.packages.all)
    const suspended = keys(yield* records.suspensions.done.all)
    const cancelled = keys(yield* records.cancellations.done.all)
    return packages.map(({ key, record: { dataMegaBytes, iccid, label, periodDays, telcoPackageId, window } }) => ({
      packageId: key,
      telcoPackageId,
      iccid,
      status: cancelled.has(key) ? "cancelled" : suspended.has(key) ? "suspended" : "active",
      window,
      label,
      dataMegaBytes,
      periodDays
    }))
  }),
  spentKeys: Effect.gen(function* () {
    const created = keys(yield* records.packages.all)
    const cancelled = keys(yield* records.cancellations.done.all)
    return [...cancelled].filter((key) => !created.has(key))
  }),
  messages: Effect.map(records.messages.all, (all) =>
    granted(all).map(({ key, record: { from, iccid, text } }) => ({ messageId: key, iccid, from, text }))
  ),
  mobilePlans: Effect.map(
    records.mobilePlanChanges.all,
    (all) => new Map(granted(all).map(({ record }) => [record.iccid, record.applied]))
  ),
  releasedProfiles: Effect.map(records.releases.all, (all) => granted(all).map(({ record }) => record.iccid))
})
