/**
 * The random reads by which two storages are compared: a line for each read of the ports, with its
 * arguments drawn, and its answer made comparable: what comes in no order is sorted.
 */
import { Effect } from "effect"
import * as Cost from "../../../domain/Cost.ts"
import type { LoggedDelivery } from "../../../domain/Delivery.ts"
import * as Quota from "../../../domain/Quota.ts"
import { statuses } from "../../../domain/Sim.ts"
import * as SimSearch from "../../../domain/SimSearch.ts"
import { serviceStatuses, type SubscriptionWithSim } from "../../../domain/Subscription.ts"
import { DAY, HOUR, type Instant, MINUTE } from "../../../domain/Time.ts"
import * as UsageBook from "../../../domain/UsageBook.ts"
import type { Pending } from "../../../ports/Jobs.ts"
import type { Keyset, Read } from "../../../ports/Storage.ts"
import type { costs } from "../../../ports/storage/ReadCosts.ts"
import type { Side } from "./RandomCommits.ts"
import { type Ask, idOf, pick, type Run, wantedLoad } from "./RandomSteps.ts"
import * as Rows from "../world/Rows.ts"
import { items } from "../world/World.ts"

/** The questions of a read; or why it is not compared. */
type Compared = ReadonlyArray<Read<unknown>> | string

/** A read without a line here does not compile. */
type Reads = {
  readonly [Group in keyof typeof costs]: { readonly [Name in keyof (typeof costs)[Group]]: Compared }
}

const OF_ALL = "it reads what other cases have left"
const UNWRITTEN = "no random step writes what it reads"

/** Sorted by these fields. */
const sorted = <A>(read: Read<ReadonlyArray<A>>, ...fields: ReadonlyArray<keyof A>) => {
  const text = (value: A) => fields.map((field) => String(value[field])).join(" ")
  return Effect.map(read, (all) => all.toSorted((a, b) => (text(a) < text(b) ? -1 : 1)))
}

/** The cursor of a row with an id of that name. */
const created =
  <Id extends string>(id: Id) =>
  (value: { readonly createdAt: Instant } & Readonly<Record<Id, string>>) => ({
    createdAt: value.createdAt,
    id: value[id]
  })

const reads = (run: Run, { world }: Side, ask: Ask): Reads => {
  const { organizationId, storage } = world
  const { choice, row } = ask
  const organization = { organizationId }
  const selling = { sellAfter: world.now + (choice % 4) * DAY }
  const id = idOf(run, world, row)
  const iccid = pick(run.iccids, row)
  const plans = {
    archived: pick([null, true, false], choice),
    label: pick([null, "Green", "Blue"] as const, choice),
    search: pick([null, "AL", "%", "_", "é", "a"], row),
    covering: choice % 4 === 3 ? { coverageIds: [id], iso2List: choice > 12 ? ["SE", "NO"] : ["SE"] } : null
  }
  const sims = {
    isEsim: pick([null, true, false], choice),
    label: pick([null, "Green", "Blue"] as const, row)
  }
  const today = UsageBook.dayOf(world.now)
  const days = { from: today - (choice % 3) * 20 * DAY, until: today + (1 + 20 * (row % 2)) * DAY }
  const searches = {
    status: pick([null, null, ...statuses], choice),
    tag: pick([null, null, "vip", "été"], choice),
    createdAfter: pick([null, world.now - HOUR, world.now], choice + row),
    search: SimSearch.of(
      pick(
        [
          "",
          iccid.slice(0, 1 + choice),
          iccid.slice(-1 - row),
          `4477009000${row}`,
          `0${7700900000 + row}`,
          "M",
          "one",
          id
        ],
        choice
      )
    )
  }
  const service = pick([null, ...serviceStatuses], choice)
  const asked = {
    since: world.now + (choice - 5) * HOUR,
    packageIds: [`T-${choice}`],
    reportIds: ["report 0", "report 1", "report 2", "report 3"]
  }
  const at = { now: world.now, machineNow: ask.machineNow }
  // A page of 1 to 6 after one of the first rows.
  const pages = <A, Cursor>(cursor: (value: A) => Cursor, read: (of: Keyset<Cursor>) => Read<ReadonlyArray<A>>) =>
    Effect.flatMap(read({ after: null, limit: 6 }), (first) => {
      const after = first[choice % 7]
      const next = read({ after: after === undefined ? null : cursor(after), limit: 1 + row })
      return Effect.map(next, (found) => [first, found])
    })
  const ofSubscription = ({ subscription }: SubscriptionWithSim) => created("subscriptionId")(subscription)
  const serial = ({ importSequence }: { readonly importSequence: number }) => importSequence
  // What is pending of this run: other cases' work is due half a year later.
  const own = ({ dueAt, held }: Pending): Pending => ({
    dueAt: dueAt !== null && dueAt > run.now + 12 * HOUR ? null : dueAt,
    held
  })
  const each = <A>(ids: Read<ReadonlyArray<string>>, read: (id: string) => Read<A>) =>
    Effect.flatMap(ids, (found) => Effect.forEach(found, read))
  const logged = items(storage.deliveries.page({ ...organization, after: null, limit: 6 }))
  const deliveryIds = Effect.map(logged, (found) => found.map(({ delivery }) => delivery.deliveryId))
  // The SIM's own attachments, and those of another one, to which they may have moved.
  const holders = [iccid, pick(run.iccids, row + choice)]
  const held = Effect.forEach(holders, (one) => storage.simAggregates.get({ ...organization, iccid: one }))
  const attachmentIds = Effect.map(held, (found) =>
    found.flatMap((one) => (one?.attachments ?? []).map(({ attachment }) => attachment.attachmentId))
  )
  const used = storage.usage.entries({ ...organization, ...days, iccid, after: null, limit: 6 })
  const organizationIds = run.worlds.map((one) => one.organizationId)
  const iso2List = pick([["NO", "SE"], ["SE"], []], choice)
  const occurrence = choice % 4
  const reported = storage.simAggregates.forReports({
    iccids: run.iccids.slice(row).map((one) => ({ ...asked, iccid: one })),
    seenSince: world.now + (choice % 6) * MINUTE
  })
  const reports = Effect.map(reported, (found) =>
    found.map(({ aggregate, seen }) => ({
      iccid: aggregate.sim.iccid,
      aggregate: Rows.forReports(aggregate),
      seen: seen.toSorted()
    }))
  )
  return {
    organizations: {
      get: [storage.organizations.get(organizationId)],
      getAll: [sorted(storage.organizations.getAll(organizationIds), "organizationId")],
      page: OF_ALL,
      count: [Effect.forEach(Quota.kinds, (kind) => storage.organizations.count({ ...organization, kind, atMost: 3 }))]
    },
    operators: {
      byHash: [storage.operators.byHash(pick(run.hashes, choice))],
      named: [storage.operators.named(pick(run.hashes, choice))],
      get: [storage.operators.get(idOf(run, run.worlds[0], row))],
      page: OF_ALL
    },
    sessions: { get: [storage.sessions.get(idOf(run, run.worlds[0], row % 3))] },
    apiKeys: {
      byHash: [storage.apiKeys.byHash(pick(run.hashes, choice)), storage.apiKeys.byHash(`before ${id}`)],
      get: [storage.apiKeys.get({ ...organization, apiKeyId: id })],
      page: [pages(created("apiKeyId"), (keyset) => storage.apiKeys.page({ ...organization, ...keyset }))]
    },
    webhookEndpoints: {
      get: [storage.webhookEndpoints.get({ ...organization, endpointId: id })],
      page: [pages(created("endpointId"), (keyset) => storage.webhookEndpoints.page({ ...organization, ...keyset }))],
      namedTypes: [Effect.map(storage.webhookEndpoints.namedTypes(organization), (types) => types.toSorted())],
      failingSince: [
        storage.webhookEndpoints.failingSince({ ...organization, endpointId: id, from: 0, createdFrom: 0 })
      ],
      health: [sorted(storage.webhookEndpoints.health({ ...organization, endpointIds: [id] }), "endpointId")],
      failing: OF_ALL
    },
    eventHandlers: { list: UNWRITTEN, delivery: UNWRITTEN, failed: UNWRITTEN },
    plans: {
      get: [storage.plans.get({ ...organization, planId: id })],
      page: [pages(created("planId"), (keyset) => items(storage.plans.page({ ...organization, ...plans, ...keyset })))],
      uses: OF_ALL
    },
    regions: {
      get: [storage.regions.get({ ...organization, coverageId: id })],
      find: [storage.regions.find(id)],
      page: [pages(created("coverageId"), (keyset) => storage.regions.page({ ...organization, ...keyset }))],
      like: [sorted(storage.regions.like({ ...organization, regionName: `Region ${row}`, iso2List }), "coverageId")]
    },
    catalogues: { get: [storage.catalogues.get], version: "a storage may number them while it starts" },
    simAggregates: {
      get: [storage.simAggregates.get({ ...organization, iccid })],
      forAttachment: [
        storage.simAggregates.forAttachment({ ...organization, iccid, attachmentId: id }),
        each(attachmentIds, (attachmentId) =>
          storage.simAggregates.forAttachment({ ...organization, iccid, attachmentId })
        )
      ],
      forOccurrence: [
        storage.simAggregates.forOccurrence({ ...organization, iccid, attachmentId: id, occurrence }),
        each(attachmentIds, (attachmentId) => {
          const found = storage.simAggregates.forOccurrence({ ...organization, iccid, attachmentId, occurrence })
          return Effect.map(found, Rows.forOccurrence)
        })
      ],
      forReports: [sorted(reports, "iccid")],
      owner: [storage.simAggregates.owner(iccid)]
    },
    subscriptions: {
      get: [storage.subscriptions.get({ ...organization, iccid })],
      page: [pages(ofSubscription, (keyset) => storage.subscriptions.page({ ...organization, ...keyset }))],
      find: [
        pages(ofSubscription, (keyset) =>
          items(
            storage.subscriptions.find({ ...organization, ...searches, status: service, label: sims.label, ...keyset })
          )
        )
      ],
      attachments: [
        storage.subscriptions.attachments({ ...organization, iccid }),
        storage.subscriptions.attachments({ ...organization, iccid, id }),
        each(attachmentIds, (attachmentId) =>
          storage.subscriptions.attachments({ ...organization, iccid, id: attachmentId })
        )
      ]
    },
    deliveries: {
      get: [each(deliveryIds, (deliveryId) => storage.deliveries.get({ ...organization, deliveryId }))],
      page: [
        pages(
          (one: LoggedDelivery) => created("deliveryId")(one.delivery),
          (keyset) => items(storage.deliveries.page({ ...organization, ...keyset }))
        )
      ],
      attempts: [each(deliveryIds, (deliveryId) => storage.deliveries.attempts({ ...organization, deliveryId }))],
      lastAttempts: [
        Effect.flatMap(deliveryIds, (ids) =>
          sorted(storage.deliveries.lastAttempts({ ...organization, deliveryIds: ids }), "deliveryId")
        )
      ],
      waitingCounts: OF_ALL
    },
    idempotencyRecords: { get: [storage.idempotencyRecords.get({ ...organization, key: `key ${row % 3}` })] },
    commands: { get: UNWRITTEN, page: UNWRITTEN },
    auditEntries: { page: UNWRITTEN, actor: UNWRITTEN },
    jobs: {
      get: [storage.jobs.get({ jobId: `${id}:0` })],
      waiting: [pages(created("jobId"), (keyset) => items(storage.jobs.waiting({ ...organization, ...keyset })))],
      ofSim: [storage.jobs.ofSim({ ...organization, iccid, after: null, limit: 1 + row })],
      purchases: [storage.jobs.purchases({ ...organization, limit: 1 + row })],
      backlog: OF_ALL,
      partitions: OF_ALL,
      pending: [Effect.map(world.jobs.pending(at), own)]
    },
    problems: {
      page: [pages(created("jobId"), (keyset) => storage.problems.page({ ...organization, ...keyset }))],
      count: OF_ALL
    },
    usage: {
      entries: [
        pages(
          (entry: UsageBook.SimEntry) => entry,
          (keyset) => storage.usage.entries({ ...organization, ...days, iccid, ...keyset })
        )
      ],
      latest: [
        pages(
          (entry: UsageBook.SimEntry) => entry,
          ({ after, limit }) => storage.usage.latest({ ...organization, iccid, before: after, limit })
        )
      ],
      bookings: [
        Effect.flatMap(used, (entries) => {
          const attachmentIds = [id, ...new Set(entries.map(({ attachmentId }) => attachmentId))]
          return sorted(storage.usage.bookings({ ...organization, attachmentIds }), "attachmentId")
        })
      ],
      totals: [choice, choice + row, 5 * row].map((at) => {
        const by = pick(UsageBook.totalGroupings, at)
        return pages(
          (total: UsageBook.Total) => total,
          (keyset) => storage.usage.totals({ ...organization, ...days, by, ...keyset })
        )
      }),
      sims: [
        pages(
          (one: { readonly iccid: string; readonly bytes: number }) => one.iccid,
          (keyset) => storage.usage.sims({ ...organization, ...days, ...keyset })
        )
      ]
    },
    ledger: {
      spent: [storage.ledger.spent({ ...organization, since: world.now - choice * DAY })],
      booked: [storage.ledger.booked({ ...organization, costId: id })],
      totals: [choice, choice + row].map((at) => {
        const by = pick(Cost.groupings, at)
        return pages(
          (total: Cost.Total) => total,
          (keyset) => storage.ledger.totals({ ...organization, ...days, by, ...keyset })
        )
      })
    },
    overview: {
      waitingJobs: [storage.overview.waitingJobs(organization)],
      failingEndpoints: [storage.overview.failingEndpoints(organization)],
      stocks: [sorted(storage.overview.stocks({ ...organization, since: world.now - choice, ...selling }), "label")],
      loads: OF_ALL,
      database: "the reference has no server"
    },
    processes: { list: UNWRITTEN },
    sims: {
      get: [storage.sims.get({ ...organization, iccid })],
      page: [pages(serial, (keyset) => storage.sims.page({ ...organization, ...sims, ...keyset }))],
      find: [pages(serial, (keyset) => items(storage.sims.find({ ...organization, ...sims, ...searches, ...keyset })))],
      search:
        searches.search === null
          ? []
          : [storage.sims.search({ search: searches.search, organizationId, limit: 1_000 })],
      free: [storage.sims.free({ ...organization, label: sims.label ?? "Green", load: wantedLoad(world.now, choice) })],
      stock: [sorted(storage.sims.stock({ organizationIds: [organizationId], ...selling }), "label")],
      counts: [sorted(storage.sims.counts({ ...organization, ...selling }), "label", "isEsim", "state")],
      countFree: [{}, { load: "1 GB" }].map((more) =>
        storage.sims.countFree({
          ...organization,
          ...selling,
          label: sims.label ?? "Green",
          atMost: 1 + choice,
          ...more
        })
      ),
      levels: [storage.sims.levels({ organizationIds })],
      identities: [storage.sims.identities({ ...organization, iccid })],
      smdpHistory: [storage.sims.smdpHistory({ ...organization, iccid })]
    },
    outbox: {
      backlog: OF_ALL,
      partitions: OF_ALL,
      pending: [Effect.map(world.outbox.pending(at), own)],
      pendingForHandler: UNWRITTEN
    }
  }
}

/** All questions about what a row of the pools names. */
export const all = (run: Run, side: Side, ask: Ask): ReadonlyArray<Read<unknown>> => [
  side.world.storage.virtualClock,
  ...Object.values<Readonly<Record<string, Compared>>>(reads(run, side, ask)).flatMap((group) =>
    Object.values(group).flatMap((questions) => (typeof questions === "string" ? [] : questions))
  )
]
