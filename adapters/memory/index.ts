/**
 * Storage, jobs and outbox in memory: for tests, simulations and trying things out. Nothing outlives the process.
 *
 * It says what the ports mean in the fewest words: plain maps, and an aggregate for each SIM. Every operation is one
 * synchronous step, which is what makes a commit whole and a read a snapshot.
 */
import { Context, Effect, Layer } from "effect"
import {
  AuditEntry,
  Changes,
  Jobs,
  Outbox,
  type Plan,
  Problem,
  Region,
  SimAggregate,
  Storage,
  WebhookEndpoint
} from "simplan/ports"
import * as Commits from "./Commits.ts"
import * as Deliveries from "./Deliveries.ts"
import * as Queue from "./Queue.ts"
import * as Sims from "./Sims.ts"
import { byNumber, byText } from "./SortedList.ts"
import * as Tables from "./Tables.ts"

// The first `limit` of the selected things.
const take = <A, B>(
  things: Iterable<A>,
  limit: number,
  select: (thing: A) => B | null | undefined
): ReadonlyArray<B> => {
  const taken: Array<B> = []
  for (const thing of things) {
    if (taken.length >= limit) break
    const selected = select(thing)
    if (selected !== undefined && selected !== null) taken.push(selected)
  }
  return taken
}

type CursorOf<A> = (value: A) => Storage.CreatedCursor

/** The place in a list by creation of what has its id under this name. */
const created =
  <Name extends string>(name: Name) =>
  (value: { readonly createdAt: number } & { readonly [Key in Name]: string }): Storage.CreatedCursor => ({
    createdAt: value.createdAt,
    id: value[name]
  })

const sorted = <A>(values: Iterable<A>, cursorOf: CursorOf<A>): ReadonlyArray<A> =>
  [...values].sort((left, right) => Tables.byCreation(cursorOf(left), cursorOf(right)))

const page = <A>(
  values: Iterable<A>,
  cursorOf: CursorOf<A>,
  { after, limit }: Storage.Keyset<Storage.CreatedCursor>
): ReadonlyArray<A> =>
  sorted(values, cursorOf)
    .filter((value) => after === null || Tables.byCreation(cursorOf(value), after) > 0)
    .slice(0, limit)

const present = ({ endpoints }: Tables.Tenant) => [...endpoints.values()].filter(({ deletedAt }) => deletedAt === null)

const isAsked =
  ({ regions }: Tables.Tenant, { archived, covering, label, search }: Storage.PlanQuery) =>
  ({ archivedAt, deletedAt, terms }: Plan.Plan): boolean => {
    const region = regions.get(terms.coverageId)
    return (
      deletedAt === null &&
      (archived === null || archived === (archivedAt !== null)) &&
      (label === null || label === terms.label) &&
      terms.name.toLowerCase().includes(search?.toLowerCase() ?? "") &&
      (covering === null ||
        covering.coverageIds.includes(terms.coverageId) ||
        (region !== undefined && covering.iso2List.every((iso2) => region.iso2List.includes(iso2))))
    )
  }

const storage = (tables: Tables.Tables): Storage.Storage["Service"] => {
  const watchers = new Set<(changes: Changes.Changes) => void>()
  const of = ({ organizationId }: Storage.OfOrganization) => tables.tenants.get(organizationId) ?? Tables.nobody
  const aggregateOf = ({ iccid, organizationId }: Storage.OfOrganization & { readonly iccid: string }) =>
    Tables.simOf(tables, organizationId, iccid)?.aggregate ?? null
  const live = ({ sim, subscription }: SimAggregate.SimAggregate) =>
    subscription?.status === "Live" ? [{ subscription, sim }] : []
  const delivery = (asked: { readonly organizationId: string; readonly deliveryId: string }) =>
    tables.deliveries.get(Tables.deliveryKey(asked))?.value ?? null
  const problems = () => tables.jobs.values().filter(Problem.isProblem)
  return {
    commit: (commit) =>
      Effect.suspend(() => {
        const on = Commits.conflict(tables, commit)
        if (on !== null) return Effect.fail(new Storage.Conflict({ on }))
        Commits.apply(tables, commit)
        const changes = Changes.of(commit)
        if (!Changes.isNothing(changes)) for (const hear of watchers) hear(changes)
        return Effect.void
      }),
    organizations: {
      page: (query) => Effect.sync(() => page(tables.organizations.values(), created("organizationId"), query)),
      get: (organizationId) => Effect.sync(() => tables.organizations.get(organizationId) ?? null)
    },
    apiKeys: {
      byHash: (hash) =>
        Effect.sync(() => {
          for (const { apiKeys } of tables.tenants.values()) {
            for (const key of apiKeys.values()) if (key.hash === hash) return key
          }
          return null
        }),
      get: (asked) => Effect.sync(() => of(asked).apiKeys.get(asked.apiKeyId) ?? null),
      page: (query) => Effect.sync(() => page(of(query).apiKeys.values(), created("apiKeyId"), query))
    },
    webhookEndpoints: {
      get: (asked) => Effect.sync(() => present(of(asked)).find((one) => one.endpointId === asked.endpointId) ?? null),
      page: (query) => Effect.sync(() => page(present(of(query)), created("endpointId"), query)),
      namedTypes: (asked) =>
        Effect.sync(() => {
          const live = [...of(asked).endpoints.values()].filter(WebhookEndpoint.isEnabled)
          const handlers = [...tables.handlers.values()].filter(
            ({ organizationId }) => organizationId === null || organizationId === asked.organizationId
          )
          const handled = handlers.flatMap(({ types }) => types)
          return [...new Set([...live.flatMap(({ events }) => events ?? []), ...handled])]
        }),
      failingSince: (asked) => Effect.sync(() => Deliveries.failingSince(tables, asked))
    },
    eventHandlers: {
      list: Effect.sync(() => [...tables.handlers.values()].sort((left, right) => byText(left.name, right.name)))
    },
    plans: {
      get: (asked) => Effect.sync(() => of(asked).plans.get(asked.planId) ?? null),
      page: (query) =>
        Effect.sync(() => {
          const asked = [...of(query).plans.values()].filter(isAsked(of(query), query))
          return page(asked, created("planId"), query)
        })
    },
    regions: {
      get: (asked) => Effect.sync(() => of(asked).regions.get(asked.coverageId) ?? null),
      page: (query) => Effect.sync(() => page(of(query).regions.values(), created("coverageId"), query)),
      like: (asked) =>
        Effect.sync(() =>
          [...of(asked).regions.values()].filter(
            ({ iso2List, regionName }) =>
              regionName === asked.regionName || Region.sameCountries(iso2List, asked.iso2List)
          )
        )
    },
    catalogues: {
      version: Effect.sync(() => tables.catalogueVersion),
      get: Effect.sync(() => tables.catalogue)
    },
    sims: {
      import: (sims, auditEntry) => Effect.sync(() => Sims.importSims(tables, sims, auditEntry)),
      page: (query) =>
        Effect.sync(() => {
          const { after, isEsim, label, limit } = query
          return take(
            of(query).sims.after(after === null ? null : { importSequence: after, row: null }),
            limit,
            ({ row }) => {
              const sim = row?.aggregate.sim
              if (sim === undefined || (isEsim !== null && isEsim !== sim.isEsim)) return null
              return label === null || label === sim.label ? sim : null
            }
          )
        }),
      reserve: (claim) => Effect.sync(() => Sims.reserve(tables, claim)),
      release: (asked) => Effect.sync(() => Sims.release(tables, asked)),
      smdpHistory: (asked) =>
        Effect.sync(() =>
          (of(asked).smdpEntries.get(asked.iccid) ?? []).toSorted((left, right) =>
            byNumber(left.modifiedAt, right.modifiedAt)
          )
        )
    },
    simAggregates: {
      get: (asked) => Effect.sync(() => aggregateOf(asked)),
      forOccurrence: (asked) =>
        Effect.sync(() => {
          const aggregate = aggregateOf(asked)
          return aggregate === null ? null : SimAggregate.forOccurrence(aggregate, asked)
        }),
      forReports: ({ iccids, seenSince }) =>
        Effect.sync(() =>
          take(iccids, iccids.length, (asked) => {
            const aggregate = tables.sims.get(asked.iccid)?.aggregate
            if (aggregate === undefined) return null
            const { seenReports } = of(aggregate.sim)
            const seen = asked.reportIds.filter((id) => (seenReports.get(id) ?? Number.NEGATIVE_INFINITY) >= seenSince)
            return { aggregate: SimAggregate.forReports(aggregate, asked), seen }
          })
        )
    },
    subscriptions: {
      get: (asked) =>
        Effect.sync(() => {
          const aggregate = aggregateOf(asked)
          return aggregate === null ? null : (live(aggregate)[0] ?? null)
        }),
      page: (query) =>
        Effect.sync(() => {
          const all = [...of(query).sims.after(null)].flatMap(({ row }) => (row === null ? [] : live(row.aggregate)))
          return page(all, ({ subscription }) => created("subscriptionId")(subscription), query)
        }),
      attachments: (asked) =>
        Effect.sync(() => {
          const aggregate = aggregateOf(asked)
          return aggregate === null || live(aggregate).length === 0 ? null : aggregate.attachments
        })
    },
    deliveries: {
      get: (asked) => Effect.sync(() => delivery(asked)),
      page: (query) =>
        Effect.sync(() =>
          take(of(query).deliveries.before(query.after), query.limit, ({ id }) => {
            const logged = delivery({ organizationId: query.organizationId, deliveryId: id })
            return logged !== null && Deliveries.isAsked(query, logged) ? logged : null
          })
        ),
      attempts: (asked) =>
        Effect.sync(() => [...(of(asked).attempts.get(asked.deliveryId)?.values() ?? [])].reverse().slice(0, 100))
    },
    problems: {
      get: (jobId) => Effect.sync(() => tables.jobs.get(jobId)?.value ?? null),
      page: (query) => Effect.sync(() => page(problems(), created("jobId"), query)),
      count: Effect.sync(() => Math.min(problems().length, 10_000))
    },
    auditEntries: {
      page: (query) =>
        Effect.sync(() => {
          const before = query.after === null ? null : { ...query.after, entry: null }
          return take(of(query).auditEntries.before(before), query.limit, ({ entry }) =>
            entry !== null && AuditEntry.isAsked(entry, query) ? entry : null
          )
        })
    },
    commands: { get: (asked) => Effect.sync(() => of(asked).commands.get(asked.commandId) ?? null) },
    idempotencyRecords: { get: (asked) => Effect.sync(() => of(asked).idempotency.get(asked.key) ?? null) },
    virtualClock: Effect.sync(() => tables.clock),
    clockOffset: Effect.succeed(0),
    watch: (hear) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => watchers.add(hear)),
          () => Effect.sync(() => watchers.delete(hear))
        )
      ),
    purge: ({ commandsBefore, idempotencyBefore, reportsBefore }) =>
      Effect.sync(() => {
        let gone = 0
        for (const { commands, idempotency, seenReports } of tables.tenants.values()) {
          for (const [id, receivedAt] of seenReports)
            if (receivedAt < reportsBefore) gone += Number(seenReports.delete(id))
          for (const [key, { createdAt }] of idempotency) {
            if (createdAt < idempotencyBefore) gone += Number(idempotency.delete(key))
          }
          for (const [id, { settledAt }] of commands) {
            if (settledAt !== null && settledAt < commandsBefore) gone += Number(commands.delete(id))
          }
        }
        return gone
      }),
    purgeAudit: ({ before, limit }) =>
      Effect.sync(() => {
        let gone = 0
        for (const { auditEntries } of tables.tenants.values()) {
          const old = take(auditEntries.after(null), limit - gone, (kept) => (kept.createdAt < before ? kept : null))
          for (const kept of old) auditEntries.delete(kept)
          gone += old.length
        }
        return gone
      }),
    purgeEvents: (older) => Effect.sync(() => Deliveries.purge(tables, older)),
    ready: Effect.void
  }
}

const jobs = ({ jobs }: Tables.Tables): Jobs.Jobs["Service"] =>
  Queue.port(
    jobs,
    ({ jobId }: Jobs.JobLease) => jobId,
    (job) => [job]
  )

const outbox = (tables: Tables.Tables): Outbox.Outbox["Service"] => {
  const keyOf = (lease: Outbox.DeliveryLease) => Tables.deliveryKey(lease)
  const toEndpoints = Queue.port(tables.deliveries, keyOf, (logged) => {
    const { endpointId, organizationId } = logged.delivery
    const endpoint = Tables.tenant(tables, organizationId).endpoints.get(endpointId)
    return endpoint === undefined ? [] : [{ ...logged, endpoint }]
  })
  const toHandlers = Queue.port(tables.handlerDeliveries, keyOf, (logged) => [logged])
  return {
    ...toEndpoints,
    claimForHandler: ({ handler, ...claim }) =>
      Effect.sync(() => tables.handlerDeliveries.claim(claim, Deliveries.firstOfHandler(tables, handler))),
    pendingForHandler: ({ handler, ...at }) =>
      Effect.sync(() => tables.handlerDeliveries.pending(at, Deliveries.firstOfHandler(tables, handler))),
    renew: (of) => Effect.andThen(toEndpoints.renew(of), toHandlers.renew(of)),
    release: (at) => Effect.andThen(toEndpoints.release(at), toHandlers.release(at)),
    handBack: (leases) => Effect.andThen(toEndpoints.handBack(leases), toHandlers.handBack(leases))
  }
}

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
