/**
 * A commit: one statement in one round trip, made of the clauses that the commit needs.
 *
 * Each difference of a SIM, and of what hangs on it, is written by the statement for the columns that it changes. There are
 * few such statements and their texts are fixed, so that PostgreSQL plans each one once.
 */
import { type Attachment, Changes, type Package, SimDifference, type Storage, type Subscription } from "simplan/ports"
import { Effect } from "effect"
import type { Database, Sql } from "../database/Database.ts"
import type { CommitClause } from "../sql/CommitClause.ts"
import * as Attachments from "../statements/sims/Attachments.ts"
import * as SimWrites from "../statements/sims/SimWrites.ts"
import * as Subscriptions from "../statements/sims/Subscriptions.ts"
import * as Batching from "../database/Batching.ts"
import * as HostConnection from "../database/HostConnection.ts"
import type * as Notifications from "../database/Notifications.ts"
import * as ApiKeys from "../statements/ApiKeys.ts"
import * as AuditEntries from "../statements/AuditEntries.ts"
import * as Commands from "../statements/Commands.ts"
import * as Deliveries from "../queue/Deliveries.ts"
import * as EventHandlers from "../statements/EventHandlers.ts"
import * as Events from "../statements/Events.ts"
import * as Idempotency from "../statements/Idempotency.ts"
import * as JobQueue from "../queue/JobQueue.ts"
import * as Organizations from "../statements/Organizations.ts"
import * as Plans from "../statements/Plans.ts"
import * as Regions from "../statements/Regions.ts"
import * as Reports from "../statements/Reports.ts"
import * as ServiceState from "../statements/ServiceState.ts"
import * as WebhookEndpoints from "../statements/WebhookEndpoints.ts"

type Difference = SimDifference.Difference
type SimField = SimDifference.SimField

const usage = new Set<SimField>(["downloaded", "lastActivityAt"])
const reported = new Set<SimField>([...usage, "smdp", "location"])
const notified = new Set<SimDifference.AttachmentField>(["anchor", "lastThresholdNotified"])
const allocation = new Set<SimField>(["allocation", "recycledAt"])

const isWithin = <Field>(fields: ReadonlyArray<Field>, set: ReadonlySet<Field>): boolean =>
  fields.every((field) => set.has(field))

/** The rows of a difference that only confirms one attachment and puts its SIM into service; null for any other one. */
const provisioned = ({ attachments, sim, subscriptions }: Difference): SimWrites.Provisioned | null => {
  const { allocation, iccid, organizationId, version } = sim.row
  const [attachment] = attachments.changed
  const [subscription] = subscriptions.changed
  if (attachment === undefined || allocation?._tag !== "InService" || attachments.changed.length > 1) return null
  const apart = [attachments.added, attachments.removed, subscriptions.added, subscriptions.removed]
  if (apart.some(({ length }) => length > 0)) return null
  const { attachmentId, confirmed } = attachment.row
  const isConfirmed = confirmed && attachment.fields.every((field) => field === "confirmed")
  const isLive = subscription === undefined || subscription.row.status === "Live"
  if (!isConfirmed || !isLive || sim.fields.some((field) => field !== "allocation")) return null
  return { organizationId, iccid, version, subscriptionId: allocation.subscriptionId, attachmentId }
}

/** The SIMs by the statement that writes them. */
const simClauses = (
  sql: Sql,
  sims: ReadonlyArray<Difference["sim"]>,
  confirmed: ReadonlyArray<SimWrites.Provisioned>
): ReadonlyArray<CommitClause> => {
  const isUse = sims.some(({ fields }) => fields.length > 0 && isWithin(fields, reported))
  let isReported = false
  const rows = {
    touched: [] as SimWrites.Row[],
    used: [] as SimWrites.Row[],
    allocated: [] as SimWrites.Row[],
    updated: [] as SimWrites.Row[]
  }
  for (const { fields, row } of sims) {
    if (fields.length === 0) {
      // A SIM that stays as it is goes along with those that were used, if its view has what that statement writes.
      rows[isUse && row.lastActivityAt !== undefined ? "used" : "touched"].push(row)
    } else if (isWithin(fields, reported)) {
      rows.used.push(row)
      if (!isWithin(fields, usage)) isReported = true
    } else rows[isWithin(fields, allocation) ? "allocated" : "updated"].push(row)
  }
  const { allocated, touched, updated, used } = rows
  const kinds = [touched, used, allocated, updated, confirmed].filter(({ length }) => length > 0)
  return [
    ...(kinds.length > 1 ? [SimWrites.lock(sql, kinds.flat())] : []),
    ...clause(sql, updated, SimWrites.update),
    ...clause(sql, allocated, SimWrites.allocate),
    ...clause(sql, touched, SimWrites.bumpVersion),
    ...clause(sql, confirmed, SimWrites.provision),
    ...clause(sql, used, isReported ? SimWrites.writeReported : SimWrites.use)
  ]
}

const clause = <A>(
  sql: Sql,
  rows: ReadonlyArray<A>,
  write: (sql: Sql, rows: ReadonlyArray<A>) => CommitClause
): ReadonlyArray<CommitClause> => (rows.length === 0 ? [] : [write(sql, rows)])

interface Clauses {
  /** The SIMs themselves, which guard the commit. */
  readonly sims: ReadonlyArray<CommitClause>
  /** The rows that hang on them. */
  readonly rows: ReadonlyArray<CommitClause>
}

const simChangeClauses = (sql: Sql, changes: ReadonlyArray<SimDifference.SimChange>): Clauses => {
  if (changes.length === 0) return { sims: [], rows: [] }
  const sims: Array<Difference["sim"]> = []
  const confirmed: Array<SimWrites.Provisioned> = []
  const subscriptions = {
    added: [] as Subscription.Subscription[],
    changed: [] as Subscription.Subscription[],
    removed: [] as Subscription.Subscription[]
  }
  const attachments = {
    added: [] as Attachment.Attachment[],
    changed: [] as SimDifference.AttachmentState[],
    removed: [] as SimDifference.AttachmentState[]
  }
  const packages = { added: [] as Package.Package[], changed: [] as Package.Package[] }
  let isNotified = true
  for (const change of changes) {
    const found = SimDifference.difference(change)
    packages.added.push(...found.packages.added)
    for (const { row } of found.packages.changed) packages.changed.push(row)
    const one = provisioned(found)
    if (one !== null) {
      confirmed.push(one)
      continue
    }
    sims.push(found.sim)
    subscriptions.added.push(...found.subscriptions.added)
    for (const { row } of found.subscriptions.changed) subscriptions.changed.push(row)
    subscriptions.removed.push(...found.subscriptions.removed)
    attachments.added.push(...found.attachments.added)
    for (const { fields, row } of found.attachments.changed) {
      attachments.changed.push(row)
      isNotified &&= isWithin(fields, notified)
    }
    attachments.removed.push(...found.attachments.removed)
  }
  return {
    sims: simClauses(sql, sims, confirmed),
    rows: [
      ...clause(sql, subscriptions.added, Subscriptions.insert),
      ...clause(sql, subscriptions.changed, Subscriptions.changeStatus),
      ...clause(sql, attachments.added, Attachments.insert),
      ...clause(sql, attachments.changed, isNotified ? Attachments.notify : Attachments.update),
      ...clause(sql, packages.added, Attachments.insertPackages),
      ...clause(sql, packages.changed, Attachments.usePackages),
      ...clause(sql, subscriptions.removed, Subscriptions.remove),
      ...clause(sql, attachments.removed, Attachments.remove)
    ]
  }
}

type Part<A> = (sql: Sql, rows: ReadonlyArray<A>, database: Database) => CommitClause

// The order is that in which every commit locks: guards of many rows first, and what hangs on them after.
const parts = (database: Database, sql: Sql, commit: Storage.Commit): ReadonlyArray<CommitClause> => {
  const some = <A>(rows: ReadonlyArray<A> | undefined, part: Part<A>): ReadonlyArray<CommitClause> =>
    rows === undefined || rows.length === 0 ? [] : [part(sql, rows, database)]
  const { rows, sims } = simChangeClauses(sql, commit.sims ?? [])
  return [
    ...some(commit.organizations, Organizations.put),
    ...some(commit.idempotency?.put, Idempotency.put),
    ...some(commit.idempotency?.settled, Idempotency.settle),
    ...some(commit.idempotency?.forgotten, Idempotency.forget),
    ...some(commit.commands?.put, Commands.put),
    ...some(commit.commands?.settled, Commands.settle),
    ...some(commit.apiKeys, ApiKeys.put),
    ...some(commit.webhookEndpoints, WebhookEndpoints.put),
    ...some(commit.plans, Plans.put),
    ...some(commit.unchangedPlans, Plans.unchanged),
    ...some(commit.regions, Regions.add),
    ...sims,
    ...some(commit.jobs?.finished, JobQueue.finish),
    ...some(commit.jobs?.retried, JobQueue.retry),
    ...some(commit.jobs?.hastened, JobQueue.hasten),
    ...some(commit.jobs?.reopened, JobQueue.reopen),
    ...some(commit.jobs?.resolved, JobQueue.resolve),
    ...some(commit.jobs?.cancelled, JobQueue.cancel),
    ...some(commit.jobs?.put, JobQueue.put),
    ...rows,
    ...some(commit.reports?.smdpEntries, Reports.addEntries),
    ...some(commit.reports?.seen, Reports.putSeen),
    ...some(commit.events, Events.add),
    ...some(commit.eventHandlers?.put, EventHandlers.put),
    ...some(commit.eventHandlers?.removed, EventHandlers.remove),
    ...some(commit.deliveries?.settled, Deliveries.settle),
    ...some(commit.deliveries?.replayed, Deliveries.replay),
    ...some(commit.auditEntries, AuditEntries.add),
    ...(commit.catalogue === undefined ? [] : [ServiceState.putCatalogue(sql, commit.catalogue)]),
    ...(commit.clock === undefined ? [] : [ServiceState.putClock(sql, commit.clock)])
  ]
}

const one = (database: Database) => (commit: Storage.Commit) =>
  database.commit((sql) => {
    const all = parts(database, sql, commit)
    if (all.length === 0) return Effect.void
    const ctes = sql.csv(all.flatMap((part) => part.ctes))
    return sql`with ${ctes} select ${sql.csv(all.map((part) => part.outcome))}`
  })

/**
 * Writes commits, several of them as one statement where the fast path is on, and then notifies others of what has changed.
 * Nothing has changed for others before the transaction of the host has committed.
 */
export const run = (
  database: Database,
  { notice, publish }: Pick<Notifications.Notifications, "notice" | "publish">
): Batching.Write => {
  const write = one(database)
  const written = database.fastPaths.batchedCommits ? Batching.commits(database, write) : write
  return (commit) =>
    Effect.tap(
      written(commit),
      Effect.flatMap(HostConnection.Current, (host) => {
        const changes = Changes.of(commit)
        if (Changes.isNothing(changes)) return Effect.void
        return host === null || notice === null
          ? database.afterCommit(Effect.sync(() => publish(changes)))
          : database.write(notice(changes))
      })
    )
}
