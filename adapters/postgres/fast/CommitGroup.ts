/**
 * Commits that may go as one: an adapter that pays by the statement can write those of several callers together.
 *
 * The union of commits that touch nothing in common writes what each of them writes, guards what each of them guards,
 * and happens as a whole or not at all: where it fails with a `Conflict`, each is to be tried on its own.
 */
import type { Storage } from "simplan/ports"

type Commit = Storage.Commit

// Rare, and with a say in what else a commit may have, or in more than the rows they name.
const alone = [
  "organizations",
  "apiKeys",
  "webhookEndpoints",
  "eventHandlers",
  "plans",
  "regions",
  "catalogue",
  "clock"
] as const satisfies ReadonlyArray<keyof Commit>

/** The keys of the rows that the commit writes: two commits with a key in common cannot go as one. Null: it goes alone. */
export const keys = (commit: Commit): ReadonlyArray<string> | null => {
  if (alone.some((part) => commit[part] !== undefined)) return null
  const found: Array<string> = []
  for (const { next } of commit.sims ?? []) found.push(`sim ${next.sim.iccid}`)
  for (const { organizationId, reportId } of commit.reports?.seen ?? [])
    found.push(`report ${organizationId} ${reportId}`)
  const { commands, deliveries, idempotency, jobs } = commit
  for (const { commandId, organizationId } of [...(commands?.put ?? []), ...(commands?.settled ?? [])]) {
    found.push(`command ${organizationId} ${commandId}`)
  }
  for (const { record } of idempotency?.put ?? []) found.push(`key ${record.organizationId} ${record.key}`)
  for (const { key, organizationId } of idempotency?.settled ?? []) found.push(`key ${organizationId} ${key}`)
  for (const { key, organizationId } of idempotency?.forgotten ?? []) found.push(`key ${organizationId} ${key}`)
  for (const { job } of jobs?.put ?? []) found.push(`job ${job.jobId}`)
  for (const { jobId } of jobs?.finished ?? []) found.push(`job ${jobId}`)
  for (const { jobId } of jobs?.retried ?? []) found.push(`job ${jobId}`)
  for (const { jobId } of jobs?.hastened ?? []) found.push(`job ${jobId}`)
  for (const { jobId } of jobs?.reopened ?? []) found.push(`job ${jobId}`)
  for (const { jobId } of jobs?.resolved ?? []) found.push(`job ${jobId}`)
  for (const jobId of jobs?.cancelled ?? []) found.push(`job ${jobId}`)
  for (const { delivery } of deliveries?.settled ?? []) {
    found.push(`delivery ${delivery.organizationId} ${delivery.deliveryId}`)
  }
  for (const { deliveryId, organizationId } of deliveries?.replayed ?? []) {
    found.push(`delivery ${organizationId} ${deliveryId}`)
  }
  return found
}

/** How many rows the commit writes, roughly: a SIM and one that hangs on it for each change. */
export const size = ({ events = [], reports = {}, sims = [] }: Commit): number =>
  1 + 2 * sims.length + events.length + (reports.smdpEntries ?? []).length

const none: ReadonlyArray<never> = []

const joined = <A>(
  commits: ReadonlyArray<Commit>,
  rows: (commit: Commit) => ReadonlyArray<A> | undefined
): ReadonlyArray<A> => {
  const all: Array<A> = []
  for (const commit of commits) for (const row of rows(commit) ?? none) all.push(row)
  return all
}

/** A plan that several commits rely on is named once for each version: two versions cannot both be stored. */
const unchangedPlans = (commits: ReadonlyArray<Commit>): ReadonlyArray<Storage.PlanVersion> => {
  const found = new Map<string, Storage.PlanVersion>()
  for (const plan of joined(commits, (commit) => commit.unchangedPlans)) {
    found.set(`${plan.organizationId} ${plan.planId} ${plan.version}`, plan)
  }
  return [...found.values()]
}

/** The commits as one. Their keys have nothing in common. */
export const merged = (commits: ReadonlyArray<Commit>): Commit => ({
  sims: joined(commits, (commit) => commit.sims),
  unchangedPlans: unchangedPlans(commits),
  reports: {
    smdpEntries: joined(commits, (commit) => commit.reports?.smdpEntries),
    seen: joined(commits, (commit) => commit.reports?.seen)
  },
  idempotency: {
    put: joined(commits, (commit) => commit.idempotency?.put),
    settled: joined(commits, (commit) => commit.idempotency?.settled),
    forgotten: joined(commits, (commit) => commit.idempotency?.forgotten)
  },
  commands: {
    put: joined(commits, (commit) => commit.commands?.put),
    settled: joined(commits, (commit) => commit.commands?.settled)
  },
  events: joined(commits, (commit) => commit.events),
  jobs: {
    put: joined(commits, (commit) => commit.jobs?.put),
    finished: joined(commits, (commit) => commit.jobs?.finished),
    retried: joined(commits, (commit) => commit.jobs?.retried),
    hastened: joined(commits, (commit) => commit.jobs?.hastened),
    reopened: joined(commits, (commit) => commit.jobs?.reopened),
    resolved: joined(commits, (commit) => commit.jobs?.resolved),
    cancelled: joined(commits, (commit) => commit.jobs?.cancelled)
  },
  deliveries: {
    settled: joined(commits, (commit) => commit.deliveries?.settled),
    replayed: joined(commits, (commit) => commit.deliveries?.replayed)
  },
  auditEntries: joined(commits, (commit) => commit.auditEntries)
})
