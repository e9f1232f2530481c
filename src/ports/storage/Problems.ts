/**
 * The storage port's reads of jobs that the telco refuses again and again.
 */
import type { Job } from "../../domain/Job.ts"
import type { CreatedCursor, Keyset, Read } from "./Read.ts"

export interface Problems {
  /** The jobs of `Job.isProblem`, of all organizations, by creation and id, ascending. */
  readonly page: (query: Keyset<CreatedCursor>) => Read<ReadonlyArray<Job>>
  /** How many there are, counted up to 10,000. */
  readonly count: Read<number>
}
