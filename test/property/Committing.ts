/**
 * Commits decisions about one SIM in memory, as a storage would, and keeps the jobs that they
 * create.
 */
import type { Decision, NewJob } from "../../src/domain/Decision.ts"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import * as SimDifference from "../../src/domain/SimDifference.ts"

export interface Kept {
  readonly aggregate: SimAggregate
  /** By id: the same work cannot be stored twice. */
  readonly jobs: ReadonlyMap<string, NewJob>
}

/**
 * The state after a decision. A deleted subscription is not part of the SIM's aggregate any more.
 */
export const commit = (kept: Kept, { jobs = [], sim }: Decision): Kept => ({
  aggregate: sim === undefined ? kept.aggregate : SimDifference.applied(kept.aggregate, SimDifference.difference(sim)),
  jobs: new Map([...kept.jobs, ...jobs.map((job) => [job.jobId, job] as const)])
})

/** The earliest job that is due at `now`, and the state without that job. */
export const claim = (kept: Kept, now: number): { readonly job: NewJob; readonly rest: Kept } | undefined => {
  const [job] = [...kept.jobs.values()].filter(({ dueAt }) => dueAt <= now).sort((a, b) => a.dueAt - b.dueAt)
  if (job === undefined) return undefined
  return { job, rest: { ...kept, jobs: new Map([...kept.jobs].filter(([id]) => id !== job.jobId)) } }
}
