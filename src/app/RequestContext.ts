/**
 * The request that the running fiber serves: where it comes from (rule W11), and what it has read
 * (rule W10). The edge that takes requests sets it: the HTTP API does, and a host that embeds the
 * services can. It changes nothing that a use case does. It lets logs and records name where a
 * change came from, and the edge charge for what a request reads.
 */
import { Context, Effect } from "effect"
import type { WithPackages } from "../domain/Attachment.ts"
import * as Subscription from "../domain/Subscription.ts"

/** What is known of the request that the fiber serves. */
export interface RequestContext {
  /** The id under which answers, logs and records name the request; null without a request. */
  readonly requestId: string | null
  /** The caller's network address; null if it is unknown. */
  readonly address: string | null
  /** Who asks, as `Origin.actor` in audit entries has it; `host` by default. */
  readonly actor?: string
  /**
   * Why, as audit entries of the request keep it; at most `TextLimit.REASON` characters that
   * storages can keep.
   */
  readonly reason?: string | null
  /** Counts what the request reads; absent if nothing is counted. */
  readonly meter?: Meter
}

const none: RequestContext = { requestId: null, address: null }

/**
 * The request that the running fiber serves: `Effect.provideService(useCase,
 * RequestContext.Current, request)`.
 */
export const Current = Context.Reference<RequestContext>("simplan/RequestContext/Current", {
  defaultValue: () => none
})

/**
 * What a request has read, if that is much more than it answers: the attachments of a
 * subscription with their texts, its body, the rows that a filter goes over, and the time of heavy
 * reads.
 */
export interface Meter {
  /** Bytes, roughly. */
  bytes: number
  /** Milliseconds that heavy reads took the storage. */
  millis: number
  /** Gives back the room that the request has for what it reads; absent: it has none. */
  leaveRoom?: () => void
}

/** Counts bytes that were read. */
export const countBytes = (read: number): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const { meter } = fiber.getRef(Current)
    if (meter !== undefined) meter.bytes += read
    return Effect.void
  })

/**
 * Counts the time that a heavy read took the storage, in milliseconds; also of one that was
 * stopped.
 */
export const countMillis = (millis: number): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const { meter } = fiber.getRef(Current)
    if (meter !== undefined) meter.millis += millis
    return Effect.void
  })

/**
 * Gives back the room that the request has for what it reads: a heavy read is bounded by the turns
 * of such reads, and holds up no other read while it waits for its own.
 */
export const leaveRoom: Effect.Effect<void> = Effect.withFiber((fiber) => {
  fiber.getRef(Current).meter?.leaveRoom?.()
  return Effect.void
})

/** Counts attachments that were read. */
export const countAttachments = (read: ReadonlyArray<WithPackages>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const { meter } = fiber.getRef(Current)
    if (meter !== undefined) for (const of of read) meter.bytes += Subscription.storedSizeOf(of)
    return Effect.void
  })

/** What a row costs that a filter scans: 512 of them as much as 64 KiB. */
const ROW = 128

/** Counts rows that were scanned. */
export const countRows = (scanned: number): Effect.Effect<void> => countBytes(scanned * ROW)
