/**
 * The ports `Storage`, `Jobs` and `Outbox` over a `RowStore`. Every operation is one transaction of
 * the store, which makes a commit whole and a read a snapshot.
 */
import { Context, Effect, Layer } from "effect"
import {
  Attachment,
  AuditEntry,
  Changes,
  Command,
  Delivery,
  EventHandler,
  Job,
  Jobs,
  Outbox,
  Plan,
  Process
} from "simplan/ports"
import { type Quota, Region, SimAggregate, SimIdentities, SimSearch, Storage, WebhookEndpoint } from "simplan/ports"
import * as CostRows from "./CostRows.ts"
import * as Inventory from "./Inventory.ts"
import { all, listed, scan, subscribed, take } from "./Lists.ts"
import * as OverviewRows from "./OverviewRows.ts"
import * as Queues from "./Queues.ts"
import * as Rows from "./Rows.ts"
import { failed, type Row, type RowStore, run } from "./RowStore.ts"
import * as UsageRows from "./UsageRows.ts"
import * as Writes from "./Writes.ts"

const EVERYTHING = Number.MAX_SAFE_INTEGER

/** How many rows are counted at most. */
const COUNTED = 10_000

const present = (endpoint: Rows.Kinds["endpoint"]) => (endpoint.deletedAt === null ? endpoint : null)

type PageOf = Storage.Keyset<Storage.CreatedCursor> & Partial<Storage.OfOrganization>

const storage = (store: RowStore): Storage.Service => {
  const watchers = new Set<(changes: Changes.Changes) => void>()
  const read = <A>(body: () => A) => run(store, body)
  const get = <K extends Rows.Kind>(kind: K, id: string, organizationId = ""): Rows.Kinds[K] | null =>
    store.find(kind, id, organizationId)?.value ?? null
  const list = <K extends Rows.Kind>(kind: K, organizationId = "", from: Storage.CreatedCursor | null = null) =>
    store.list(kind, organizationId, from, "ascending")
  const values = <K extends Rows.Kind>(rows: Iterable<Row<K>>) => take(rows, Number.POSITIVE_INFINITY, all)
  const newest = <K extends Rows.Kind>(kind: K, organizationId: string, before: Storage.CreatedCursor | null) =>
    store.list(kind, organizationId, before, "descending")
  const page = <K extends Rows.Kind>(kind: K, { after, limit, organizationId }: PageOf) =>
    take(list(kind, organizationId, after), limit, all)
  /** How many of an organization's rows there are that are not gone. */
  const counted =
    <K extends Rows.Kind>(kind: K, isThere: (value: Rows.Kinds[K]) => boolean) =>
    (organizationId: string, atMost: number) =>
      take(list(kind, organizationId), atMost, (value) => (isThere(value) ? value : null)).length
  const counts: Readonly<Record<Quota.Kind, (organizationId: string, atMost: number) => number>> = {
    plans: counted("plan", ({ deletedAt }) => deletedAt === null),
    regions: counted("region", () => true),
    webhookEndpoints: counted("endpoint", ({ deletedAt }) => deletedAt === null),
    apiKeys: counted("apiKey", ({ revokedAt }) => revokedAt === null)
  }
  const keyOf = ({ apiKeyId, organizationId }: Pick<Rows.Kinds["apiKey"], "apiKeyId" | "organizationId">) => {
    const found = get("apiKey", apiKeyId, organizationId)
    return found === null ? null : Rows.withUse(found, get("apiKeyUse", apiKeyId, organizationId))
  }
  const aggregateOf = ({ iccid, organizationId }: Storage.OfOrganization & { readonly iccid: string }) => {
    const aggregate = get("sim", iccid, organizationId)
    return aggregate === null ? null : Rows.supplied(aggregate)
  }
  return {
    commit: (commit) =>
      Effect.suspend(() => {
        try {
          store.transaction(() => Writes.write(store, commit))
        } catch (error) {
          return Effect.fail(error instanceof Storage.Conflict ? error : failed(error))
        }
        const changes = Changes.of(commit)
        if (!Changes.isNothing(changes)) for (const listener of watchers) listener(changes)
        return Effect.void
      }),
    organizations: {
      page: (query) => read(() => page("organization", query)),
      get: (organizationId) => read(() => get("organization", organizationId)),
      getAll: (ids) => read(() => ids.flatMap((id) => get("organization", id) ?? [])),
      count: ({ atMost, kind, organizationId }) => read(() => counts[kind](organizationId, atMost))
    },
    operators: {
      byHash: (hash) =>
        read(() => {
          const [current] = values(store.also("operator", Rows.operatorsWith(hash), null))
          return current ?? values(list("operator")).find(({ previousHash }) => previousHash === hash) ?? null
        }),
      get: (operatorId) => read(() => get("operator", operatorId)),
      named: (name) =>
        read(() => values(list("operator")).find((one) => one.name === name && one.deletedAt === null) ?? null),
      page: (query) => read(() => page("operator", query))
    },
    sessions: { get: (sessionId) => read(() => get("session", sessionId)) },
    apiKeys: {
      byHash: (hash) =>
        read(() => {
          const [current] = values(store.also("apiKey", Rows.keysWith(hash), null))
          const former = current ?? get("formerKey", hash)
          return former === null ? null : keyOf(former)
        }),
      get: (of) => read(() => keyOf(of)),
      page: (query) =>
        read(() =>
          page("apiKey", query).map((key) => Rows.withUse(key, get("apiKeyUse", key.apiKeyId, key.organizationId)))
        )
    },
    webhookEndpoints: {
      get: ({ endpointId, organizationId }) =>
        read(() => {
          const endpoint = get("endpoint", endpointId, organizationId)
          return endpoint === null ? null : present(endpoint)
        }),
      page: ({ after, limit, organizationId }) =>
        read(() => take(list("endpoint", organizationId, after), limit, present)),
      namedTypes: ({ organizationId }) =>
        read(() =>
          EventHandler.namedTypes(organizationId, values(list("endpoint", organizationId)), values(list("handler")))
        ),
      failingSince: ({ createdFrom, endpointId, from, organizationId }) =>
        read(() => {
          const since = list("delivery", organizationId, { createdAt: createdFrom, id: "" })
          const attempts = values(since).flatMap((row) => (row.delivery.endpointId === endpointId ? row.attempts : []))
          return Delivery.failingSince(attempts.filter(({ at }) => at >= from))
        }),
      health: ({ endpointIds, organizationId }) =>
        read(() => {
          const pending = take(store.waiting("delivery", Rows.ENDPOINTS), COUNTED, all)
          const found = new Set([...take(newest("delivery", organizationId, null), COUNTED, all), ...pending])
          const byId = new Map(Array.from(found, (row) => [row.delivery.deliveryId, row]))
          const rows = [...byId.values()].filter((row) => row.delivery.organizationId === organizationId)
          return endpointIds.map((id) =>
            Delivery.healthOf(
              id,
              rows.filter(({ delivery }) => delivery.endpointId === id)
            )
          )
        }),
      failing: read(() =>
        WebhookEndpoint.failingOf(
          take(store.also("endpoint", Rows.FAILING, null), COUNTED, (one) =>
            WebhookEndpoint.isFailing(one) ? one : null
          )
        )
      )
    },
    eventHandlers: {
      list: read(() => values(list("handler"))),
      delivery: ({ deliveryId, organizationId }) =>
        read(() => {
          const found = get("delivery", deliveryId, organizationId)
          return found === null || EventHandler.nameOf(found.delivery) === null ? null : Queues.logged(found)
        }),
      failed: ({ after, eventId, limit, name }) =>
        read(() =>
          take(store.also("delivery", Rows.givenUpBy(EventHandler.endpointId(name)), after), limit, (row) =>
            eventId === null || eventId === row.event.eventId ? Queues.logged(row) : null
          )
        )
    },
    plans: {
      uses: read(() =>
        Plan.usesOf(
          values(list("organization")).flatMap(({ organizationId }) =>
            values(list("plan", organizationId)).map((plan) => ({
              plan,
              region: get("region", plan.terms.coverageId, organizationId)
            }))
          )
        )
      ),
      get: ({ organizationId, planId }) => read(() => get("plan", planId, organizationId)),
      page: ({ organizationId, ...filter }) =>
        read(() =>
          scan(list("plan", organizationId, filter.after), filter, listed(Rows.placeOf.plan), (plan) => {
            const region = filter.covering === null ? null : get("region", plan.terms.coverageId, organizationId)
            return Plan.isAsked(plan, region, filter) ? plan : null
          })
        )
    },
    regions: {
      get: ({ coverageId, organizationId }) => read(() => get("region", coverageId, organizationId)),
      find: (coverageId) =>
        read(() => {
          for (const { organizationId } of values(list("organization"))) {
            const found = get("region", coverageId, organizationId)
            if (found !== null) return found
          }
          return null
        }),
      page: (query) => read(() => page("region", query)),
      like: ({ iso2List, organizationId, regionName }) =>
        read(() =>
          values(list("region", organizationId)).filter(
            (region) => region.regionName === regionName || Region.sameCountries(region.iso2List, iso2List)
          )
        )
    },
    catalogues: {
      version: read(() => get("catalogue", "")?.version ?? 0),
      get: read(() => get("catalogue", "")?.catalogue ?? null)
    },
    adoptPurchase: (of) => read(() => Queues.adoptPurchase(store, of)),
    leavePurchase: (of) => read(() => Queues.leavePurchase(store, of)),
    recordKeyUses: (uses) => read(() => Writes.recordKeyUses(store, uses)),
    sims: {
      import: (sims, auditEntry) => read(() => Inventory.importSims(store, sims, auditEntry)),
      get: (asked) => read(() => aggregateOf(asked)?.sim ?? null),
      page: ({ after, isEsim, label, limit, organizationId }) =>
        read(() =>
          take(list("sim", organizationId, after === null ? null : Inventory.placeAfter(after)), limit, (one) => {
            const { sim } = Rows.supplied(one)
            return (isEsim === null || isEsim === sim.isEsim) && (label === null || label === sim.label) ? sim : null
          })
        ),
      find: ({ organizationId, ...filter }) =>
        read(() =>
          scan(
            list("sim", organizationId, filter.after === null ? null : Inventory.placeAfter(filter.after)),
            filter,
            ({ sim }) => sim.importSequence,
            (aggregate) => (SimSearch.isAsked(aggregate, filter) ? Rows.supplied(aggregate).sim : null)
          )
        ),
      search: ({ limit, organizationId, search }) =>
        read(() => {
          const listed = (organization: Rows.Kinds["organization"]) =>
            values(list("sim", organization.organizationId)).flatMap((one) => {
              const hit = SimSearch.hitOf(Rows.supplied(one), organization.name, search)
              return hit === null ? [] : [hit]
            })
          const organizations =
            organizationId === null ? values(list("organization")) : [get("organization", organizationId)]
          const found = organizations.flatMap((organization) => (organization === null ? [] : listed(organization)))
          return { hits: found.toSorted(SimSearch.compareHits).slice(0, limit), hasMore: found.length > limit }
        }),
      reserve: (claim) => read(() => Inventory.reserve(store, claim)),
      free: (asked) => read(() => Inventory.freeSim(store, asked)),
      release: ({ organizationId, reservations }) =>
        read(() => {
          const held = reservations.map(({ iccid: id, token }) => ({ organizationId, id, token }))
          store.lease("sim", held, null)
        }),
      stock: ({ organizationIds, sellAfter }) =>
        read(() =>
          organizationIds.flatMap((organizationId) => Inventory.stockOf(store, { organizationId, sellAfter }))
        ),
      counts: (of) => read(() => Inventory.counts(store, of)),
      countFree: (of) => read(() => Inventory.countFree(store, of)),
      levels: ({ organizationIds }) =>
        read(() => organizationIds.toSorted().flatMap((organizationId) => values(list("stockLevel", organizationId)))),
      identities: (asked) =>
        read(() => {
          const aggregate = aggregateOf(asked)
          return aggregate === null ? null : SimIdentities.of(aggregate.sim)
        }),
      smdpHistory: ({ iccid, organizationId }) =>
        read(() => {
          const { entries = [] } = get("smdpHistory", iccid, organizationId) ?? {}
          return entries.toSorted((left, right) => left.modifiedAt - right.modifiedAt)
        })
    },
    simAggregates: {
      get: (asked) => read(() => aggregateOf(asked)),
      forAttachment: (asked) =>
        read(() => {
          const aggregate = aggregateOf(asked)
          return aggregate === null ? null : SimAggregate.forAttachment(aggregate, asked.attachmentId)
        }),
      owner: (iccid) =>
        read(() => {
          const sim = store.find("sim", iccid)?.value.sim
          return sim === undefined ? null : { organizationId: sim.organizationId, label: sim.label }
        }),
      forOccurrence: (asked) =>
        read(() => {
          const aggregate = aggregateOf(asked)
          return aggregate === null ? null : SimAggregate.forOccurrence(aggregate, asked)
        }),
      forReports: ({ iccids, seenSince }) =>
        read(() =>
          iccids.flatMap((asked) => {
            const stored = store.find("sim", asked.iccid)?.value
            if (stored === undefined) return []
            const aggregate = Rows.supplied(stored)
            const { organizationId } = aggregate.sim
            const seen = asked.reportIds.filter((id) => {
              const report = get("report", id, organizationId)
              return report !== null && report.receivedAt >= seenSince
            })
            return [{ aggregate: SimAggregate.forReports(aggregate, asked), seen }]
          })
        )
    },
    subscriptions: {
      get: (asked) =>
        read(() => {
          const aggregate = aggregateOf(asked)
          return aggregate === null ? null : SimAggregate.live(aggregate)
        }),
      page: ({ after, limit, organizationId }) =>
        read(() =>
          take(store.also("sim", Rows.liveOf(organizationId), after), limit, (one) =>
            SimAggregate.live(Rows.supplied(one))
          )
        ),
      find: ({ organizationId, ...filter }) =>
        read(() =>
          scan(store.also("sim", Rows.liveOf(organizationId), filter.after), filter, subscribed, (aggregate) =>
            SimSearch.isSubscriptionAsked(aggregate, filter) ? SimAggregate.live(Rows.supplied(aggregate)) : null
          )
        ),
      attachments: (asked) =>
        read(() => {
          const aggregate = aggregateOf(asked)
          if (aggregate === null || SimAggregate.live(aggregate) === null) return null
          const { id } = asked
          const { attachments, sim } = aggregate
          const isAsked = ({ attachment }: Attachment.WithPackages) =>
            id === undefined || Attachment.isNamed(attachment, id)
          return { pausedAt: sim.service.pausedAt, attachments: attachments.filter(isAsked) }
        })
    },
    deliveries: {
      get: ({ deliveryId, organizationId }) =>
        read(() => {
          const found = get("delivery", deliveryId, organizationId)
          return found === null || EventHandler.nameOf(found.delivery) !== null ? null : Queues.logged(found)
        }),
      page: ({ organizationId, ...filter }) =>
        read(() =>
          scan(newest("delivery", organizationId, filter.after), filter, listed(Rows.placeOf.delivery), (row) =>
            EventHandler.nameOf(row.delivery) === null && Delivery.isAsked(row, filter) ? Queues.logged(row) : null
          )
        ),
      attempts: ({ deliveryId, organizationId }) =>
        read(() => get("delivery", deliveryId, organizationId)?.attempts.toReversed().slice(0, 100) ?? []),
      lastAttempts: ({ deliveryIds, organizationId }) =>
        read(() => deliveryIds.flatMap((id) => Queues.lastAttempts(get("delivery", id, organizationId)))),
      waitingCounts: read(() =>
        Delivery.waitingCounts(take(store.waiting("delivery", Rows.ENDPOINTS), COUNTED, ({ delivery }) => delivery))
      )
    },
    jobs: {
      get: ({ jobId, organizationId }) => read(() => store.find("job", jobId, organizationId)?.value ?? null),
      waiting: (filter) =>
        read(() =>
          scan(store.also("job", Rows.WAITING, filter.after), filter, listed(Rows.placeOf.job), (job) =>
            Job.isWaiting(job) && Job.isAsked(job, filter) ? job : null
          )
        ),
      ofSim: (of) => read(() => Queues.ofSim(store, of)),
      purchases: (of) => read(() => Queues.purchases(store, of))
    },
    problems: {
      page: ({ after, limit, organizationId }) =>
        read(() =>
          take(store.also("job", Rows.PROBLEMS, after), limit, (job) =>
            organizationId === undefined || organizationId === job.organizationId ? job : null
          )
        ),
      count: read(() => take(store.also("job", Rows.PROBLEMS, null), COUNTED, all).length)
    },
    overview: {
      waitingJobs: (of) => read(() => OverviewRows.waitingJobs(store, of)),
      failingEndpoints: (of) => read(() => OverviewRows.failingEndpoints(store, of)),
      stocks: (of) => read(() => OverviewRows.stocks(store, of)),
      loads: read(() => OverviewRows.loads(store)),
      database: Effect.succeed(null)
    },
    auditEntries: {
      page: ({ organizationId, ...filter }) =>
        read(() =>
          scan(newest("auditEntry", organizationId, filter.after), filter, listed(Rows.placeOf.auditEntry), (entry) =>
            AuditEntry.isAsked(entry, filter) ? entry : null
          )
        ),
      actor: ({ action, createdAt, organizationId, resourceId }) =>
        read(() => {
          for (const { value } of newest("auditEntry", organizationId, { createdAt: createdAt + 1, id: "" })) {
            if (value.createdAt < createdAt) return null
            if (value.action === action && value.resourceId === resourceId) return value.actor
          }
          return null
        })
    },
    commands: {
      get: ({ commandId, organizationId }) => read(() => get("command", commandId, organizationId)),
      page: ({ after, limit, organizationId, state }) =>
        read(() =>
          take(store.also("command", Rows.commandsOf(organizationId), after), limit, (command) =>
            state === null || state === Command.stateOf(command) ? command : null
          )
        )
    },
    idempotencyRecords: { get: ({ key, organizationId }) => read(() => get("idempotencyRecord", key, organizationId)) },
    usage: {
      entries: (query) => read(() => UsageRows.entries(store, query)),
      latest: (query) => read(() => UsageRows.latest(store, query)),
      bookings: (of) => read(() => UsageRows.bookings(store, of)),
      totals: (query) => read(() => UsageRows.totals(store, query)),
      sims: (query) => read(() => UsageRows.sims(store, query))
    },
    ledger: {
      spent: (of) => read(() => CostRows.spent(store, of)),
      booked: (of) => read(() => CostRows.booked(store, of)),
      totals: (query) => read(() => CostRows.totals(store, query))
    },
    processes: {
      list: ({ since }) => read(() => Process.shown(values(list("process", "", { createdAt: since, id: "" }))))
    },
    virtualClock: read(() => get("clock", "")?.at ?? null),
    clockOffset: Effect.succeed(0),
    watch: (listener) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => watchers.add(listener)),
          () => Effect.sync(() => watchers.delete(listener))
        )
      ),
    sessionKey: (candidate) =>
      read(() => {
        const found = get("sessionKey", "")
        if (found === null) store.put("sessionKey", { value: candidate }, null)
        return found?.value ?? candidate
      }),
    purge: (older) => read(() => Writes.purge(store, older)),
    purgeReports: ({ before }) => Effect.asVoid(read(() => store.purge("report", before, EVERYTHING))),
    purgeAudit: ({ before }) => Effect.asVoid(read(() => store.purge("auditEntry", before, EVERYTHING))),
    purgeEvents: (older) => read(() => Writes.purgeEvents(store, older)),
    purgeUsage: ({ before }) => Effect.asVoid(read(() => store.purge("usage", before, EVERYTHING))),
    ready: read(() => undefined),
    probe: (at) => read(() => store.put("probe", { at }, null)),
    deadServers: Effect.succeed([]),
    keepProcess: ({ process, silentSince }) =>
      read(() => {
        store.purge("process", silentSince, EVERYTHING)
        store.put("process", process, null)
      }),
    forgetProcess: (processId) =>
      read(() => {
        const found = get("process", processId)
        if (found !== null) store.remove("process", found)
      })
  }
}

/** The three ports over a store that is opened wherever the layer is built. */
export const layer = <E, R>(open: Effect.Effect<RowStore, E, R>) =>
  Layer.effectContext(
    Effect.map(open, (store) =>
      Context.make(Storage.Storage, storage(store)).pipe(
        Context.add(Jobs.Jobs, Queues.jobs(store)),
        Context.add(Outbox.Outbox, Queues.outbox(store))
      )
    )
  )
