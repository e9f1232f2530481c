/**
 * The storage port's read of jobs. They are handed out by the jobs port.
 */
import type { Job, WaitingCount, WaitingFilter, WaitingJob } from "../../domain/Job.ts"
import type { Filtered, FilteredKeyset, Read } from "./Read.ts"

export type { WaitingFilter } from "../../domain/Job.ts"

export interface Jobs {
  /** The job of that id, whether it waits, is held or has ended in refusals; null if it is done, or never was. */
  readonly get: (jobId: string) => Read<Job | null>
  /** Those that wait for their next try (`Job.isWaiting`), of all organizations, by creation and id, ascending. */
  readonly waiting: (query: FilteredKeyset & WaitingFilter) => Read<Filtered<WaitingJob>>
  /** The first 10,000 of those by creation, counted by kind and reason (`Job.waitingCounts`). */
  readonly waitingCounts: Read<ReadonlyArray<WaitingCount>>
}
