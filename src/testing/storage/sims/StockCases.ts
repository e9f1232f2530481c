/**
 * What an organization has in stock, and its levels (rules I11 and I12).
 */
import { Effect } from "effect"
import type { Allocation, Purchase } from "../../../domain/Sim.ts"
import type { Count, Level } from "../../../domain/Stock.ts"
import * as Suite from "../../Suite.ts"
import { subscribe } from "../world/World.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

const key = ({ isEsim, label, state }: Count): string => `${label} ${isEsim} ${state}`

const counted = (counts: ReadonlyArray<Count>): ReadonlyArray<string> =>
  counts.map((one) => `${key(one)} ${one.count}`).sort()

const level = ({ organizationId }: World.World, changes: Partial<Level> = {}): Level => ({
  organizationId,
  label: "Green",
  level: 10,
  isLow: false,
  version: 0,
  ...changes
})

const bought = ({ id, now }: World.World, after: number | null): Purchase => ({
  ...{ purchaseId: id(), load: "1 GB", cost: null, boughtAt: now },
  sellBy: after === null ? null : now + after
})

/** Bought eSIMs, of which two can be sold still after now, and two no more. */
const lapsing = (world: World.World) =>
  [null, 1, 0, -1].map((after) => World.newSim(world, { purchase: bought(world, after) }))

/** The cases. */
export const cases: ReadonlyArray<World.Scenario> = [
  scenario("SIMs are counted by label, kind and where they stand", function* (world) {
    const counts = Effect.map(world.storage.sims.counts({ ...World.of(world), sellAfter: world.now }), counted)
    yield* Suite.equals("before any import", yield* counts, [])
    const held = (tag: Exclude<Allocation["_tag"], "Free" | "Withdrawn">): Allocation => ({
      _tag: tag,
      subscriptionId: world.id()
    })
    const [sim] = yield* World.stock(world, [
      ...World.newSims(world, 3),
      World.newSim(world, { downloaded: true }),
      ...lapsing(world),
      World.newSim(world, { downloaded: true, purchase: bought(world, 0) }),
      World.newSim(world, { isEsim: false, lpa: null }),
      World.newSim(world, { isEsim: false, lpa: null, downloaded: true }),
      World.newSim(world, { label: "Blue", allocation: held("InService") }),
      World.newSim(world, { label: "Blue", allocation: held("Provisioning"), downloaded: true }),
      World.newSim(world, { label: "Blue", allocation: held("Releasing") }),
      World.newSim(world, { label: "Blue", allocation: { _tag: "Withdrawn", reason: "broken", ending: null } })
    ])
    yield* World.stockOne(yield* World.neighbour(world))
    const others = [
      "Blue true inUse 2",
      "Blue true releasing 1",
      "Blue true withdrawn 1",
      "Green false free 2",
      "Green true downloaded 2"
    ]
    const lapsed = "Green true lapsed 2"
    yield* Suite.equals("one's own", yield* counts, [...others, "Green true free 5", lapsed])
    if (sim === undefined) return
    yield* world.storage.commit({ sims: [subscribe(sim, Rows.subscription(world, sim))] })
    yield* Suite.equals("after one went into service", yield* counts, [
      ...others,
      "Green true free 4",
      "Green true inUse 1",
      lapsed
    ])
  }),

  scenario("free eSIMs of a label are counted up to a limit, reserved ones too", function* (world) {
    const free = (atMost: number, label: "Green" | "Blue" = "Green") =>
      world.storage.sims.countFree({ ...World.of(world), label, atMost, sellAfter: world.now })
    yield* World.stock(world, [
      ...World.newSims(world, 1),
      ...lapsing(world),
      World.newSim(world, { downloaded: true }),
      World.newSim(world, { isEsim: false, lpa: null }),
      World.newSim(world, { allocation: { _tag: "Releasing", subscriptionId: world.id() } })
    ])
    yield* World.stockOne(yield* World.neighbour(world))
    const { machineNow } = world
    yield* world.storage.sims.reserve({
      ...{ ...World.of(world), label: "Green", purpose: "subscription", load: null, token: world.id(), count: 1 },
      ...{ machineNow, until: machineNow + 1_000 }
    })
    yield* Suite.equals("up to many", yield* free(100_000), 3)
    yield* Suite.equals("up to as many as there are", yield* free(3), 3)
    yield* Suite.equals("up to fewer", yield* free(2), 2)
    yield* Suite.equals("of another label", yield* free(10, "Blue"), 0)
  }),

  scenario("levels are written under their versions, and read by organization and label", function* (world) {
    const other = yield* World.neighbour(world)
    const ids = [world.organizationId, other.organizationId]
    const read = (organizationIds: ReadonlyArray<string>) => world.storage.sims.levels({ organizationIds })
    yield* Suite.equals("before any", yield* read(ids), [])
    yield* world.storage.commit({ stockLevels: [level(world), level(world, { label: "Blue", level: 100_000 })] })
    yield* world.storage.commit({ stockLevels: [level(other, { label: "Aqua" })] })
    const stored = [
      level(world, { label: "Blue", level: 100_000, version: 1 }),
      level(world, { version: 1 }),
      level(other, { label: "Aqua", version: 1 })
    ]
    const inOrder = stored.toSorted((a, b) => (a.organizationId + a.label < b.organizationId + b.label ? -1 : 1))
    yield* Suite.equals("of both", yield* read(ids), inOrder)
    yield* World.conflicts(world, "a level that is there", { stockLevels: [level(world)] }, "version")
    yield* world.storage.commit({ stockLevels: [level(world, { isLow: true, version: 1 })] })
    const stale = { stockLevels: [level(world, { version: 1 })], auditEntries: [Rows.auditEntry(world)] }
    yield* World.conflicts(world, "an outdated version", stale, "version")
    yield* Suite.equals("one's own then", yield* read([world.organizationId]), [
      level(world, { label: "Blue", level: 100_000, version: 1 }),
      level(world, { isLow: true, version: 2 })
    ])
  }),

  scenario("a check of the stock that many commits at once leave is there once", function* (world) {
    const sims = yield* World.stock(world, World.newSims(world, 12))
    const work = { _tag: "CheckStock", label: "Green" } as const
    const job = Rows.job(world, { jobId: `stock:${world.organizationId}:Green`, work, dueAt: world.now })
    yield* Effect.forEach(
      sims,
      (sim) =>
        world.storage.commit({
          sims: [subscribe(sim, Rows.subscription(world, sim))],
          jobs: { put: [{ job, lease: null }] }
        }),
      { concurrency: "unbounded", discard: true }
    )
    yield* Suite.equals("the job", yield* world.storage.jobs.get(job), job)
    const claimed = yield* world.jobs.claim(World.claim(world))
    yield* Suite.equals("the jobs that are due", World.jobIds(claimed), [job.jobId])
    yield* World.finishAll(world)
  })
]
