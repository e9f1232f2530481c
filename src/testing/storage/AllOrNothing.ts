/**
 * A commit happens as a whole or not at all: one that writes something of every kind is spoilt in
 * every way there is, and nothing of it may be seen. Then it is made without the fault, and all of
 * it must be seen.
 */
import { Effect, Equal } from "effect"
import type { Catalogue } from "../../domain/Catalogue.ts"
import type { SimChange } from "../../domain/SimDifference.ts"
import { HOUR } from "../../domain/Time.ts"
import type { Commit, Conflict } from "../../ports/Storage.ts"
import * as Suite from "../Suite.ts"
import { change, simChange, subscribe } from "./world/World.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

const everything = { after: null, limit: 1_000 } as const

const anyPlan = { ...everything, archived: null, label: null, search: null, covering: null } as const

const anyEntry = { from: null, to: null, actor: null, action: null, resourceId: null } as const

/** What is there before the commit that writes something of every kind, and that commit. */
const prepare = (world: World.World) =>
  Effect.gen(function* () {
    const { organizationId, storage } = world
    const organization = { organizationId }
    const sim = yield* World.stockOne(world)
    const spare = yield* World.stockOne(world)
    const stocked = yield* World.stockOne(world)
    const plan = Rows.plan(world)
    const key = Rows.apiKey(world)
    const hook = Rows.endpoint(world)
    const region = Rows.region(world)
    const old = Rows.subscription(world, spare)
    const oldAttachment = Rows.attachment(world, old)
    const inUse = Rows.subscription(world, stocked)
    const usedAttachment = Rows.attachment(world, inUse)
    const usedPack = Rows.pack(world, usedAttachment, 0)
    const [settled, forgotten] = [Rows.record(world), Rows.record(world)]
    const [finished, retried, cancelled] = [Rows.job(world), Rows.job(world), Rows.job(world)]
    const [reopened, resolved] = [Rows.job(world, { endedAt: world.now }), Rows.job(world, { endedAt: world.now })]
    const hastened = Rows.job(world, { dueAt: world.now + HOUR, waiting: Rows.waiting(world.now) })
    const [first, second] = [Rows.event(world), Rows.event(world)]
    const token = world.id()
    yield* storage.commit({ plans: [plan], apiKeys: [key], webhookEndpoints: [hook], regions: [region] })
    yield* storage.commit({
      sims: [
        subscribe(spare, old, { attachments: [oldAttachment], packages: [Rows.pack(world, oldAttachment, 0)] }),
        subscribe(stocked, inUse, { attachments: [usedAttachment], packages: [usedPack] })
      ],
      idempotency: { put: [settled, forgotten].map((record) => ({ record, replaces: world.now })) },
      events: [first, second],
      jobs: { put: [finished, retried, hastened, reopened, resolved, cancelled].map((job) => ({ job, lease: null })) }
    })
    const jobs = yield* world.jobs.claim(World.claim(world, { token }))
    yield* Suite.equals("claimed jobs", new Set(jobs), new Set([finished, retried, cancelled]))
    const deliveries = yield* world.outbox.claim(World.claim(world, { token }))
    const toSettle = yield* World.given("a due delivery", deliveries[0])
    const toReplay = yield* World.given("a second due delivery", deliveries[1])

    const subscription = Rows.subscription(world, sim)
    const attachment = Rows.attachment(world, subscription)
    const pack = Rows.pack(world, attachment, 0)
    const used = yield* World.aggregate(world, stocked.iccid)
    const record = Rows.record(world)
    const seen = { organizationId, reportId: world.id(), receivedAt: world.now }
    const catalogue: Catalogue = {
      countries: [{ iso2: "SE", iso3: "SWE", name: world.id() }],
      operators: [],
      profiles: []
    }
    const next = { ...toSettle.delivery, attempts: 1, retryStep: 1, nextAttemptAt: world.now + HOUR }
    const commit: Commit = {
      organizations: [{ ...World.organization(world), name: "Renamed" }],
      apiKeys: [Rows.apiKey(world), { ...key, version: 1, name: "Renamed" }],
      plans: [Rows.plan(world), { ...plan, version: 1, archivedAt: world.now }],
      regions: [Rows.region(world)],
      sims: [
        subscribe(sim, subscription, { attachments: [attachment], packages: [pack] }),
        change(yield* World.aggregate(world, spare.iccid), {
          sim: { allocation: { _tag: "Free" } },
          subscription: null
        }),
        change(used, {
          sim: { downloaded: true, lastActivityAt: world.now },
          attachments: [{ ...usedAttachment, anchor: world.now, lastThresholdNotified: 1 }],
          packages: [{ ...usedPack, usedBytes: 1 }]
        })
      ],
      reports: { smdpEntries: [Rows.smdpEntry(world, sim)], seen: [seen] },
      idempotency: {
        put: [{ record, replaces: world.now }],
        settled: [
          { ...organization, key: settled.key, outcome: { _tag: "Succeeded", answer: { kind: "Done", value: null } } }
        ],
        forgotten: [{ ...organization, key: forgotten.key }]
      },
      events: [Rows.event(world)],
      jobs: {
        put: [{ job: Rows.job(world, { dueAt: world.now - 2 * HOUR }), lease: null }],
        finished: [{ ...World.of(world), jobId: finished.jobId, token }],
        retried: [{ ...World.of(world), jobId: retried.jobId, token, dueAt: world.now - HOUR, attempts: 1 }],
        hastened: [{ ...World.of(world), jobId: hastened.jobId, dueAt: world.now }],
        reopened: [
          { ...World.of(world), jobId: reopened.jobId, endedAt: world.now, dueAt: world.now - HOUR, attempts: 0 }
        ],
        resolved: [{ ...World.of(world), jobId: resolved.jobId, endedAt: world.now }],
        cancelled: [cancelled]
      },
      deliveries: {
        settled: [{ delivery: next, token }],
        replayed: [{ ...toReplay.delivery, retryStep: 0, attempts: 3 }]
      },
      auditEntries: [Rows.auditEntry(world)],
      catalogue,
      clock: world.now
    }
    const idempotencyKeys = [record.key, settled.key, forgotten.key]
    const reportIds = [seen.reportId]
    return {
      plan,
      key,
      hook,
      region,
      sim,
      stocked,
      record,
      retried,
      resolved,
      toReplay,
      commit,
      observe: observe(world, [sim.iccid, spare.iccid, stocked.iccid], idempotencyKeys, reportIds, [
        hastened.jobId,
        reopened.jobId,
        resolved.jobId
      ])
    }
  })

const observe = (
  world: World.World,
  iccids: ReadonlyArray<string>,
  keys: ReadonlyArray<string>,
  reportIds: ReadonlyArray<string>,
  problemIds: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const { machineNow, now, organizationId, storage } = world
    const organization = { organizationId }
    const aggregates = yield* storage.simAggregates.forReports({
      iccids: iccids.map((iccid) => ({ iccid, since: world.now, packageIds: [], reportIds })),
      seenSince: world.now
    })
    return {
      organization: yield* storage.organizations.get(organizationId),
      apiKeys: yield* storage.apiKeys.page({ ...organization, ...everything }),
      endpoints: yield* storage.webhookEndpoints.page({ ...organization, ...everything }),
      plans: yield* storage.plans.page({ ...organization, ...anyPlan }),
      regions: yield* storage.regions.page({ ...organization, ...everything }),
      aggregates: yield* Effect.forEach(iccids, (iccid) => World.aggregate(world, iccid)),
      seen: aggregates.flatMap(({ seen }) => seen),
      subscriptions: yield* storage.subscriptions.page({ ...organization, ...everything }),
      smdpEntries: yield* Effect.forEach(iccids, (iccid) => storage.sims.smdpHistory({ ...organization, iccid })),
      deliveries: yield* storage.deliveries.page({ ...organization, ...everything }),
      idempotency: yield* Effect.forEach(keys, (key) => storage.idempotencyRecords.get({ ...organization, key })),
      jobs: yield* world.jobs.pending({ now, machineNow }),
      problems: yield* Effect.forEach(problemIds, (jobId) => storage.jobs.get({ ...organization, jobId })),
      outbox: yield* world.outbox.pending({ now, machineNow }),
      auditEntries: yield* storage.auditEntries.page({ ...organization, ...everything, ...anyEntry }),
      catalogueVersion: yield* storage.catalogues.version,
      catalogue: yield* storage.catalogues.get,
      clock: yield* storage.virtualClock
    }
  })

type Prepared = Effect.Success<ReturnType<typeof prepare>>

/** One way to make the commit fail: on what, and the commit that does. */
type Spoil = (world: World.World, prepared: Prepared) => readonly [Conflict["on"], Commit]

const stale = ({ loaded, next }: SimChange): SimChange => ({
  loaded: { ...loaded, sim: { ...loaded.sim, version: 0 } },
  next
})

const spoils: Readonly<Record<string, Spoil>> = {
  "a SIM's version is stale": (_, { commit, sim }) => [
    "version",
    { ...commit, sims: (commit.sims ?? []).map((one) => (one.next.sim.iccid === sim.iccid ? stale(one) : one)) }
  ],
  "the version of a SIM that is used is stale": (_, { commit, stocked }) => [
    "version",
    { ...commit, sims: (commit.sims ?? []).map((one) => (one.next.sim.iccid === stocked.iccid ? stale(one) : one)) }
  ],
  "a SIM does not exist": (world, { commit, sim }) => [
    "version",
    { ...commit, sims: [...(commit.sims ?? []), simChange({ ...sim, iccid: world.iccid() })] }
  ],
  "a plan's version is stale": (_, { commit, plan }) => ["version", { ...commit, plans: [{ ...plan, version: 0 }] }],
  "an API key's version is stale": (_, { commit, key }) => [
    "version",
    { ...commit, apiKeys: [{ ...key, version: 3 }] }
  ],
  "an endpoint's version is stale": (_, { commit, hook }) => [
    "version",
    { ...commit, events: [], webhookEndpoints: [{ ...hook, version: 0 }] }
  ],
  "a new plan has a version": (world, { commit }) => [
    "version",
    { ...commit, plans: [Rows.plan(world, { version: 1 })] }
  ],
  "a region's name is taken": (world, { commit, region }) => [
    "region name",
    { ...commit, regions: [Rows.region(world), Rows.region(world, { regionName: region.regionName })] }
  ],
  "two of its regions have one name": (world, { commit }) => {
    const region = Rows.region(world)
    return ["region name", { ...commit, regions: [region, { ...Rows.region(world), regionName: region.regionName }] }]
  },
  "a region's countries are taken": (world, { commit, region }) => [
    "region countries",
    { ...commit, regions: [Rows.region(world), Rows.region(world, { iso2List: region.iso2List.toReversed() })] }
  ],
  "two of its regions have the same countries": (world, { commit }) => {
    const region = Rows.region(world)
    return ["region countries", { ...commit, regions: [region, Rows.region(world, { iso2List: region.iso2List })] }]
  },
  "an API key's hash is taken": (world, { commit, key }) => [
    "api key",
    { ...commit, apiKeys: [Rows.apiKey(world, { hash: key.hash })] }
  ],
  "an idempotency key is taken": (world, { commit, record }) => [
    "idempotency key",
    {
      ...commit,
      idempotency: {
        ...commit.idempotency,
        put: [
          { record, replaces: world.now },
          {
            record: { ...record, key: commit.idempotency?.settled?.[0]?.key ?? "" },
            replaces: world.now - 1
          }
        ],
        settled: []
      }
    }
  ],
  "a job's lease is another's": (world, { commit, retried }) => [
    "lease",
    {
      ...commit,
      jobs: {
        ...commit.jobs,
        retried: [{ ...World.of(world), jobId: retried.jobId, token: world.id(), dueAt: world.now, attempts: 1 }]
      }
    }
  ],
  "a job that it resolves has not ended at that time": (world, { commit, resolved }) => [
    "version",
    {
      ...commit,
      jobs: { ...commit.jobs, resolved: [{ ...World.of(world), jobId: resolved.jobId, endedAt: world.now - 1 }] }
    }
  ],
  "a job that it reopens is not there": (world, { commit }) => [
    "version",
    {
      ...commit,
      jobs: {
        ...commit.jobs,
        reopened: [{ ...World.of(world), jobId: world.id(), endedAt: world.now, dueAt: world.now, attempts: 0 }]
      }
    }
  ],
  "a job that it cancels is not there": (world, { commit }) => [
    "version",
    { ...commit, jobs: { ...commit.jobs, cancelled: [{ ...World.of(world), jobId: world.id() }] } }
  ],
  "a job that it finishes is not there": (world, { commit }) => [
    "lease",
    { ...commit, jobs: { ...commit.jobs, finished: [{ ...World.of(world), jobId: world.id(), token: world.id() }] } }
  ],
  "a delivery's lease is another's": (world, { commit, toReplay }) => [
    "lease",
    { ...commit, deliveries: { settled: [{ delivery: toReplay.delivery, token: world.id() }] } }
  ]
}

export const cases: ReadonlyArray<World.Scenario> = Object.entries(spoils).map(([why, spoil]) =>
  scenario(`a commit writes nothing whatever where ${why}`, function* (world) {
    const prepared = yield* prepare(world)
    const before = yield* prepared.observe
    const [on, commit] = spoil(world, prepared)
    yield* World.conflicts(world, `the commit where ${why}`, commit, on)
    yield* Suite.equals("what there is after it", yield* prepared.observe, before)
    yield* world.storage.commit(prepared.commit)
    const after = new Map<string, unknown>(Object.entries(yield* prepared.observe))
    for (const [part, value] of Object.entries(before)) {
      yield* Suite.holds(
        `${part} are changed by the same commit without that fault`,
        part === "endpoints" || !Equal.equals(after.get(part), value)
      )
    }
    yield* World.finishAll(world)
  })
)
