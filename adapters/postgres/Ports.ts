/**
 * The ports over a database whose migrations are done.
 */
import { Context, Effect } from "effect"
import { Changes, Jobs, Outbox, Storage } from "simplan"
import * as ApiKeys from "./ApiKeys.ts"
import * as Commit from "./Commit.ts"
import type { Database } from "./Database.ts"
import * as Deliveries from "./Deliveries.ts"
import * as DeliveryClaim from "./DeliveryClaim.ts"
import * as Idempotency from "./Idempotency.ts"
import * as JobQueue from "./JobQueue.ts"
import * as Lines from "./Lines.ts"
import * as MachineClock from "./MachineClock.ts"
import * as Notifications from "./Notifications.ts"
import * as Occupancy from "./Occupancy.ts"
import * as Organizations from "./Organizations.ts"
import * as Plans from "./Plans.ts"
import * as Regions from "./Regions.ts"
import * as Reports from "./Reports.ts"
import * as Service from "./Service.ts"
import * as SimClaim from "./SimClaim.ts"
import * as SimImport from "./SimImport.ts"
import * as Sims from "./Sims.ts"
import * as Subscriptions from "./Subscriptions.ts"
import * as WebhookEndpoints from "./WebhookEndpoints.ts"

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
    claimSims: SimClaim.run(database),
    handBackSims: SimClaim.handBack(database),
    inTransaction: database.inTransaction,
    line: Lines.byIccid(database),
    occurrence: Lines.occurrence(database),
    reportedLines: Lines.reported(database),
    attachments: Lines.attachmentsOf(database),
    subscription: Subscriptions.byIccid(database),
    subscriptions: Subscriptions.page(database),
    smdpEntries: Reports.entriesOf(database),
    deliveries: Deliveries.page(database),
    delivery: Deliveries.byId(database),
    idempotency: Idempotency.byKey(database),
    catalogueVersion: Service.catalogueVersion(database),
    catalogue: Service.catalogue(database),
    clock: Service.clock(database),
    ahead: Effect.succeed(0),
    watch,
    purge: Service.purge(database),
    ready: Effect.flatMap(Service.ready(database), (done) =>
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
  readonly offset: MachineClock.Offset
  readonly occupancy: Occupancy.Occupancy
  readonly notifications: Notifications.Notifications
}

/** All three ports; `shared` where other processes may be on the database. */
export const make = (
  database: Database,
  shared?: Shared | undefined
): Context.Context<Storage.Storage | Jobs.Jobs | Outbox.Outbox> => {
  const notifications = shared?.notifications ?? Notifications.alone()
  const own = { storage: storage(database, notifications), jobs: jobs(database), outbox: outbox(database) }
  const ports = shared === undefined ? own : Occupancy.guarded(MachineClock.moved(own, shared.offset), shared.occupancy)
  return Context.make(Storage.Storage, ports.storage).pipe(
    Context.add(Jobs.Jobs, ports.jobs),
    Context.add(Outbox.Outbox, ports.outbox)
  )
}
