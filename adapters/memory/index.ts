/**
 * Storage, jobs and outbox in memory: for tests, simulations and trying things out. Nothing outlives the process.
 *
 * Every operation is one synchronous step, which is what makes a commit whole and a read a snapshot. What a request or
 * a job needs is found through indexes, so an operation costs about the same with a hundred rows and with a million.
 */
import { Context, Effect, Layer } from "effect"
import { Changes, Jobs, Outbox, Storage } from "simplan"
import * as Deliveries from "./Deliveries.ts"
import * as Guards from "./Guards.ts"
import * as Inventory from "./Inventory.ts"
import * as JobRows from "./Jobs.ts"
import * as Lines from "./Lines.ts"
import * as Reads from "./Reads.ts"
import * as Tables from "./Tables.ts"
import * as Tenant from "./Tenant.ts"
import * as Writes from "./Writes.ts"

const tell = (watchers: ReadonlySet<(changes: Changes.Changes) => void>, changes: Changes.Changes): void => {
  if (Changes.isNothing(changes)) return
  for (const hear of watchers) hear(changes)
}

const storage = (tables: Tables.Tables): Storage.Storage["Service"] => {
  const watchers = new Set<(changes: Changes.Changes) => void>()
  const nothing = Tenant.make()
  const tenant = (of: { readonly organizationId: string }) => tables.tenants.get(of.organizationId) ?? nothing
  return {
    commit: (commit) =>
      Effect.suspend(() => {
        const on = Guards.conflict(tables, commit)
        if (on !== null) return Effect.fail(new Storage.Conflict({ on }))
        Writes.apply(tables, commit)
        if (watchers.size > 0) tell(watchers, Changes.of(commit))
        return Effect.void
      }),

    organizations: {
      list: Effect.sync(() => Reads.organizations(tables)),
      get: (id) => Effect.sync(() => tables.organizations.get(id) ?? null)
    },
    apiKeys: {
      byHash: (hash) => Effect.sync(() => Reads.apiKeyByHash(tables, hash)),
      list: (of) => Effect.sync(() => Reads.apiKeys(tenant(of)))
    },
    webhookEndpoints: { list: (of) => Effect.sync(() => Reads.webhookEndpoints(tenant(of))) },
    plans: {
      get: (of) => Effect.sync(() => tenant(of).plans.get(of.planId) ?? null),
      page: (query) => Effect.sync(() => Reads.plans(tenant(query), query))
    },
    regions: {
      get: (of) => Effect.sync(() => tenant(of).regions.get(of.coverageId) ?? null),
      page: (query) => Effect.sync(() => Reads.regions(tenant(query), query)),
      like: (of) => Effect.sync(() => Reads.regionsLike(tenant(of), of))
    },
    catalogues: {
      version: Effect.sync(() => tables.catalogueVersion),
      get: Effect.sync(() => tables.catalogue)
    },
    sims: {
      import: (sims) => Effect.sync(() => Inventory.importSims(tables, sims)),
      page: (query) => Effect.sync(() => Reads.sims(tenant(query), query)),
      reserve: (claim) => Effect.sync(() => Inventory.claim(tables, claim)),
      release: (of) => Effect.sync(() => Inventory.handBack(tables, of)),
      smdpHistory: (of) => Effect.sync(() => Reads.smdpEntries(tenant(of), of.iccid))
    },
    simAggregates: {
      get: (of) =>
        Effect.sync(() => {
          const sim = Tables.simOf(tables, of.organizationId, of.iccid)
          return sim === undefined ? null : Lines.read(tables, sim)
        }),
      forOccurrence: (of) =>
        Effect.sync(() => {
          const sim = Tables.simOf(tables, of.organizationId, of.iccid)
          return sim === undefined ? null : Lines.occurrence(tables, sim, of)
        }),
      forReports: (query) => Effect.sync(() => Lines.reported(tables, query))
    },
    subscriptions: {
      get: (of) => Effect.sync(() => Reads.subscription(tables, of)),
      page: (query) => Effect.sync(() => Reads.subscriptions(tables, tenant(query), query)),
      attachments: (of) =>
        Effect.sync(() => {
          const sim = Tables.simOf(tables, of.organizationId, of.iccid)
          const line = sim && Lines.read(tables, sim)
          return line?.subscription?.status === "Live" ? line.attachments : null
        })
    },
    deliveries: {
      get: (of) => Effect.sync(() => Reads.delivery(tenant(of), of.deliveryId)),
      page: (query) => Effect.sync(() => Reads.deliveries(tenant(query), query))
    },
    idempotencyRecords: { get: (of) => Effect.sync(() => tenant(of).idempotency.get(of.key) ?? null) },
    virtualClock: Effect.sync(() => tables.clock),
    clockOffset: Effect.succeed(0),
    inTransaction: Effect.succeed(false),
    watch: (hear) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => watchers.add(hear)),
          () => Effect.sync(() => watchers.delete(hear))
        )
      ),

    purge: ({ idempotencyBefore, reportsBefore }) =>
      Effect.sync(() => {
        let forgotten = 0
        for (const { idempotency, seenReports } of tables.tenants.values()) {
          forgotten += seenReports.forgetBefore(reportsBefore) + idempotency.forgetBefore(idempotencyBefore)
        }
        return forgotten
      }),
    ready: Effect.void
  }
}

const jobs = (tables: Tables.Tables): Jobs.Jobs["Service"] => ({
  claim: (claim) => Effect.sync(() => JobRows.claim(tables, claim)),
  renew: (of) => Effect.sync(() => JobRows.renew(tables, of)),
  pending: (at) => Effect.sync(() => JobRows.pending(tables, at)),
  lanes: (at) => Effect.sync(() => JobRows.lanes(tables, at)),
  backlog: (at) => Effect.sync(() => JobRows.backlog(tables, at)),
  release: (at) => Effect.sync(() => JobRows.release(tables, at)),
  handBack: (held) => Effect.sync(() => JobRows.handBack(tables, held))
})

const outbox = (tables: Tables.Tables): Outbox.Outbox["Service"] => ({
  claim: (claim) => Effect.sync(() => Deliveries.claim(tables, claim)),
  renew: (of) => Effect.sync(() => Deliveries.renew(tables, of)),
  pending: (at) => Effect.sync(() => Deliveries.pending(tables, at)),
  lanes: (at) => Effect.sync(() => Deliveries.lanes(tables, at)),
  backlog: (at) => Effect.sync(() => Deliveries.backlog(tables, at)),
  release: (at) => Effect.sync(() => Deliveries.release(tables, at)),
  handBack: (held) => Effect.sync(() => Deliveries.handBack(tables, held))
})

/** An empty store of its own wherever the layer is built. */
export const layer: Layer.Layer<Storage.Storage | Jobs.Jobs | Outbox.Outbox> = Layer.effectContext(
  Effect.sync(() => {
    const tables = Tables.make()
    return Context.make(Storage.Storage, storage(tables)).pipe(
      Context.add(Jobs.Jobs, jobs(tables)),
      Context.add(Outbox.Outbox, outbox(tables))
    )
  })
)
