/**
 * What the books say, put together for `TelcoSimulator`.
 */
import { Effect } from "effect"
import type { Records } from "./Records.ts"
import type { TelcoSimulator } from "./TelcoSimulator.ts"

type Inspection = Pick<
  TelcoSimulator["Service"],
  "packages" | "spentKeys" | "messages" | "mobilePlans" | "releasedProfiles"
>

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
    const suspended = keys(yield* records.suspensions.all)
    const cancelled = keys(yield* records.cancellations.all)
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
    const cancelled = keys(yield* records.cancellations.all)
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
