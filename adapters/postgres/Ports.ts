/**
 * The ports over a database whose migrations are done.
 */
import { Context, Effect } from "effect"
import { Changes, HostTransaction, Jobs, LeaseOffset, Outbox, RateLimitUsage, Storage } from "simplan/ports"
import * as ApiKeys from "./statements/ApiKeys.ts"
import * as AuditEntries from "./statements/AuditEntries.ts"
import * as Commands from "./statements/Commands.ts"
import * as Commit from "./commit/Commit.ts"
import type { Database } from "./database/Database.ts"
import type { Cipher } from "./encryption/Secrets.ts"
import * as EncryptedPorts from "./encryption/EncryptedPorts.ts"
import * as Deliveries from "./queue/Deliveries.ts"
import * as DeliveryClaim from "./queue/DeliveryClaim.ts"
import * as EventHandlers from "./statements/EventHandlers.ts"
import * as HandlerClaim from "./queue/HandlerClaim.ts"
import * as DeliveryLog from "./statements/DeliveryLog.ts"
import * as Idempotency from "./statements/Idempotency.ts"
import * as JobQueue from "./queue/JobQueue.ts"
import * as SimAggregates from "./statements/sims/SimAggregates.ts"
import * as HostConnection from "./database/HostConnection.ts"
import * as ClockOffset from "./database/ClockOffset.ts"
import * as Notifications from "./database/Notifications.ts"
import * as DatabaseLock from "./database/DatabaseLock.ts"
import * as Organizations from "./statements/Organizations.ts"
import * as Plans from "./statements/Plans.ts"
import * as Regions from "./statements/Regions.ts"
import * as Reports from "./statements/Reports.ts"
import * as ServiceState from "./statements/ServiceState.ts"
import * as SimReservations from "./statements/sims/SimReservations.ts"
import * as SimImport from "./statements/sims/SimImport.ts"
import * as Sims from "./statements/sims/Sims.ts"
import * as Subscriptions from "./statements/sims/Subscriptions.ts"
import * as WebhookEndpoints from "./statements/WebhookEndpoints.ts"

type Written = ReturnType<typeof Commit.run>

/** Nothing has changed for others before the transaction of the host has committed. */
const notifyAfterCommit =
  (database: Database, run: Written, { notice, publish }: Notifications.Notifications): Written =>
  (commit) =>
    Effect.tap(
      run(commit),
      Effect.flatMap(HostConnection.Current, (host) => {
        const changes = Changes.of(commit)
        if (Changes.isNothing(changes)) return Effect.void
        return host === null || notice === null
          ? database.afterCommit(Effect.sync(() => publish(changes)))
          : database.write(notice(changes))
      })
    )

const storage = (database: Database, notifications: Notifications.Notifications) =>
  Storage.Storage.of({
    commit: notifyAfterCommit(database, Commit.run(database), notifications),
    organizations: {
      page: Organizations.page(database),
      get: Organizations.byId(database),
      count: Organizations.count(database)
    },
    apiKeys: {
      byHash: ApiKeys.byHash(database),
      get: ApiKeys.byId(database),
      page: ApiKeys.page(database)
    },
    webhookEndpoints: {
      get: WebhookEndpoints.byId(database),
      page: WebhookEndpoints.page(database),
      namedTypes: WebhookEndpoints.namedTypes(database),
      failingSince: WebhookEndpoints.failingSince(database),
      health: WebhookEndpoints.health(database),
      failing: WebhookEndpoints.failing(database)
    },
    eventHandlers: {
      list: EventHandlers.list(database),
      delivery: DeliveryLog.toHandler(database),
      failed: DeliveryLog.failed(database)
    },
    plans: { get: Plans.byId(database), page: Plans.page(database) },
    regions: {
      get: Regions.byId(database),
      find: Regions.find(database),
      page: Regions.page(database),
      like: Regions.like(database)
    },
    catalogues: { version: ServiceState.catalogueVersion(database), get: ServiceState.catalogue(database) },
    sims: {
      import: SimImport.run(database),
      get: Sims.byIccid(database),
      page: Sims.page(database),
      reserve: SimReservations.reserve(database),
      release: SimReservations.release(database),
      stock: Sims.stock(database),
      identities: Sims.identities(database),
      smdpHistory: Reports.entriesOf(database)
    },
    simAggregates: {
      get: SimAggregates.byIccid(database),
      forAttachment: SimAggregates.ofAttachment(database),
      forOccurrence: SimAggregates.occurrence(database),
      forReports: SimAggregates.reported(database),
      owner: SimAggregates.owner(database)
    },
    subscriptions: {
      get: Subscriptions.byIccid(database),
      page: Subscriptions.page(database),
      attachments: SimAggregates.attachmentsOf(database)
    },
    deliveries: {
      get: DeliveryLog.byId(database),
      page: DeliveryLog.page(database),
      attempts: DeliveryLog.attempts(database),
      waitingCounts: Deliveries.waitingCounts(database)
    },
    commands: { get: Commands.byId(database), page: Commands.page(database) },
    idempotencyRecords: { get: Idempotency.byKey(database) },
    jobs: {
      get: JobQueue.byId(database),
      waiting: JobQueue.waiting(database),
      waitingCounts: JobQueue.waitingCounts(database)
    },
    problems: {
      page: JobQueue.problems(database),
      count: JobQueue.problemCount(database)
    },
    auditEntries: { page: AuditEntries.page(database) },
    virtualClock: ServiceState.clock(database),
    clockOffset: Effect.succeed(0),
    watch: notifications.watch,
    purge: ServiceState.purge(database),
    purgeAudit: AuditEntries.purge(database),
    purgeEvents: DeliveryLog.purge(database),
    ready: Effect.flatMap(ServiceState.ready(database), (done) =>
      done ? Effect.void : new Storage.StorageError({ message: "The database has not had every migration" })
    ),
    probe: ServiceState.probe(database)
  })

const jobs = (database: Database) =>
  Jobs.Jobs.of({
    claim: JobQueue.claim(database),
    renew: JobQueue.renew(database),
    pending: JobQueue.pending(database),
    partitions: JobQueue.partitions(database),
    backlog: JobQueue.backlog(database),
    release: JobQueue.release(database),
    handBack: JobQueue.handBack(database)
  })

const outbox = (database: Database) =>
  Outbox.Outbox.of({
    claim: DeliveryClaim.claim(database),
    claimForHandler: HandlerClaim.claim(database),
    pendingForHandler: HandlerClaim.pending(database),
    renew: Deliveries.renew(database),
    pending: Deliveries.pending(database),
    partitions: Deliveries.partitions(database),
    backlog: Deliveries.backlog(database),
    release: Deliveries.release(database),
    handBack: Deliveries.handBack(database)
  })

/** What the ports of a server go by, and those of an embedded database do not. */
export interface Shared {
  /** That of the database's clock, which is another machine's. */
  readonly offset: ClockOffset.Offset
  readonly occupancy: DatabaseLock.DatabaseLock
  readonly notifications: Notifications.Notifications
}

/** All three ports, with secrets encrypted; `shared` where other processes may be on the database. */
export const make = (
  database: Database,
  cipher: Cipher,
  shared?: Shared | undefined
): Context.Context<Storage.Storage | Jobs.Jobs | Outbox.Outbox> => {
  const notifications = shared?.notifications ?? Notifications.alone()
  const stored = { storage: storage(database, notifications), outbox: outbox(database) }
  const own = { ...EncryptedPorts.make(stored, cipher), jobs: jobs(database) }
  const ports =
    shared === undefined ? own : DatabaseLock.guarded(ClockOffset.moved(own, shared.offset), shared.occupancy)
  const context = Context.make(Storage.Storage, ports.storage).pipe(
    Context.add(Jobs.Jobs, ports.jobs),
    Context.add(Outbox.Outbox, ports.outbox),
    Context.add(HostTransaction.HostTransaction, database.inTransaction),
    Context.add(HostTransaction.Joining, shared === undefined ? null : database.join),
    Context.add(LeaseOffset.LeaseOffset, shared?.offset ?? LeaseOffset.LeaseOffset.defaultValue())
  )
  const { usage } = notifications
  return usage === null ? context : Context.add(context, RateLimitUsage.RateLimitUsage, usage)
}
