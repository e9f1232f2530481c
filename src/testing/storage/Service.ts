/**
 * What belongs to the whole service: organizations, which see nothing of each other, the catalogue,
 * the clock, what is forgotten by age, and what processes notify each other of, such as the usage
 * of rate limits (rule W10).
 *
 * A suite has one process. What another one receives of usage and changes is the adapter's own
 * test. Who watches may always be notified that anything has changed, so that no case expects that
 * something is not.
 */
import { Effect, Exit } from "effect"
import type { Catalogue } from "../../domain/Catalogue.ts"
import { DAY, HOUR, MINUTE } from "../../domain/Time.ts"
import { dayOf } from "../../domain/UsageBook.ts"
import * as Suite from "../Suite.ts"
import { simChange, subscribe } from "./world/World.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"
import * as Changes from "../../ports/Changes.ts"
import type { Commit } from "../../ports/Storage.ts"
import { RateLimitUsage } from "../../ports/RateLimitUsage.ts"

const catalogue = (world: World.World, operators: number): Catalogue => ({
  countries: [
    { iso2: "SE", iso3: "SWE", name: "Sweden" },
    { iso2: "CI", iso3: "CIV", name: "Côte d'Ivoire" }
  ],
  operators: Array.from({ length: operators }, (_, index) => ({
    operatorId: world.id(),
    name: `Operator "${index}" é`,
    countryIso2: index % 2 === 0 ? "SE" : "CI",
    supportedRats: ["2G", "4G"].slice(index % 3),
    mccMnc: ["240-01", "240-099"],
    labels: ["Green", "Voilet"]
  })),
  profiles: [
    { coverageId: world.id(), label: "Green", regionName: "Sweden", regionCode: "SE", iso2List: ["SE"] },
    { coverageId: world.id(), label: "Blue", regionName: "Nowhere", regionCode: "NOWHERE", iso2List: [] }
  ]
})

const page = { after: null, limit: 100 } as const

const anyPlan = { archived: null, label: null, search: null, covering: null } as const

/** What listeners are given of a commit by the time that it returns. */
const published = (world: World.World, commit: Commit) =>
  Effect.scoped(
    Effect.gen(function* () {
      let received = Changes.nothing
      yield* world.storage.watch((changes) => {
        received = Changes.and(received, changes)
      })
      yield* world.storage.commit(commit)
      return received
    })
  )

const isBy = (instant: number | null, dueAt: number): boolean => instant !== null && instant <= dueAt

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("the storage is ready, and takes a write, from several processes at once", function* (world) {
    const { now, storage } = world
    yield* storage.ready
    yield* Effect.forEach([now, now, now - HOUR], storage.probe, { concurrency: "unbounded", discard: true })
    yield* storage.probe(now)
    yield* Suite.equals("the servers that do not answer", yield* storage.deadServers, [])
  }),

  scenario("organizations are listed oldest first, and replaced by their id", function* (world) {
    const { now, storage } = world
    const mine = [3, 1, 2].map((offset) => ({
      organizationId: world.id(),
      name: `Organization ${offset}`,
      createdAt: now - offset * HOUR
    }))
    yield* storage.commit({ organizations: mine })
    const renamed = mine.map((organization) => ({ ...organization, name: `${organization.name} AB` }))
    yield* storage.commit({ organizations: renamed.slice(0, 1) })
    const expected = [...renamed.slice(0, 1), ...mine.slice(1)].sort((a, b) => a.createdAt - b.createdAt)
    const ids = new Set(mine.map((organization) => organization.organizationId))
    const all = yield* storage.organizations.page({ after: { createdAt: now - 3 * HOUR, id: "" }, limit: 1_000 })
    const listed = all.filter((one) => ids.has(one.organizationId))
    yield* Suite.equals("organizations", listed, expected)
    for (const one of expected) yield* Suite.equals("one", yield* storage.organizations.get(one.organizationId), one)
    yield* Suite.equals("an unknown one", yield* storage.organizations.get(world.id()), null)
    const asked = [...ids, world.id()]
    const several = yield* storage.organizations.getAll(asked)
    yield* Suite.equals(
      "several",
      [...several].sort((a, b) => a.createdAt - b.createdAt),
      expected
    )
    yield* Suite.equals("none", yield* storage.organizations.getAll([]), [])
  }),

  scenario("keys and endpoints are listed oldest first, deleted endpoints left out", function* (world) {
    const { now, storage } = world
    const of = World.of(world)
    const keys = [5, 1, 3].map((offset) =>
      Rows.apiKey(world, { createdAt: now + offset, revokedAt: offset === 1 ? now : null, scope: "read" })
    )
    const endpoints = [5, 1, 3, 2].map((offset) =>
      Rows.endpoint(world, {
        createdAt: now + offset,
        deletedAt: offset === 3 ? now : null,
        disabled: offset === 2 ? { reason: "Gone", at: now } : null
      })
    )
    yield* storage.commit({ apiKeys: keys, webhookEndpoints: endpoints })
    const stored = <A extends { readonly createdAt: number }>(rows: ReadonlyArray<A>) =>
      rows.toSorted((a, b) => a.createdAt - b.createdAt).map((row) => ({ ...row, version: 1 }))
    yield* Suite.equals("keys", yield* storage.apiKeys.page({ ...of, ...page }), stored(keys))
    const present = endpoints.filter((endpoint) => endpoint.deletedAt === null)
    yield* Suite.equals("endpoints", yield* storage.webhookEndpoints.page({ ...of, ...page }), stored(present))
  }),

  scenario("the catalogue round-trips, and its version counts how often it was replaced", function* (world) {
    const { storage } = world
    const version = yield* storage.catalogues.version
    for (const [index, size] of [3, 0, 1_500].entries()) {
      const next = catalogue(world, size)
      yield* storage.commit({ catalogue: next })
      yield* Suite.equals("the version", yield* storage.catalogues.version, version + index + 1)
      yield* Suite.equals("the catalogue", yield* storage.catalogues.get, next)
    }
    yield* storage.commit({ clock: world.now })
    yield* Suite.equals("the version after another commit", yield* storage.catalogues.version, version + 3)
  }),

  scenario("a catalogue replaces the version that the commit names, or nothing is written", function* (world) {
    const { storage } = world
    const version = yield* storage.catalogues.version
    const [first, second] = [catalogue(world, 1), catalogue(world, 2)]
    yield* storage.commit({ catalogue: first, catalogueVersion: version })
    for (const catalogueVersion of [version, version + 2]) {
      const refused = yield* Effect.flip(storage.commit({ catalogue: second, catalogueVersion, clock: world.now }))
      yield* Suite.equals("the refusal", refused._tag === "Conflict" ? refused.on : refused._tag, "version")
    }
    yield* Suite.equals("the version", yield* storage.catalogues.version, version + 1)
    yield* Suite.equals("the catalogue", yield* storage.catalogues.get, first)
    const both = [first, second].map((next) =>
      Effect.exit(storage.commit({ catalogue: next, catalogueVersion: version + 1 }))
    )
    const exits = yield* Effect.all(both, { concurrency: "unbounded" })
    yield* Suite.equals("how many of two are written", exits.filter(Exit.isSuccess).length, 1)
  }),

  scenario("the clock is where it was set last", function* (world) {
    const { now, storage } = world
    for (const instant of [now, now + 12_345, -1]) {
      yield* storage.commit({ clock: instant })
      yield* Suite.equals("the clock", yield* storage.virtualClock, instant)
    }
    yield* storage.commit({})
    yield* Suite.equals("the clock after another commit", yield* storage.virtualClock, -1)
  }),

  scenario("report ids are forgotten by whole days, and those of other days are not", function* (world) {
    const { now, organizationId, storage } = world
    const { iccid } = yield* World.stockOne(world)
    const day = dayOf(now)
    const received = [day - 40 * DAY, day - DAY, day - 1, day, now, day + DAY, day + 90 * DAY]
    const reportIds = received.map((receivedAt) => `at ${receivedAt}`)
    const remember = storage.commit({
      reports: {
        seen: received.map((receivedAt) => ({ organizationId, reportId: `at ${receivedAt}`, receivedAt }))
      }
    })
    const seen = Effect.map(
      storage.simAggregates.forReports({
        iccids: [{ iccid, since: now, packageIds: [], reportIds }],
        seenSince: 0
      }),
      ([found]) => new Set(found?.seen)
    )
    yield* remember
    yield* storage.purgeReports({ before: day - 40 * DAY, now })
    yield* storage.purgeReports({ before: day - 40 * DAY, now })
    yield* Suite.equals("before", yield* seen, new Set(reportIds))
    yield* remember
    yield* Suite.equals("once more", yield* seen, new Set(reportIds))
    yield* storage.purgeReports({ before: day, now })
    yield* Suite.equals("afterwards", yield* seen, new Set(reportIds.slice(3)))
    yield* storage.purgeReports({ before: day + DAY, now: now + 100 * DAY })
    yield* Suite.equals("the next day", yield* seen, new Set(reportIds.slice(5)))
  }),

  scenario("idempotency records and settled commands are forgotten once they are old enough", function* (world) {
    const { now, storage } = world
    yield* storage.purge({ idempotencyBefore: now, commandsBefore: now, sessionsBefore: 0 })
    const ages = [-2, -1, 0, 1].map((offset) => now + offset)
    const records = ages.map((createdAt) => Rows.record(world, { createdAt }))
    const commands = ages.map(() => Rows.command(world, { createdAt: now - DAY }))
    yield* storage.commit({
      idempotency: { put: records.map((record) => ({ record, replaces: now })) },
      commands: { put: commands }
    })
    const outcome = { _tag: "Succeeded" as const, answer: { kind: "Done" as const, value: null } }
    yield* storage.commit({
      commands: {
        settled: commands.slice(1).map((command, index) => ({ ...command, outcome, settledAt: ages[index + 1] ?? now }))
      }
    })
    const purged = yield* storage.purge({ idempotencyBefore: now - 1, commandsBefore: now + 1, sessionsBefore: 0 })
    yield* Suite.equals("rows that went", purged, 3)
    const left = yield* Effect.forEach(records, (record) => storage.idempotencyRecords.get(record))
    yield* Suite.equals("records", left, [null, ...records.slice(1)])
    const kept = yield* Effect.forEach(commands, (command) => storage.commands.get(command))
    const ofCommands = kept.map((command) => command?.settledAt)
    yield* Suite.equals("commands, of which the first is pending", ofCommands, [null, undefined, undefined, now + 1])
    const again = yield* storage.purge({ idempotencyBefore: now - 1, commandsBefore: now + 1, sessionsBefore: 0 })
    yield* Suite.equals("rows that went the second time", again, 0)
  }),

  scenario("an organization sees nothing of another's", function* (world) {
    const { storage } = world
    const other = yield* World.neighbour(world)
    const sim = yield* World.stockOne(world)
    const subscription = Rows.subscription(world, sim)
    const attachment = Rows.attachment(world, subscription)
    const plan = Rows.plan(world)
    const region = Rows.region(world)
    const key = Rows.apiKey(world)
    const entry = Rows.smdpEntry(world, sim)
    const event = Rows.event(world)
    const record = Rows.record(world)
    const command = Rows.command(world)
    const endpoint = Rows.endpoint(world)
    yield* storage.commit({ webhookEndpoints: [endpoint] })
    yield* storage.commit({
      sims: [subscribe(sim, subscription, { attachments: [attachment], packages: [Rows.pack(world, attachment, 0)] })],
      plans: [plan],
      regions: [region],
      apiKeys: [key],
      reports: { smdpEntries: [entry] },
      events: [event],
      idempotency: { put: [{ record, replaces: world.now }] },
      commands: { put: [command] }
    })
    const deliveryId = `${event.eventId}:${endpoint.endpointId}`
    const seen = (of: { readonly organizationId: string }) =>
      Effect.all([
        storage.apiKeys.page({ ...of, ...page }),
        storage.webhookEndpoints.page({ ...of, ...page }),
        World.items(storage.plans.page({ ...of, ...page, ...anyPlan })),
        storage.regions.page({ ...of, ...page }),
        storage.regions.like({ ...of, regionName: region.regionName, iso2List: region.iso2List }),
        storage.sims.page({ ...of, ...page, isEsim: null, label: null }),
        storage.subscriptions.page({ ...of, ...page }),
        storage.sims.smdpHistory({ ...of, iccid: sim.iccid }),
        World.items(storage.deliveries.page({ ...of, ...page })),
        Effect.map(
          Effect.all([
            storage.plans.get({ ...of, planId: plan.planId }),
            storage.regions.get({ ...of, coverageId: region.coverageId }),
            storage.simAggregates.get({ ...of, iccid: sim.iccid }),
            storage.simAggregates.forAttachment({ ...of, iccid: sim.iccid, attachmentId: "" }),
            storage.sims.get({ ...of, iccid: sim.iccid }),
            storage.subscriptions.get({ ...of, iccid: sim.iccid }),
            storage.subscriptions.attachments({ ...of, iccid: sim.iccid }),
            storage.deliveries.get({ ...of, deliveryId }),
            storage.apiKeys.get({ ...of, apiKeyId: key.apiKeyId }),
            storage.webhookEndpoints.get({ ...of, endpointId: endpoint.endpointId }),
            storage.idempotencyRecords.get({ ...of, key: record.key }),
            storage.commands.get({ ...of, commandId: command.commandId })
          ]),
          (found) => found.filter((one) => one !== null)
        )
      ])
    const counts = (lists: ReadonlyArray<ReadonlyArray<unknown>>) => lists.map((list) => list.length)
    yield* Suite.equals("what its own organization sees", counts(yield* seen(World.of(world))), [
      ...Array.from({ length: 9 }, () => 1),
      12
    ])
    const nothing = Array.from({ length: 10 }, () => 0)
    yield* Suite.equals("what another sees", counts(yield* seen(World.of(other))), nothing)
    const unknown = counts(yield* seen({ organizationId: world.id() }))
    yield* Suite.equals("what an unknown one sees", unknown, nothing)

    const theirs = { organizationId: other.organizationId }
    const { sim: current } = yield* World.aggregate(world, sim.iccid)
    const taken = { sims: [simChange({ ...current, ...theirs })] }
    yield* World.conflicts(world, "writing another's SIM", taken, "version")
    yield* storage.commit({
      idempotency: { forgotten: [{ ...theirs, key: record.key }] }
    })
    const after = yield* World.aggregate(world, sim.iccid)
    yield* Suite.equals("the attachments", after.attachments.length, 1)
    yield* Suite.equals("the record", yield* storage.idempotencyRecords.get(record), record)
    yield* World.finishAll(world)
  }),

  scenario("who watches is notified of changed keys and of a new catalogue", function* (world) {
    const key = Rows.apiKey(world)
    yield* Suite.equals("a new key", (yield* published(world, { apiKeys: [key] })).apiKeys, true)
    const revoked = { ...key, revokedAt: world.now, version: 1 }
    yield* Suite.equals("a revoked key", (yield* published(world, { apiKeys: [revoked] })).apiKeys, true)
    const catalogue = { countries: [], operators: [], profiles: [] }
    yield* Suite.equals("the catalogue", (yield* published(world, { catalogue })).catalogue, true)
  }),

  scenario("who watches is notified when the work that a commit leaves is due", function* (world) {
    const { now, storage } = world
    const [early, late] = [Rows.job(world, { dueAt: now + HOUR }), Rows.job(world, { dueAt: now + 2 * HOUR })]
    const put = { jobs: { put: [late, early].map((job) => ({ job, lease: null })) } }
    yield* Suite.equals("the earlier job", isBy((yield* published(world, put)).jobsDueAt, early.dueAt), true)
    const claim = World.claim(world, { now: now + 2 * HOUR })
    yield* world.jobs.claim(claim)
    const retried = [{ ...World.of(world), jobId: early.jobId, token: claim.token, dueAt: now + MINUTE, attempts: 1 }]
    const givenBack = yield* published(world, { jobs: { retried } })
    yield* Suite.equals("a job given back", isBy(givenBack.jobsDueAt, now + MINUTE), true)
    yield* storage.commit({ webhookEndpoints: [Rows.endpoint(world)] })
    const event = Rows.event(world)
    const { deliveriesDueAt } = yield* published(world, { events: [event] })
    yield* Suite.equals("an event", isBy(deliveriesDueAt, event.createdAt), true)
    yield* World.finishAll(world)
  }),

  scenario("who watches is notified which command was settled", function* (world) {
    const [command, other] = [Rows.command(world), Rows.command(world)]
    yield* world.storage.commit({ commands: { put: [command, other] } })
    const outcome = { _tag: "Succeeded" as const, answer: { kind: "Done" as const, value: null } }
    const { commands } = yield* published(world, {
      commands: { settled: [{ ...command, outcome, settledAt: world.now }] }
    })
    yield* Suite.equals("notified", commands === "any" || commands.includes(command.commandId), true)
  }),

  scenario("who no longer watches is notified of nothing", function* (world) {
    let times = 0
    yield* Effect.scoped(world.storage.watch(() => void times++))
    const before = times
    yield* world.storage.commit({ apiKeys: [Rows.apiKey(world)] })
    yield* Suite.equals("what was notified", times, before)
  }),

  scenario("a process does not receive the usage that it publishes itself", function* (world) {
    const usage = yield* RateLimitUsage
    let received = 0
    yield* usage.watch(({ caller }) => {
      if (caller === world.organizationId) received += 1
    })
    for (const limit of ["requests", "other"]) usage.publish({ limit, caller: world.organizationId, cost: 0.5 })
    yield* world.storage.commit({ apiKeys: [Rows.apiKey(world)] })
    yield* Suite.equals("what is received", received, 0)
  }),
  scenario("a process does not receive what callers have under way in it", function* (world) {
    const usage = yield* RateLimitUsage
    let received = 0
    yield* usage.watchInFlight(({ caller }) => {
      if (caller === world.organizationId) received += 1
    })
    for (const requests of [1, 0]) usage.publishInFlight({ caller: world.organizationId, requests, streams: 8 })
    yield* world.storage.commit({ apiKeys: [Rows.apiKey(world)] })
    yield* Suite.equals("what is received", received, 0)
  })
]
