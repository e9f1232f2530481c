/**
 * Commits that may go as one: an adapter that pays by the statement can write those of several callers together.
 *
 * The union of commits that touch nothing in common writes what each of them writes, guards what each of them guards,
 * and happens as a whole or not at all: where it fails with a `Conflict`, each is to be tried on its own.
 */
import type { Commit, LoadedPlan } from "./storage/Commit.ts"

// Rare, and with a say in what else a commit may have, or in more than the rows they name.
const alone = [
  "organizations",
  "apiKeys",
  "webhookEndpoints",
  "plans",
  "regions",
  "removedSubscriptions",
  "removedAttachments",
  "catalogue",
  "clock"
] as const satisfies ReadonlyArray<keyof Commit>

/** What the commit touches; two that have a key in common cannot go as one. Null: it goes with no other. */
export const keys = (commit: Commit): ReadonlyArray<string> | null => {
  if (alone.some((part) => commit[part] !== undefined)) return null
  const found: Array<string> = []
  for (const { iccid } of commit.sims ?? []) found.push(`sim ${iccid}`)
  for (const { iccid } of commit.touched ?? []) found.push(`sim ${iccid}`)
  for (const { iccid } of commit.confirmed ?? []) found.push(`sim ${iccid}`)
  for (const { iccid } of commit.reported?.sims ?? []) found.push(`sim ${iccid}`)
  for (const { organizationId, reportId } of commit.seenReports ?? [])
    found.push(`report ${organizationId} ${reportId}`)
  const { deliveries, idempotency, jobs } = commit
  for (const { record } of idempotency?.put ?? []) found.push(`key ${record.organizationId} ${record.key}`)
  for (const { key, organizationId } of idempotency?.settled ?? []) found.push(`key ${organizationId} ${key}`)
  for (const { key, organizationId } of idempotency?.forgotten ?? []) found.push(`key ${organizationId} ${key}`)
  for (const { job } of jobs?.put ?? []) found.push(`job ${job.jobId}`)
  for (const { jobId } of jobs?.finished ?? []) found.push(`job ${jobId}`)
  for (const { jobId } of jobs?.retried ?? []) found.push(`job ${jobId}`)
  for (const { delivery } of deliveries?.settled ?? []) {
    found.push(`delivery ${delivery.organizationId} ${delivery.deliveryId}`)
  }
  for (const { deliveryId, organizationId } of deliveries?.replayed ?? []) {
    found.push(`delivery ${organizationId} ${deliveryId}`)
  }
  return found
}

/** How many rows the commit names, roughly. */
export const size = (commit: Commit): number => {
  const { events = [], packages = [], reported: { sims: reported = [] } = {}, sims = [], smdpEntries = [] } = commit
  return (
    1 +
    sims.length +
    (commit.touched ?? []).length +
    (commit.confirmed ?? []).length +
    2 * reported.length +
    packages.length +
    events.length +
    smdpEntries.length
  )
}

const joined = <A>(
  commits: ReadonlyArray<Commit>,
  rows: (commit: Commit) => ReadonlyArray<A> | undefined
): ReadonlyArray<A> => commits.flatMap((commit) => rows(commit) ?? [])

/** What several rest on is named once, but for versions that cannot both be right. */
const plansAsLoaded = (commits: ReadonlyArray<Commit>): ReadonlyArray<LoadedPlan> => {
  const found = new Map<string, LoadedPlan>()
  for (const commit of commits) {
    for (const plan of commit.plansAsLoaded ?? []) {
      found.set(`${plan.organizationId} ${plan.planId} ${plan.version}`, plan)
    }
  }
  return [...found.values()]
}

/** The commits as one. Their keys have nothing in common. */
export const merged = (commits: ReadonlyArray<Commit>): Commit => ({
  sims: joined(commits, (commit) => commit.sims),
  touched: joined(commits, (commit) => commit.touched),
  confirmed: joined(commits, (commit) => commit.confirmed),
  plansAsLoaded: plansAsLoaded(commits),
  subscriptions: joined(commits, (commit) => commit.subscriptions),
  attachments: joined(commits, (commit) => commit.attachments),
  packages: joined(commits, (commit) => commit.packages),
  reported: {
    sims: joined(commits, (commit) => commit.reported?.sims),
    attachments: joined(commits, (commit) => commit.reported?.attachments),
    packages: joined(commits, (commit) => commit.reported?.packages)
  },
  smdpEntries: joined(commits, (commit) => commit.smdpEntries),
  seenReports: joined(commits, (commit) => commit.seenReports),
  idempotency: {
    put: joined(commits, (commit) => commit.idempotency?.put),
    settled: joined(commits, (commit) => commit.idempotency?.settled),
    forgotten: joined(commits, (commit) => commit.idempotency?.forgotten)
  },
  events: joined(commits, (commit) => commit.events),
  jobs: {
    put: joined(commits, (commit) => commit.jobs?.put),
    finished: joined(commits, (commit) => commit.jobs?.finished),
    retried: joined(commits, (commit) => commit.jobs?.retried)
  },
  deliveries: {
    settled: joined(commits, (commit) => commit.deliveries?.settled),
    replayed: joined(commits, (commit) => commit.deliveries?.replayed)
  }
})
