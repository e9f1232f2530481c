/**
 * What commits have changed of the things that processes keep in memory or wait for, so that those can be told.
 */
import type { Instant } from "../domain/Time.ts"
import type { Commit } from "./Storage.ts"

export interface Changes {
  /** The earliest due time of the jobs that anyone may now do; null where there are none. */
  readonly jobsDueAt: Instant | null
  /** The earliest next attempt of the deliveries that anyone may now make; null where there are none. */
  readonly deliveriesDueAt: Instant | null
  readonly apiKeys: boolean
  readonly catalogue: boolean
}

export const nothing: Changes = { jobsDueAt: null, deliveriesDueAt: null, apiKeys: false, catalogue: false }

/** What may have happened while nothing could be heard. */
export const anything: Changes = {
  jobsDueAt: Number.NEGATIVE_INFINITY,
  deliveriesDueAt: Number.NEGATIVE_INFINITY,
  apiKeys: true,
  catalogue: true
}

const earliest = (instants: ReadonlyArray<Instant | null>): Instant | null =>
  instants.reduce((first, instant) => (first === null || (instant !== null && instant < first) ? instant : first), null)

/** Both together. */
export const and = (left: Changes, right: Changes): Changes => ({
  jobsDueAt: earliest([left.jobsDueAt, right.jobsDueAt]),
  deliveriesDueAt: earliest([left.deliveriesDueAt, right.deliveriesDueAt]),
  apiKeys: left.apiKeys || right.apiKeys,
  catalogue: left.catalogue || right.catalogue
})

const some = (rows: ReadonlyArray<unknown> | undefined): boolean => rows !== undefined && rows.length > 0

/** What a commit changes. */
export const of = ({ apiKeys, catalogue, deliveries, events, jobs }: Commit): Changes => ({
  jobsDueAt: earliest([
    ...(jobs?.put ?? []).filter(({ lease }) => lease === null).map(({ job }) => job.dueAt),
    ...(jobs?.retried ?? []).map(({ dueAt }) => dueAt)
  ]),
  deliveriesDueAt: earliest([
    ...(events ?? []).map(({ createdAt }) => createdAt),
    ...(deliveries?.settled ?? []).map(({ delivery }) => delivery.nextAttemptAt),
    ...(deliveries?.replayed ?? []).map(({ nextAttemptAt }) => nextAttemptAt)
  ]),
  apiKeys: some(apiKeys),
  catalogue: catalogue !== undefined
})

export const isNothing = (changes: Changes): boolean =>
  changes.jobsDueAt === null && changes.deliveriesDueAt === null && !changes.apiKeys && !changes.catalogue
