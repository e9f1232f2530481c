/**
 * What a request reads, where that is much more than it answers (rule W10): the attachments of a subscription with their
 * texts, its body, and the rows that a filter goes over. Whoever charges for requests gives each a meter; without one nothing is counted.
 */
import { Context, Effect } from "effect"
import * as SubscriptionSize from "../../domain/SubscriptionSize.ts"
import type { WithPackages } from "../../domain/Attachment.ts"

/** What a request has read so far. */
export interface Meter {
  /** Bytes, roughly. */
  bytes: number
}

/** The meter of the request that the running fiber serves: `Effect.provideService(request, ReadCost.Current, { bytes: 0 })`. */
export const Current = Context.Reference<Meter | null>("simplan/ReadCost/Current", { defaultValue: () => null })

/** Counts bytes that were read. */
export const bytes = (read: number): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const meter = fiber.getRef(Current)
    if (meter !== null) meter.bytes += read
    return Effect.void
  })

/** Counts attachments that were read. */
export const attachments = (read: ReadonlyArray<WithPackages>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const meter = fiber.getRef(Current)
    if (meter !== null) for (const of of read) meter.bytes += SubscriptionSize.ofStored(of)
    return Effect.void
  })

/** What a row costs that a filter scans: 512 of them as much as 64 KiB. */
const ROW = 128

/** Counts rows that were scanned. */
export const rows = (scanned: number): Effect.Effect<void> => bytes(scanned * ROW)
