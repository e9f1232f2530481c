/**
 * Jobs: putting, finishing and giving back, and handing them out under a lease.
 */
import type { Job, Jobs, Storage } from "simplan"
import * as Claims from "./Claims.ts"
import type { JobRow, Tables } from "./Tables.ts"

const replace = (tables: Tables, known: JobRow, row: JobRow): void => {
  tables.jobQueue.remove(known)
  tables.jobs.set(row.job.jobId, row)
  tables.jobQueue.add(row)
}

/** Stores a job unless one of its id is there. */
export const put = (tables: Tables, row: JobRow): void => {
  if (tables.jobs.has(row.job.jobId)) return
  tables.jobs.set(row.job.jobId, row)
  tables.jobQueue.add(row)
}

export const finish = (tables: Tables, jobId: string): void => {
  const known = tables.jobs.get(jobId)
  if (known === undefined) return
  tables.jobQueue.remove(known)
  tables.jobs.delete(jobId)
}

export const retry = (tables: Tables, jobId: string, changes: Pick<Job.Job, "dueAt" | "attempts">): void => {
  const known = tables.jobs.get(jobId)
  if (known === undefined) return
  const job = { ...known.job, dueAt: changes.dueAt, attempts: changes.attempts }
  replace(tables, known, { job, lease: null })
}

const known = ({ job: { dueAt, jobId, organizationId } }: JobRow): Claims.Known => ({
  dueAt,
  id: jobId,
  laneId: organizationId,
  organizationId
})

export const claim = (tables: Tables, claim: Jobs.Claim): ReadonlyArray<Job.Job> => {
  const due = Claims.chosen(tables.jobQueue, known, claim)
  const lease: Storage.Lease = { token: claim.token, until: claim.until }
  for (const row of due) replace(tables, row, { job: row.job, lease })
  return due.map((row) => row.job)
}

export const renew = (tables: Tables, { held, until }: Jobs.Renewal): void => {
  for (const { jobId, token } of held) {
    const known = tables.jobs.get(jobId)
    if (known?.lease?.token === token) replace(tables, known, { job: known.job, lease: { token, until } })
  }
}

export const pending = (tables: Tables, at: Jobs.LookedFor): Jobs.Pending => Claims.pending(tables.jobQueue, known, at)

export const lanes = (tables: Tables, at: Jobs.LanesAsked): Jobs.Lanes => Claims.lanes(tables.jobQueue, known, at)

export const release = (tables: Tables, { now }: { readonly now: number }): void => {
  for (const row of tables.jobQueue.leased()) {
    if (row.job.dueAt <= now) replace(tables, row, { job: row.job, lease: null })
  }
}

export const handBack = (tables: Tables, held: ReadonlyArray<Jobs.Held>): void => {
  for (const { jobId, token } of held) {
    const known = tables.jobs.get(jobId)
    if (known?.lease?.token === token) replace(tables, known, { job: known.job, lease: null })
  }
}

/** Nothing waits for a count in memory, so it has no bound. */
export const backlog = (tables: Tables, at: { readonly now: number; readonly machineNow: number }): Jobs.Backlog => {
  let due = 0
  let oldestDueAt: number | null = null
  for (const { job } of tables.jobQueue.open(at.machineNow)) {
    if (job.dueAt > at.now) break
    due += 1
    oldestDueAt ??= job.dueAt
  }
  return { due, held: Claims.heldCount(tables.jobQueue, known, at), oldestDueAt }
}
