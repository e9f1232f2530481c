/**
 * The storage port's read of jobs. They are handed out by the jobs port.
 */
import type { Job } from "../../domain/Job.ts"
import type { Read } from "./Read.ts"

export interface Jobs {
  /** The job of that id, whether it waits, is held or has ended in refusals; null if it is done, or never was. */
  readonly get: (jobId: string) => Read<Job | null>
}
