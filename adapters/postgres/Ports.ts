/**
 * The ports over a database whose migrations are done.
 */
import { Context, Effect } from "effect"
import { HostTransaction, Jobs, Clocks, Outbox, RateLimitUsage, Storage } from "simplan/ports"
import * as AuditEntries from "./statements/AuditEntries.ts"
import * as Commands from "./statements/Commands.ts"
import * as Idempotency from "./statements/Idempotency.ts"
import * as Commit from "./commit/Commit.ts"
import type { Database } from "./database/Database.ts"
import type { DatabaseLock } from "./database/DatabaseLock.ts"
import * as Claims from "./queue/Claims.ts"
import * as Deliveries from "./queue/Deliveries.ts"
import * as DeliveryLog from "./statements/DeliveryLog.ts"
import * as Events from "./statements/Events.ts"
import * as JobQueue from "./queue/JobQueue.ts"
import * as Search from "./statements/sims/Search.ts"
import * as SearchOfAll from "./statements/sims/SearchOfAll.ts"
import * as SimAggregates from "./statements/sims/SimAggregates.ts"
import * as ClockOffset from "./database/ClockOffset.ts"
import * as Notifications from "./database/Notifications.ts"
import * as LedgerStatements from "./statements/LedgerStatements.ts"
import * as Operators from "./statements/Operators.ts"
import * as OrganizationsStatements from "./statements/OrganizationsStatements.ts"
import * as OverviewStatements from "./queue/OverviewStatements.ts"
import * as Partitions from "./statements/Partitions.ts"
import * as PlansStatements from "./statements/PlansStatements.ts"
import * as ServiceState from "./statements/ServiceState.ts"
import * as ReportsStatements from "./statements/ReportsStatements.ts"
import * as SimImport from "./statements/sims/SimImport.ts"
import * as SimReservations from "./statements/sims/SimReservations.ts"
import * as SimsStatements from "./statements/sims/SimsStatements.ts"
import * as StockStatements from "./statements/sims/StockStatements.ts"
import * as SubscriptionsStatements from "./statements/sims/SubscriptionsStatements.ts"
import * as UsageStatements from "./statements/UsageStatements.ts"
import * as WebhookEndpoints from "./statements/WebhookEndpoints.ts"

const storage = (database: Database, notifications: Notifications.Notifications, offset: ClockOffset.Offset | null) =>
  Storage.Storage.of({
    commit: Commit.run(database, notifications),
    organizations: OrganizationsStatements.organizations(database),
    operators: Operators.operators(database),
    sessions: Operators.sessions(database),
    sessionKey: Operators.sessionKey(database),
    apiKeys: OrganizationsStatements.apiKeys(database),
    webhookEndpoints: WebhookEndpoints.webhookEndpoints(database),
    eventHandlers: {
      list: Events.handlers(database),
      delivery: DeliveryLog.toHandler(database),
      failed: DeliveryLog.failed(database)
    },
    plans: PlansStatements.plans(database),
    regions: PlansStatements.regions(database),
    catalogues: { version: ServiceState.catalogueVersion(database), get: ServiceState.catalogue(database) },
    adoptPurchase: JobQueue.adoptPurchase(database),
    leavePurchase: JobQueue.leavePurchase(database),
    recordKeyUses: OrganizationsStatements.recordUses(database),
    sims: {
      import: SimImport.run(database),
      get: SimsStatements.byIccid(database),
      page: SimsStatements.page(database),
      find: Search.sims(database),
      search: SearchOfAll.hits(database),
      reserve: SimReservations.reserve(database),
      free: SimReservations.free(database),
      release: SimReservations.release(database),
      stock: SimReservations.stock(database),
      counts: StockStatements.counts(database),
      countFree: StockStatements.countFree(database),
      levels: StockStatements.levels(database),
      identities: SimsStatements.identities(database),
      smdpHistory: ReportsStatements.entriesOf(database)
    },
    simAggregates: {
      get: SimAggregates.byIccid(database),
      forAttachment: SimAggregates.ofAttachment(database),
      forOccurrence: SimAggregates.occurrence(database),
      forReports: ReportsStatements.views(database),
      owner: SimAggregates.owner(database)
    },
    subscriptions: {
      get: SubscriptionsStatements.byIccid(database),
      page: SubscriptionsStatements.page(database),
      find: Search.subscriptions(database),
      attachments: SimAggregates.attachmentsOf(database)
    },
    deliveries: {
      get: DeliveryLog.byId(database),
      page: DeliveryLog.page(database),
      attempts: DeliveryLog.attempts(database),
      lastAttempts: DeliveryLog.lastAttempts(database),
      waitingCounts: Deliveries.waitingCounts(database)
    },
    commands: Commands.commands(database),
    idempotencyRecords: { get: Idempotency.byKey(database) },
    jobs: {
      get: JobQueue.byId(database),
      waiting: JobQueue.waiting(database),
      ofSim: JobQueue.ofSim(database),
      purchases: JobQueue.purchases(database)
    },
    problems: {
      page: JobQueue.problems(database),
      count: JobQueue.problemCount(database)
    },
    auditEntries: AuditEntries.auditEntries(database),
    usage: UsageStatements.usage(database),
    ledger: LedgerStatements.ledger(database),
    overview: OverviewStatements.overview(database),
    processes: { list: ServiceState.processes(database) },
    virtualClock: ServiceState.clock(database),
    clockOffset: ClockOffset.current(offset),
    watch: notifications.watch,
    purge: ServiceState.purge(database),
    purgeReports: Partitions.keep(database, "reports"),
    purgeAudit: Partitions.keep(database, "audit entries"),
    purgeEvents: DeliveryLog.purge(database),
    purgeUsage: Partitions.keep(database, "usage"),
    ready: database.whileHeld(
      Effect.flatMap(ServiceState.ready(database), (done) =>
        done ? Effect.void : new Storage.StorageError({ message: "The database has not had every migration" })
      )
    ),
    probe: ServiceState.probe(database),
    deadServers: database.deadServers,
    keepProcess: ServiceState.keepProcess(database),
    forgetProcess: ServiceState.forgetProcess(database)
  })

const jobs = (database: Database) =>
  Jobs.Jobs.of({
    ...Claims.reads(database, JobQueue.queue),
    claim: JobQueue.claim(database),
    renew: JobQueue.renew(database),
    release: JobQueue.release(database),
    handBack: JobQueue.handBack(database)
  })

const outbox = (database: Database) =>
  Outbox.Outbox.of({
    ...Claims.reads(database, Deliveries.queue),
    claim: Deliveries.claim(database),
    claimForHandler: Deliveries.claimForHandler(database),
    pendingForHandler: Deliveries.pendingForHandler(database),
    renew: Deliveries.renew(database),
    release: Deliveries.release(database),
    handBack: Deliveries.handBack(database)
  })

/** What the ports of a server go by, and those of an embedded database do not. */
export interface Shared {
  /** That of the database's clock, which is another machine's. */
  readonly offset: ClockOffset.Offset
  readonly lock: DatabaseLock
  readonly notifications: Notifications.Notifications
  /** How many connections commits and transactions may have at once. */
  readonly connections: number
}

/**
 * All three ports; `shared` if other processes may be on the database, `joins` if hosts may have
 * transactions on connections of their own.
 */
export const make = (
  database: Database,
  { joins, shared }: { readonly joins: boolean; readonly shared?: Shared | undefined }
): Context.Context<Storage.Storage | Jobs.Jobs | Outbox.Outbox> => {
  const notifications = shared?.notifications ?? Notifications.alone()
  const context = Context.make(Storage.Storage, storage(database, notifications, shared?.offset ?? null)).pipe(
    Context.add(Jobs.Jobs, jobs(database)),
    Context.add(Outbox.Outbox, outbox(database)),
    Context.add(HostTransaction.HostTransaction, database.inTransaction),
    Context.add(HostTransaction.Joining, joins ? database.join : null),
    Context.add(HostTransaction.Connections, shared?.connections ?? null),
    Context.add(Clocks.LeaseOffset, database.offset)
  )
  const { usage } = notifications
  return usage === null ? context : Context.add(context, RateLimitUsage.RateLimitUsage, usage)
}
