/**
 * What operators see first. The cases share a storage, so what is said of all organizations is compared where it is about those of the case.
 */
import { Effect } from "effect"
import type { Waiting } from "../../domain/Job.ts"
import * as Overview from "../../domain/Overview.ts"
import { DAY, HOUR, MINUTE } from "../../domain/Time.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario, subscribe } from "./world/World.ts"

/** Has jobs of the world wait for their next try, each for its reason. */
const waitFor = (world: World.World, reasons: ReadonlyArray<Waiting>, dueAt: number) =>
  Effect.gen(function* () {
    const jobs = reasons.map(() => Rows.job(world))
    yield* World.putJobs(world, jobs)
    const claim = World.claim(world)
    yield* world.jobs.claim(claim)
    const retried = jobs.map(({ jobId }, index) => ({
      ...{ jobId, token: claim.token, attempts: 1, dueAt: dueAt + index },
      waiting: reasons[index] ?? null
    }))
    yield* world.storage.commit({ jobs: { retried } })
  })

/** The cases. */
export const cases: ReadonlyArray<World.Scenario> = [
  scenario("jobs that wait are counted by kind, reason and telco, of an organization or of all", (world) =>
    Effect.gen(function* () {
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
    })
  ),

  scenario("endpoints that fail are listed with what is pending to them, of an organization or of all", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const other = yield* World.neighbour(world)
      const later = yield* Rows.storedEndpoint(world, { failingSince: now - HOUR })
      const first = yield* Rows.storedEndpoint(world, { failingSince: now - 2 * HOUR, events: ["package.created"] })
      yield* Rows.storedEndpoint(world)
      yield* Rows.storedEndpoint(world, { failingSince: now - HOUR, disabled: { reason: "Failing", at: now } })
      const theirs = yield* Rows.storedEndpoint(other, { failingSince: now - 3 * HOUR })
      yield* storage.commit({ events: [Rows.event(world), Rows.event(world)] })
      const listed = ({ endpointId, failingSince, organizationId, url }: typeof later, pending: number) => ({
        ...{ organizationId, endpointId, url, since: failingSince ?? now, pending }
      })
      const ours = [listed(first, 0), listed(later, 2)]
      yield* Suite.equals("of one", yield* storage.overview.failingEndpoints(World.of(world)), ours)
      const organizationIds = [world.organizationId, other.organizationId]
      const all = yield* storage.overview.failingEndpoints({ organizationId: null })
      yield* Suite.equals(
        "of all",
        all.filter(({ organizationId }) => organizationIds.includes(organizationId)),
        [listed(theirs, 0), ...ours]
      )
      const load = (yield* storage.overview.loads).find(({ organizationId }) => organizationId === world.organizationId)
      yield* Suite.equals("whose the deliveries are", load, {
        organizationId: world.organizationId,
        waitingJobs: 0,
        pendingDeliveries: 6 - 2
      })
      yield* storage.commit({
        webhookEndpoints: [first, later, theirs].map((one) => ({ ...one, version: 1, failingSince: null }))
      })
      yield* World.finishAll(world)
    })
  ),

  scenario("stocks are listed by label, with a level or without, and with what was sold of them", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const other = yield* World.neighbour(world)
      const byLabel = (stocks: ReadonlyArray<Overview.WatchedStock>) =>
        stocks.toSorted((a, b) => (a.label < b.label ? -1 : 1))
      const stocks = Effect.map(storage.overview.stocks({ ...World.of(world), since: now - DAY }), byLabel)
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
      const all = yield* storage.overview.stocks({ organizationId: null, since: now - DAY })
      yield* Suite.equals(
        "of all",
        byLabel(all.filter(({ organizationId }) => organizationId === world.organizationId)),
        ours
      )
      const theirs = yield* storage.overview.stocks({ ...World.of(other), since: now - DAY })
      yield* Suite.equals(
        "of the other",
        theirs.map(({ label, level }) => [label, level]),
        [["Green", 5]]
      )
      const stored = yield* storage.sims.levels({ organizationIds: [world.organizationId, other.organizationId] })
      yield* storage.commit({ stockLevels: stored.map((one) => ({ ...one, level: 0, isLow: false })) })
    })
  ),

  scenario("of all organizations, those are among them that have sold last", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const sim = yield* World.stockOne(world)
      yield* World.stock(world, World.newSims(world, 2))
      // Later than what other cases sell.
      const createdAt = now + 1_000 * DAY
      yield* storage.commit({ sims: [subscribe(sim, Rows.subscription(world, sim, { createdAt }))] })
      const all = yield* storage.overview.stocks({ organizationId: null, since: now })
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
    })
  ),

  scenario("the rate of a stock is that of the newest subscriptions where there are many", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const count = Overview.RATE_SAMPLE + 1
      const sims = yield* World.stock(world, World.newSims(world, count))
      yield* storage.commit({
        stockLevels: [{ organizationId: world.organizationId, label: "Green", level: 1, isLow: false, version: 0 }],
        sims: sims.map((sim, index) => subscribe(sim, Rows.subscription(world, sim, { createdAt: now + index })))
      })
      const [stock] = yield* storage.overview.stocks({ ...World.of(world), since: now })
      yield* Suite.equals("what was sold", stock, {
        ...{ organizationId: world.organizationId, label: "Green", level: 1, isLow: false, free: 0 },
        ...{ sold: Overview.RATE_SAMPLE, soldSince: now + 1 }
      })
    })
  ),

  scenario("the database's figures are those of a server, or none", (world) =>
    Effect.gen(function* () {
      const figures = yield* world.storage.overview.database
      const isFit =
        figures === null ||
        (figures.bytes > 0 && figures.connections >= 0 && figures.connections <= figures.mostConnections)
      yield* Suite.equals("whether they fit each other", isFit, true)
    })
  )
]
