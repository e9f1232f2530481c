/**
 * A commit: one statement in one round trip, made of the clauses that the commit needs.
 */
import { Effect } from "effect"
import type { Storage } from "simplan/ports"
import * as BatchedCommit from "../fast/BatchedCommit.ts"
import * as SimChanges from "./SimChanges.ts"
import * as ApiKeys from "../statements/ApiKeys.ts"
import * as AuditEntries from "../statements/AuditEntries.ts"
import * as Commands from "../statements/Commands.ts"
import type { Database, Sql } from "../database/Database.ts"
import * as Deliveries from "../queue/Deliveries.ts"
import * as EventHandlers from "../statements/EventHandlers.ts"
import * as Events from "../statements/Events.ts"
import * as Idempotency from "../statements/Idempotency.ts"
import * as JobQueue from "../queue/JobQueue.ts"
import * as Organizations from "../statements/Organizations.ts"
import type { CommitClause } from "../sql/CommitClause.ts"
import * as Plans from "../statements/Plans.ts"
import * as Regions from "../statements/Regions.ts"
import * as Reports from "../statements/Reports.ts"
import * as Singletons from "../statements/Singletons.ts"
import * as WebhookEndpoints from "../statements/WebhookEndpoints.ts"

const some = <A>(
  sql: Sql,
  rows: ReadonlyArray<A> | undefined,
  part: (sql: Sql, rows: ReadonlyArray<A>) => CommitClause
): ReadonlyArray<CommitClause> => (rows === undefined || rows.length === 0 ? [] : [part(sql, rows)])

// The order is that in which every commit locks: guards of many rows first, and what hangs on them after.
const parts = (sql: Sql, commit: Storage.Commit): ReadonlyArray<CommitClause> => {
  const { rows, sims } = SimChanges.clauses(sql, commit.sims ?? [])
  return [
    ...some(sql, commit.organizations, Organizations.put),
    ...some(sql, commit.idempotency?.put, Idempotency.put),
    ...some(sql, commit.idempotency?.settled, Idempotency.settle),
    ...some(sql, commit.idempotency?.forgotten, Idempotency.forget),
    ...some(sql, commit.commands?.put, Commands.put),
    ...some(sql, commit.commands?.settled, Commands.settle),
    ...some(sql, commit.apiKeys, ApiKeys.put),
    ...some(sql, commit.webhookEndpoints, WebhookEndpoints.put),
    ...some(sql, commit.plans, Plans.put),
    ...some(sql, commit.unchangedPlans, Plans.unchanged),
    ...some(sql, commit.regions, Regions.add),
    ...sims,
    ...some(sql, commit.jobs?.finished, JobQueue.finish),
    ...some(sql, commit.jobs?.retried, JobQueue.retry),
    ...some(sql, commit.jobs?.hastened, JobQueue.hasten),
    ...some(sql, commit.jobs?.reopened, JobQueue.reopen),
    ...some(sql, commit.jobs?.resolved, JobQueue.resolve),
    ...some(sql, commit.jobs?.cancelled, JobQueue.cancel),
    ...some(sql, commit.jobs?.put, JobQueue.put),
    ...rows,
    ...some(sql, commit.reports?.smdpEntries, Reports.addEntries),
    ...some(sql, commit.reports?.seen, Reports.putSeen),
    ...some(sql, commit.events, Events.add),
    ...some(sql, commit.eventHandlers?.put, EventHandlers.put),
    ...some(sql, commit.eventHandlers?.removed, EventHandlers.remove),
    ...some(sql, commit.deliveries?.settled, Deliveries.settle),
    ...some(sql, commit.deliveries?.replayed, Deliveries.replay),
    ...some(sql, commit.auditEntries, AuditEntries.add),
    ...(commit.catalogue === undefined ? [] : [Singletons.putCatalogue(sql, commit.catalogue)]),
    ...(commit.clock === undefined ? [] : [Singletons.putClock(sql, commit.clock)])
  ]
}

const one = (database: Database) => (commit: Storage.Commit) =>
  database.commit((sql) => {
    const all = parts(sql, commit)
    if (all.length === 0) return Effect.void
    const ctes = sql.csv(all.flatMap((part) => part.ctes))
    return sql`with ${ctes} select ${sql.csv(all.map((part) => part.outcome))}`
  })

/** Writes commits; several of them as one statement where the fast path is on. */
export const run = (database: Database): BatchedCommit.Write => {
  const write = one(database)
  return database.fastPaths.batchedCommits ? BatchedCommit.make(database, write) : write
}
