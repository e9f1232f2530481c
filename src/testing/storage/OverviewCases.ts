/**
 * What operators see first. The cases share a storage, so what is said of all organizations is
 * compared if it is about those of the case.
 *
 * The processes that share the storage: what each says of itself is kept until it takes its leave
 * or has been silent for long.
 */
import { Effect } from "effect"
import type { Waiting } from "../../domain/Job.ts"
import * as Overview from "../../domain/Overview.ts"
import { DAY, HOUR, MINUTE } from "../../domain/Time.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario, subscribe } from "./world/World.ts"
import { BEAT, type Process, SHOWN, SILENCE } from "../../domain/Process.ts"
import { type Counts, type Rates, SPANS } from "../../domain/Rates.ts"

const countsOf = (first: number): Counts => ({
  all: Array.from({ length: SPANS }, (_, span) => first + span),
  failed: Array.from({ length: SPANS }, (_, span) => span % 2)
})

const ratesOf = (first: number): Rates => ({
  from: Date.UTC(2026, 0, 1),
  counts: {
    requests: countsOf(first),
    telcoCalls: countsOf(0),
    deliveries: countsOf(Number.MAX_SAFE_INTEGER - SPANS),
    jobs: countsOf(first + 1)
  }
})

const processOf = (world: World.World, changes: Partial<Process> = {}): Process => ({
  processId: world.id(),
  version: "1.2.3+0123456789ab",
  host: 'host "<b>" Æ 👩‍🚀',
  runs: ["admin", "v3", "worker"],
  startedAt: world.now,
  beatAt: world.now,
  heldJobs: 0,
  heldDeliveries: 0,
  rates: ratesOf(world.random(1_000)),
  ...changes
})

/** What is said of these by now. */
const listed = ({ storage }: World.World, of: ReadonlyArray<Process>, since: number) =>
  Effect.map(storage.processes.list({ since }), (all) =>
    all.filter(({ processId }) => of.some((one) => one.processId === processId))
  )

/** The cases. */
export const processCases: ReadonlyArray<World.Scenario> = [
  scenario("processes are listed by when they started, as they last said", function* (world) {
    const { now, storage } = world
    const silentSince = now - SILENCE
    const later = processOf(world, { startedAt: now + 1, version: null, host: null, runs: [] })
    const sooner = processOf(world, { heldJobs: 3, heldDeliveries: 2 ** 31 - 1 })
    const both = [later, sooner]
    for (const process of both) yield* storage.keepProcess({ process, silentSince })
    yield* Suite.equals("both", yield* listed(world, both, now), [sooner, later])
    const busy = { ...later, beatAt: now + BEAT, runs: ["worker"], heldJobs: 7 }
    yield* storage.keepProcess({ process: busy, silentSince })
    yield* Suite.equals("what was said last", yield* listed(world, both, now), [sooner, busy])
    yield* Suite.equals("since then", yield* listed(world, both, now + BEAT), [busy])
    yield* storage.forgetProcess(sooner.processId)
    yield* storage.forgetProcess(world.id())
    yield* Suite.equals("who has not taken leave", yield* listed(world, both, now), [busy])
    yield* storage.forgetProcess(busy.processId)
  }),

  scenario("a process that has been silent for long is forgotten by what another says", function* (world) {
    const { now, storage } = world
    const silent = [1, 2].map((millis) => processOf(world, { startedAt: now - millis, beatAt: now - millis }))
    const other = processOf(world, { beatAt: now })
    const all = [...silent, other]
    for (const process of silent) yield* storage.keepProcess({ process, silentSince: now - SILENCE })
    yield* storage.keepProcess({ process: other, silentSince: now - 1 })
    yield* Suite.equals("who is left", yield* listed(world, all, 0), [
      ...silent.filter(({ beatAt }) => beatAt === now - 1),
      other
    ])
    // It was frozen, and goes on.
    const again = processOf(world, { startedAt: now + 1, beatAt: now - 2 * SILENCE })
    yield* storage.keepProcess({ process: again, silentSince: now })
    yield* Suite.equals("who speaks stays", yield* listed(world, [...all, again], 0), [other, again])
    for (const { processId } of [other, again]) yield* storage.forgetProcess(processId)
  }),

  scenario("many processes say what they are at once", function* (world) {
    const { now, storage } = world
    const all = Array.from({ length: SHOWN + 5 }, (_, index) =>
      processOf(world, { startedAt: now + index, beatAt: now })
    )
    yield* Effect.forEach(all, (process) => storage.keepProcess({ process, silentSince: now - SILENCE }), {
      concurrency: 20,
      discard: true
    })
    const found = yield* storage.processes.list({ since: now })
    yield* Suite.equals("those that are shown", found, all.slice(0, SHOWN))
    yield* Effect.forEach(all, ({ processId }) => storage.forgetProcess(processId), {
      concurrency: 20,
      discard: true
    })
    yield* Suite.equals("none", yield* storage.processes.list({ since: now }), [])
  })
]

/** Has jobs of the world wait for their next try, each for its reason. */
const waitFor = (world: World.World, reasons: ReadonlyArray<Waiting>, dueAt: number) =>
  Effect.gen(function* () {
    const jobs = reasons.map(() => Rows.job(world))
    yield* World.putJobs(world, jobs)
    const claim = World.claim(world)
    yield* world.jobs.claim(claim)
    const retried = jobs.map(({ jobId }, index) => ({
      ...{ ...World.of(world), jobId, token: claim.token, attempts: 1, dueAt: dueAt + index },
      waiting: reasons[index] ?? null
    }))
    yield* world.storage.commit({ jobs: { retried } })
  })

/** The cases. */
export const cases: ReadonlyArray<World.Scenario> = [
  scenario("jobs that wait are counted by kind, reason and telco, of an organization or of all", function* (world) {
    const { now, storage } = world
    const other = yield* World.neighbour(world)
    const ours = { organizationId: world.organizationId }
    yield* Suite.equals("before any", yield* storage.overview.waitingJobs(ours), [])
    yield* World.putJobs(world, [Rows.job(world, { dueAt: now + HOUR })])
    const name = `telco-${world.id()}`
    const at = (since: number, changes: Partial<Waiting> = {}): Waiting => ({
      ...Rows.waiting(since),
      telco: name,
      ...changes
    })
    const nameless: Waiting = { ...Rows.waiting(now - 9 * MINUTE), reason: "busy" }
    yield* waitFor(
      world,
      [at(now - MINUTE), at(now - 3 * MINUTE), at(now, { reason: "refused" }), nameless],
      now + HOUR
    )
    yield* waitFor(other, [at(now - 5 * MINUTE)], now + 2 * HOUR)
    const kind = Rows.job(world).work._tag
    const refused = { kind, reason: "refused", telco: name, count: 1, since: now, nextAt: now + HOUR + 2 } as const
    yield* Suite.equals("of one", yield* storage.overview.waitingJobs(ours), [
      { kind, reason: "busy", telco: null, count: 1, since: now - 9 * MINUTE, nextAt: now + HOUR + 3 },
      { kind, reason: "unavailable", telco: name, count: 2, since: now - 3 * MINUTE, nextAt: now + HOUR },
      refused
    ])
    const all = yield* storage.overview.waitingJobs({ organizationId: null })
    yield* Suite.equals(
      "of all",
      all.filter(({ telco }) => telco === name),
      [{ kind, reason: "unavailable", telco: name, count: 3, since: now - 5 * MINUTE, nextAt: now + HOUR }, refused]
    )
    yield* Suite.equals(
      "whose they are",
      (yield* storage.overview.loads).filter(({ organizationId }) =>
        [world.organizationId, other.organizationId].includes(organizationId)
      ),
      [
        { organizationId: world.organizationId, waitingJobs: 4, pendingDeliveries: 0 },
        { organizationId: other.organizationId, waitingJobs: 1, pendingDeliveries: 0 }
      ]
    )
    yield* World.finishAll(world)
  }),

  scenario("endpoints that fail, or are disabled for it, are listed with what is pending to them", function* (world) {
    const { now, storage } = world
    const other = yield* World.neighbour(world)
    const later = yield* Rows.storedEndpoint(world, { failingSince: now - HOUR })
    const first = yield* Rows.storedEndpoint(world, { failingSince: now - 2 * HOUR, events: ["package.created"] })
    yield* Rows.storedEndpoint(world)
    const disabled = yield* Rows.storedEndpoint(world, {
      failingSince: now - 4 * HOUR,
      disabled: { reason: "Failing", at: now }
    })
    const gone = yield* Rows.storedEndpoint(world, { disabled: { reason: "Gone", at: now - 90 * MINUTE } })
    yield* Rows.storedEndpoint(world, { failingSince: now - HOUR, disabled: { reason: "Organization", at: now } })
    yield* Rows.storedEndpoint(world, { disabled: { reason: "Gone", at: now }, deletedAt: now })
    const theirs = yield* Rows.storedEndpoint(other, { failingSince: now - 3 * HOUR })
    yield* storage.commit({ events: [Rows.event(world), Rows.event(world)] })
    const listed = (one: typeof later, pending: number) => {
      const { endpointId, failingSince, organizationId, url } = one
      const disabledAt = one.disabled?.at ?? null
      return { organizationId, endpointId, url, since: failingSince ?? disabledAt ?? now, disabledAt, pending }
    }
    const ours = [listed(disabled, 0), listed(first, 0), listed(gone, 0), listed(later, 2)]
    yield* Suite.equals("of one", yield* storage.overview.failingEndpoints(World.of(world)), ours)
    const organizationIds = [world.organizationId, other.organizationId]
    const all = yield* storage.overview.failingEndpoints({ organizationId: null })
    yield* Suite.equals(
      "of all",
      all.filter(({ organizationId }) => organizationIds.includes(organizationId)),
      [listed(disabled, 0), listed(theirs, 0), ...ours.slice(1)]
    )
    const load = (yield* storage.overview.loads).find(({ organizationId }) => organizationId === world.organizationId)
    yield* Suite.equals("whose the deliveries are", load, {
      organizationId: world.organizationId,
      waitingJobs: 0,
      pendingDeliveries: 6 - 2
    })
    yield* storage.commit({
      webhookEndpoints: [first, later, theirs, disabled, gone].map((one) => ({
        ...one,
        version: 1,
        failingSince: null,
        disabled: null
      }))
    })
    yield* World.finishAll(world)
  }),

  scenario("stocks are listed by label, with a level or without, and with what was sold of them", function* (world) {
    const { now, storage } = world
    const other = yield* World.neighbour(world)
    const byLabel = (stocks: ReadonlyArray<Overview.WatchedStock>) =>
      stocks.toSorted((a, b) => (a.label < b.label ? -1 : 1))
    const stocks = Effect.map(
      storage.overview.stocks({ ...World.of(world), since: now - DAY, sellAfter: now }),
      byLabel
    )
    yield* Suite.equals("before any", yield* stocks, [])
    const level = { organizationId: world.organizationId, level: 5, isLow: false, version: 0 }
    yield* storage.commit({
      stockLevels: [
        { ...level, label: "Aqua" },
        { ...level, label: "Green", isLow: true },
        { ...level, label: "Blue", level: 0 },
        { ...level, organizationId: other.organizationId, label: "Green" }
      ]
    })
    const sims = yield* World.stock(world, World.newSims(world, 4))
    yield* World.stock(world, [World.newSim(world, { downloaded: true })])
    yield* World.stock(world, [
      ...World.newSims(world, 2).map((sim) => ({ ...sim, label: "Red" as const })),
      World.newSim(world, { label: "Grey", downloaded: true }),
      World.newSim(world, { label: "Orange", isEsim: false, lpa: null })
    ])
    const sold = [now - DAY - 1, now - DAY, now].map((createdAt, index) => ({ createdAt, sim: sims[index] }))
    for (const { createdAt, sim } of sold) {
      if (sim === undefined) continue
      yield* storage.commit({ sims: [subscribe(sim, Rows.subscription(world, sim, { createdAt }))] })
    }
    const watched = { organizationId: world.organizationId, level: 5, soldSince: now - DAY }
    const ours: ReadonlyArray<Overview.WatchedStock> = [
      { ...watched, label: "Aqua", isLow: false, free: 0, sold: 0 },
      { ...watched, label: "Green", isLow: true, free: 1, sold: 2 },
      { ...watched, level: null, label: "Grey", isLow: false, free: 0, sold: 0 },
      { ...watched, level: null, label: "Red", isLow: false, free: 2, sold: 0 }
    ]
    yield* Suite.equals("of one", yield* stocks, ours)
    const all = yield* storage.overview.stocks({ organizationId: null, since: now - DAY, sellAfter: now })
    yield* Suite.equals(
      "of all",
      byLabel(all.filter(({ organizationId }) => organizationId === world.organizationId)),
      ours
    )
    const theirs = yield* storage.overview.stocks({ ...World.of(other), since: now - DAY, sellAfter: now })
    yield* Suite.equals(
      "of the other",
      theirs.map(({ label, level }) => [label, level]),
      [["Green", 5]]
    )
    const stored = yield* storage.sims.levels({ organizationIds: [world.organizationId, other.organizationId] })
    yield* storage.commit({ stockLevels: stored.map((one) => ({ ...one, level: 0, isLow: false })) })
  }),

  scenario("of all organizations, those are among them that have sold last", function* (world) {
    const { now, storage } = world
    const sim = yield* World.stockOne(world)
    yield* World.stock(world, World.newSims(world, 2))
    // Later than what other cases sell.
    const createdAt = now + 1_000 * DAY
    yield* storage.commit({ sims: [subscribe(sim, Rows.subscription(world, sim, { createdAt }))] })
    const all = yield* storage.overview.stocks({ organizationId: null, since: now, sellAfter: now })
    yield* Suite.equals(
      "its stock",
      all.filter(({ organizationId }) => organizationId === world.organizationId),
      [
        {
          ...{ organizationId: world.organizationId, label: "Green", level: null, isLow: false },
          ...{ free: 2, sold: 1, soldSince: now }
        }
      ]
    )
  }),

  scenario("the rate of a stock is that of the newest subscriptions where there are many", function* (world) {
    const { now, storage } = world
    const count = Overview.RATE_SAMPLE + 1
    const sims = yield* World.stock(world, World.newSims(world, count))
    yield* storage.commit({
      stockLevels: [{ organizationId: world.organizationId, label: "Green", level: 1, isLow: false, version: 0 }],
      sims: sims.map((sim, index) => subscribe(sim, Rows.subscription(world, sim, { createdAt: now + index })))
    })
    const [stock] = yield* storage.overview.stocks({ ...World.of(world), since: now, sellAfter: now })
    yield* Suite.equals("what was sold", stock, {
      ...{ organizationId: world.organizationId, label: "Green", level: 1, isLow: false, free: 0 },
      ...{ sold: Overview.RATE_SAMPLE, soldSince: now + 1 }
    })
  }),

  scenario("the database's figures are those of a server, or none", function* (world) {
    const figures = yield* world.storage.overview.database
    const isFit =
      figures === null ||
      (figures.bytes > 0 && figures.connections >= 0 && figures.connections <= figures.mostConnections)
    yield* Suite.equals("whether they fit each other", isFit, true)
  })
]
