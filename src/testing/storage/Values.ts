/**
 * Values round-trip: instants to the millisecond, texts to the letter, numbers exactly, and every
 * field of every row.
 */
import { SECOND, START_OF_TIME, END_OF_TIME, type Instant } from "../../domain/Time.ts"
import * as Suite from "../Suite.ts"
import { alone, change, subscribe } from "./world/World.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

const instants: ReadonlyArray<Instant> = [
  START_OF_TIME,
  START_OF_TIME + 1,
  -62_135_596_800_000, // 0001-01-01T00:00:00.000Z
  -62_135_596_800_001,
  Date.UTC(1582, 9, 10, 1, 2, 3, 4),
  Date.UTC(1969, 11, 31, 23, 59, 59, 999),
  -1,
  0,
  1,
  Date.UTC(2024, 1, 29, 12, 34, 56, 789),
  1_711_846_800_001, // within a change to daylight-saving time
  2 ** 31 * SECOND + 1,
  2 ** 32 * SECOND + 3,
  END_OF_TIME - 1
]

const texts: ReadonlyArray<string> = [
  "",
  " ",
  "  both sides\t\n",
  "'single' \"double\" `back` $$dollar$$ $1 ?",
  "back\\slash \\n \\u0041 \\\\x41",
  "line\r\nfeed\n\u0001\u001f\u007f\u0085\u2028\u2029",
  '{"json": [1, null]} {a,b} \\{',
  "<b>&amp;</b> -- ; drop table sims; /* */",
  "null",
  "e\u0301 and é, ﬁ, İ, ß, 👩‍👩‍👧‍👦 🇸🇪 𝔘",
  "\ufeffbom \u200b\u200e\ufffd\uffff",
  `${"long ünïcode text ".repeat(6_000)}end`
]

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("instants round-trip to the millisecond, from the year 0 to 9999", function* (world) {
    const { organizationId, storage } = world
    for (const at of instants) {
      const what = new Date(at).toISOString()
      const plan = Rows.plan(world, { createdAt: at, archivedAt: at, deletedAt: at })
      const organization = { ...World.organization(world), createdAt: at }
      const key = Rows.apiKey(world, { createdAt: at, expiresAt: at, revokedAt: at, previousUntil: at })
      const region = Rows.region(world, { createdAt: at })
      const signingKeys = [
        { key: "whsec_1", validUntil: null },
        { key: "whsec_2", validUntil: at }
      ]
      const endpoint = Rows.endpoint(world, { createdAt: at, signingKeys })
      const record = Rows.record(world, { createdAt: at })
      const sim = yield* World.stockOne(world, {
        createdAt: at,
        recycledAt: at,
        lastActivityAt: at,
        smdp: { state: "Disable", modifiedAt: at },
        location: { countryAlpha2: "SE", operator: "Telia", rat: "5G", imei: "356938035643809", at }
      })
      const subscription = Rows.subscription(world, sim, { createdAt: at })
      const attachment = Rows.attachment(world, subscription, {
        createdAt: at,
        activePeriod: { start: at, end: at },
        anchor: at,
        suspendedAt: at
      })
      const pack = Rows.pack(world, attachment, 0, { activationAt: at, expirationAt: at })
      const entry = Rows.smdpEntry(world, sim, { modifiedAt: at })
      yield* Suite.equals(`${what} in an imported SIM`, sim.recycledAt, at)
      yield* storage.commit({
        organizations: [organization],
        plans: [plan],
        apiKeys: [key],
        regions: [region],
        webhookEndpoints: [endpoint],
        sims: [change(alone(sim), { subscription, attachments: [attachment], packages: [pack] })],
        reports: { smdpEntries: [entry], seen: [{ organizationId, reportId: entry.reportId, receivedAt: at }] },
        idempotency: { put: [{ record, replaces: at }] },
        clock: at
      })
      const { iccid } = sim
      const read = {
        organization: yield* storage.organizations.get(organizationId),
        plan: yield* storage.plans.get(plan),
        key: yield* storage.apiKeys.byHash(key.hash),
        region: yield* storage.regions.get(region),
        endpoint: yield* storage.webhookEndpoints.get(endpoint),
        aggregate: yield* World.aggregate(world, iccid),
        entries: yield* storage.sims.smdpHistory({ organizationId, iccid }),
        record: yield* storage.idempotencyRecords.get(record),
        clock: yield* storage.virtualClock
      }
      yield* Suite.equals(`what was written with ${what}`, read, {
        organization,
        plan: { ...plan, version: 1 },
        key: { ...key, version: 1 },
        region,
        endpoint: { ...endpoint, version: 1 },
        aggregate: {
          sim: { ...sim, version: sim.version + 1 },
          subscription,
          attachments: [{ attachment, packages: [pack] }]
        },
        entries: [entry],
        record,
        clock: at
      })
      const seen = yield* storage.simAggregates.forReports({
        iccids: [{ iccid, since: at, packageIds: [], reportIds: [entry.reportId] }],
        seenSince: at
      })
      yield* Suite.equals(`seen at ${what}`, seen[0]?.seen, [entry.reportId])
    }
    yield* storage.commit({ clock: world.now })
  }),

  scenario("jobs and deliveries keep their instants, however early or late", function* (world) {
    const { storage } = world
    const endpoint = Rows.endpoint(world)
    yield* storage.commit({ webhookEndpoints: [endpoint] })
    for (const at of instants.filter((instant) => instant <= world.now)) {
      const job = Rows.job(world, { dueAt: at, createdAt: at })
      const event = Rows.event(world, { createdAt: at })
      yield* storage.commit({ jobs: { put: [{ job, lease: null }] }, events: [event] })
      const claim = World.claim(world, { now: at, limit: 1 })
      const early = World.claim(world, { now: at - 1 })
      yield* Suite.equals("jobs too early", yield* world.jobs.claim(early), [])
      yield* Suite.equals("deliveries too early", yield* world.outbox.claim(early), [])
      yield* Suite.equals("jobs", yield* world.jobs.claim(claim), [job])
      const due = yield* World.given("due delivery", (yield* world.outbox.claim(claim))[0])
      const delivery = { ...due.delivery, status: "Failed", lastAttemptAt: at, nextAttemptAt: null } as const
      const settled = [{ delivery, token: claim.token }]
      const finished = [{ ...World.of(world), jobId: job.jobId, token: claim.token }]
      yield* storage.commit({ jobs: { finished }, deliveries: { settled } })
      yield* Suite.equals("the delivery", yield* storage.deliveries.get(delivery), { delivery, event })
    }
  }),

  scenario("texts round-trip to the letter", function* (world) {
    const { storage } = world
    for (const text of texts) {
      const sim = yield* World.stockOne(world, { lpa: "LPA:1$SMDP.EXAMPLE$'\"\\" })
      const subscription = Rows.subscription(world, sim, { metadata: text })
      const plan = Rows.plan(world, { terms: Rows.terms(world, { name: text }) })
      const endpoint = Rows.endpoint(world, { description: text })
      const region = Rows.region(world, { regionName: short(text), regionCode: text })
      const attachment = Rows.attachment(world, subscription, { metadata: text, terms: plan.terms })
      const record = Rows.record(world, { key: `key ${short(text)}` })
      yield* storage.commit({
        plans: [plan],
        webhookEndpoints: [endpoint],
        regions: [region],
        sims: [subscribe(sim, subscription, { attachments: [attachment] })],
        idempotency: { put: [{ record, replaces: world.now }] }
      })
      const aggregate = yield* World.aggregate(world, sim.iccid)
      const read = {
        plan: yield* storage.plans.get(plan),
        endpoint: yield* storage.webhookEndpoints.get(endpoint),
        region: yield* storage.regions.get(region),
        subscription: aggregate.subscription,
        attachments: aggregate.attachments.filter((one) => one.attachment.attachmentId === attachment.attachmentId),
        record: yield* storage.idempotencyRecords.get(record)
      }
      yield* Suite.equals("what was written", read, {
        plan: { ...plan, version: 1 },
        endpoint: { ...endpoint, version: 1 },
        region,
        subscription,
        attachments: [{ attachment, packages: [] }],
        record
      })
    }
  }),

  scenario("numbers round-trip exactly, up to 2^53 - 1 bytes", function* (world) {
    const stocked = yield* World.stockOne(world)
    const subscription = Rows.subscription(world, stocked)
    const recurrence = { periodicity: "Weekly", frequency: 2 ** 31 - 1, occurrences: 1_000 } as const
    const attachment = Rows.attachment(world, subscription, {
      terms: Rows.terms(world, { dataMegaBytes: 2 ** 31 - 1, periodDays: 3_660, recurrence })
    })
    const amounts = [0, 1, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 2, 2 ** 53 - 1]
    const packages = amounts.map((usedBytes, occurrence) => Rows.pack(world, attachment, occurrence, { usedBytes }))
    yield* world.storage.commit({
      sims: [subscribe(stocked, subscription, { attachments: [attachment], packages })]
    })
    const aggregate = yield* World.aggregate(world, stocked.iccid)
    yield* Suite.equals("the attachments", aggregate.attachments, [{ attachment, packages }])
  }),

  scenario("plans keep all their terms, and SIMs all their states", function* (world) {
    const { storage } = world
    const throttling = [
      { percentage: 50, limit: "20480" },
      { percentage: 80, limit: "1024" },
      { percentage: 100, limit: "128" }
    ] as const
    const plans = (["Daily", "Weekly", "Monthly"] as const).map((periodicity, index) =>
      Rows.plan(world, {
        terms: Rows.terms(world, {
          label: "Voilet",
          throttling: index === 0 ? [] : throttling,
          recurrence: { periodicity, frequency: index + 1, occurrences: 12 }
        })
      })
    )
    yield* storage.commit({ plans })
    for (const plan of plans) yield* Suite.equals("plan", yield* storage.plans.get(plan), { ...plan, version: 1 })
    const subscriptionId = world.id()
    const [from, to] = ["8944500000000000002", "8944500000000000001"]
    const move = { subscriptionId, number: 1, from, to, since: -9, at: world.now, endedAt: null }
    const sims = [
      World.newSim(world, { isEsim: false, lpa: null, label: "Grey" }),
      World.newSim(world, { allocation: { _tag: "Provisioning", subscriptionId }, downloaded: true }),
      World.newSim(world, {
        allocation: { _tag: "Releasing", subscriptionId },
        smdp: { state: "Delete", modifiedAt: -5 }
      }),
      World.newSim(world, { allocation: { _tag: "Withdrawn", reason: "replaced", ending: subscriptionId } }),
      World.newSim(world, { allocation: { _tag: "Withdrawn", reason: "replaced", ending: null } }),
      World.newSim(world, { movedTo: "8944500000000000001", moves: [move, { ...move, number: 2, endedAt: -3 }] }),
      World.newSim(world, { tags: ["VIP", 'ärzte \'n \\ "co"'] }),
      World.newSim(world, { mobilePlan: { _tag: "Settled", applied: true } }),
      World.newSim(world, { mobilePlan: { _tag: "Changing", applied: true, target: false } }),
      World.newSim(world, { service: { _tag: "Settled", pausedAt: -7 } }),
      World.newSim(world, {
        service: { _tag: "Changing", pausedAt: world.now, changeId: world.id(), active: false }
      }),
      World.newSim(world, { service: { _tag: "Changing", pausedAt: null, changeId: world.id(), active: false } })
    ]
    for (const [index, { importSequence: _, ...sim }] of (yield* World.stock(world, sims)).entries()) {
      yield* Suite.equals("SIM", sim, { ...sims[index], version: 1 })
    }
  })
]

// A short text with the same peculiarities: unique names are indexed, and an index has its limits.
const short = (text: string): string => text.slice(0, 100)
