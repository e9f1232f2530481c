/**
 * A commit: one statement in one round trip, made of the clauses that the commit needs.
 */
import { Changes, type Storage } from "simplan/ports"
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database, Sql } from "../database/Database.ts"
import * as Columns from "../sql/Columns.ts"
import * as StockStatements from "../statements/sims/StockStatements.ts"
import * as SimWrites from "../statements/sims/SimWrites.ts"
import * as Batching from "../database/Batching.ts"
import * as HostConnection from "../database/HostConnection.ts"
import type * as Notifications from "../database/Notifications.ts"
import * as AuditEntries from "../statements/AuditEntries.ts"
import * as Commands from "../statements/Commands.ts"
import * as Deliveries from "../queue/Deliveries.ts"
import * as Events from "../statements/Events.ts"
import * as Idempotency from "../statements/Idempotency.ts"
import * as JobQueue from "../queue/JobQueue.ts"
import * as Operators from "../statements/Operators.ts"
import * as LedgerStatements from "../statements/LedgerStatements.ts"
import * as OrganizationsStatements from "../statements/OrganizationsStatements.ts"
import * as PlansStatements from "../statements/PlansStatements.ts"
import * as ReportsStatements from "../statements/ReportsStatements.ts"
import * as UsageStatements from "../statements/UsageStatements.ts"
import * as ServiceState from "../statements/ServiceState.ts"
import * as WebhookEndpoints from "../statements/WebhookEndpoints.ts"

type Part<A> = (sql: Sql, rows: ReadonlyArray<A>, database: Database, ending?: string) => Columns.Clause

// The order is that in which every commit locks: guards of many rows first, and what hangs on them
// after.
const parts = (database: Database, sql: Sql, commit: Storage.Commit): ReadonlyArray<Columns.Clause> => {
  const some = <A>(rows: ReadonlyArray<A> | undefined, part: Part<A>): ReadonlyArray<Columns.Clause> =>
    rows === undefined || rows.length === 0 ? [] : [part(sql, rows, database)]
  // What asks whether a row is there asks it of one organization where tables are distributed.
  const ofEachOf = <A>(
    rows: ReadonlyArray<A> | undefined,
    ownerOf: (row: A) => string,
    part: Part<A>
  ): ReadonlyArray<Columns.Clause> => {
    if (!database.isDistributed) return some(rows, part)
    return Columns.ofEach(rows ?? [], ownerOf, (own, ending) => part(sql, own, database, ending))
  }
  const ofEach = <A extends { readonly organizationId: string }>(
    rows: ReadonlyArray<A> | undefined,
    part: Part<A>
  ): ReadonlyArray<Columns.Clause> => ofEachOf(rows, ({ organizationId }) => organizationId, part)
  const { rows, sims } = SimWrites.clauses(sql, commit.sims ?? [], database)
  return [
    ...some(commit.organizations, OrganizationsStatements.put),
    ...some(commit.idempotency?.put, Idempotency.put),
    ...some(commit.idempotency?.settled, Idempotency.settle),
    ...some(commit.idempotency?.forgotten, Idempotency.forget),
    ...some(commit.commands?.put, Commands.put),
    ...some(commit.commands?.settled, Commands.settle),
    ...some(commit.operators, Operators.put),
    ...some(commit.sessions, Operators.putSessions),
    ...some(commit.apiKeys, OrganizationsStatements.putKeys),
    ...ofEach(commit.webhookEndpoints, WebhookEndpoints.put),
    ...ofEach(commit.plans, PlansStatements.put),
    ...some(commit.unchangedPlans, PlansStatements.unchanged),
    ...some(commit.regions, PlansStatements.addRegions),
    ...ofEach(commit.stockLevels, StockStatements.putLevels),
    ...sims,
    ...ofEach(commit.jobs?.finished, JobQueue.finish),
    ...ofEach(commit.jobs?.retried, JobQueue.retry),
    ...ofEach(commit.jobs?.hastened, JobQueue.hasten),
    ...ofEach(commit.jobs?.reopened, JobQueue.reopen),
    ...ofEach(commit.jobs?.resolved, JobQueue.resolve),
    ...ofEach(commit.jobs?.cancelled, JobQueue.cancel),
    ...ofEachOf(commit.jobs?.put, ({ job }) => job.organizationId, JobQueue.put),
    ...rows,
    ...some(commit.reports?.smdpEntries, ReportsStatements.addEntries),
    ...some(commit.reports?.seen, ReportsStatements.putSeen),
    ...some(commit.reports?.usage, UsageStatements.add),
    ...some(commit.ledger?.put, LedgerStatements.put),
    ...some(commit.ledger?.allotted, LedgerStatements.allot),
    ...some(commit.events, Events.add),
    ...some(commit.eventHandlers?.put, Events.putHandlers),
    ...some(commit.eventHandlers?.removed, Events.removeHandlers),
    ...some(commit.deliveries?.settled, Deliveries.settle),
    ...some(commit.deliveries?.replayed, Deliveries.replay),
    ...some(commit.auditEntries, AuditEntries.add),
    ...(commit.catalogue === undefined
      ? []
      : [ServiceState.putCatalogue(sql, commit.catalogue, commit.catalogueVersion ?? null)]),
    ...(commit.clock === undefined ? [] : [ServiceState.putClock(sql, commit.clock)])
  ]
}

/** Writes a commit. `notice` is evaluated last, if no guard has failed. */
const single = (database: Database) => (commit: Storage.Commit, notice?: (sql: Sql) => Fragment) =>
  database.commit((sql) => {
    const all = parts(database, sql, commit)
    if (all.length === 0) return Effect.void
    const ctes = sql.csv(all.flatMap((part) => part.ctes))
    const outcomes = all.map((part) => part.outcome)
    return sql`with ${ctes} select ${sql.csv(notice === undefined ? outcomes : [...outcomes, notice(sql)])}`
  })

/**
 * Writes commits, several of them as one statement if the fast path is on, and then notifies
 * others of what has changed. Nothing has changed for others before the transaction of the host has
 * committed.
 */
export const run = (
  database: Database,
  { notice, publish }: Pick<Notifications.Notifications, "notice" | "publish">
): Batching.Write => {
  const write = single(database)
  const written = database.fastPaths.batchedCommits ? Batching.commits(database, write) : write
  return (commit) =>
    Effect.flatMap(HostConnection.Current, (host) => {
      const changes = Changes.of(commit)
      if (Changes.isNothing(changes)) return written(commit)
      return host === null || notice === null
        ? Effect.tap(written(commit), database.afterCommit(Effect.sync(() => publish(changes))))
        : write(commit, notice(changes))
    })
}
