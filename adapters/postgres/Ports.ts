/**
 * The ports over a database whose migrations are done.
 */
import { Context, Effect } from "effect"
import { Changes, Jobs, Outbox, Storage } from "simplan"
import * as ApiKeys from "./statements/ApiKeys.ts"
import * as Commit from "./commit/Commit.ts"
import type { Database } from "./connection/Database.ts"
import * as Deliveries from "./queue/Deliveries.ts"
import * as DeliveryClaim from "./queue/DeliveryClaim.ts"
import * as Idempotency from "./statements/Idempotency.ts"
import * as JobQueue from "./queue/JobQueue.ts"
import * as SimAggregates from "./statements/SimAggregates.ts"
import * as ClockOffset from "./connection/ClockOffset.ts"
import * as Notifications from "./connection/Notifications.ts"
import * as DatabaseLock from "./connection/DatabaseLock.ts"
import * as Organizations from "./statements/Organizations.ts"
import * as Plans from "./statements/Plans.ts"
import * as Regions from "./statements/Regions.ts"
import * as Reports from "./statements/Reports.ts"
import * as Singletons from "./statements/Singletons.ts"
import * as SimReservation from "./statements/SimReservation.ts"
import * as SimImport from "./statements/SimImport.ts"
import * as Sims from "./statements/Sims.ts"
import * as Subscriptions from "./statements/Subscriptions.ts"
import * as WebhookEndpoints from "./statements/WebhookEndpoints.ts"

type Written = ReturnType<typeof Commit.run>

const telling =
  (run: Written, tell: Notifications.Notifications["tell"]): Written =>
  (commit) =>
    Effect.tap(run(commit), () => Effect.sync(() => tell(Changes.of(commit))))

const storage = (database: Database, { tell, watch }: Notifications.Notifications) =>
  Storage.Storage.of({
    commit: telling(Commit.run(database), tell),
    organizations: Organizations.all(database),
    organization: Organizations.byId(database),
    apiKeyByHash: ApiKeys.byHash(database),
    apiKeys: ApiKeys.ofOrganization(database),
    webhookEndpoints: WebhookEndpoints.ofOrganization(database),
    plan: Plans.byId(database),
    plans: Plans.page(database),
    region: Regions.byId(database),
    regions: Regions.page(database),
    regionsLike: Regions.like(database),
    importSims: SimImport.run(database),
    sims: Sims.page(database),
    claimSims: SimReservation.run(database),
    handBackSims: SimReservation.handBack(database),
    inTransaction: database.inTransaction,
    line: SimAggregates.byIccid(database),
    occurrence: SimAggregates.occurrence(database),
    reportedLines: SimAggregates.reported(database),
    attachments: SimAggregates.attachmentsOf(database),
    subscription: Subscriptions.byIccid(database),
    subscriptions: Subscriptions.page(database),
    smdpEntries: Reports.entriesOf(database),
    deliveries: Deliveries.page(database),
    delivery: Deliveries.byId(database),
    idempotency: Idempotency.byKey(database),
    catalogueVersion: Singletons.catalogueVersion(database),
    catalogue: Singletons.catalogue(database),
    clock: Singletons.clock(database),
    ahead: Effect.succeed(0),
    watch,
    purge: Singletons.purge(database),
    ready: Effect.flatMap(Singletons.ready(database), (done) =>
      done ? Effect.void : new Storage.StorageError({ message: "The database has not had every migration" })
    )
  })

const jobs = (database: Database) =>
  Jobs.Jobs.of({
    claim: JobQueue.claim(database),
    renew: JobQueue.renew(database),
    pending: JobQueue.pending(database),
    lanes: JobQueue.lanes(database),
    backlog: JobQueue.backlog(database),
    release: JobQueue.release(database),
    handBack: JobQueue.handBack(database)
  })

const outbox = (database: Database) =>
  Outbox.Outbox.of({
    claim: DeliveryClaim.claim(database),
    renew: Deliveries.renew(database),
    pending: Deliveries.pending(database),
    lanes: Deliveries.lanes(database),
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

/** All three ports; `shared` where other processes may be on the database. */
export const make = (
  database: Database,
  shared?: Shared | undefined
): Context.Context<Storage.Storage | Jobs.Jobs | Outbox.Outbox> => {
  const notifications = shared?.notifications ?? Notifications.alone()
  const own = { storage: storage(database, notifications), jobs: jobs(database), outbox: outbox(database) }
  const ports =
    shared === undefined ? own : DatabaseLock.guarded(ClockOffset.moved(own, shared.offset), shared.occupancy)
  return Context.make(Storage.Storage, ports.storage).pipe(
    Context.add(Jobs.Jobs, ports.jobs),
    Context.add(Outbox.Outbox, ports.outbox)
  )
}
