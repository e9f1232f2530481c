/**
 * The storage port's reads of jobs that have ended in refusals (rule S6).
 */
import type { Job } from "../../domain/Job.ts"
import type { CreatedCursor, Keyset, Read } from "./Read.ts"

export interface Problems {
  /** The jobs that have ended, of all organizations, by creation and id, ascending. */
  readonly page: (query: Keyset<CreatedCursor>) => Read<ReadonlyArray<Job>>
  /** How many there are, counted up to 10,000. */
  readonly count: Read<number>
}
