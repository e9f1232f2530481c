/**
 * Which commits conflict: of those who saw the same version, one may write, and what is unique is
 * taken once.
 */
import { Effect } from "effect"
import type { Attachment } from "../../domain/Attachment.ts"
import type { Sim } from "../../domain/Sim.ts"
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import type { Commit } from "../../ports/Storage.ts"
import * as Suite from "../Suite.ts"
import { change, simChange, subscribe } from "./world/World.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

const atOnce = 8

// How many of these commits were made; the others must have conflicted.
const race = (world: World.World, commits: ReadonlyArray<Commit>) =>
  Effect.map(
    Effect.forEach(
      commits,
      (commit) =>
        Effect.matchEffect(world.storage.commit(commit), {
          onSuccess: () => Effect.succeed(1),
          onFailure: (error) => (error._tag === "Conflict" ? Effect.succeed(0) : Effect.fail(error))
        }),
      { concurrency: "unbounded" }
    ),
    (made) => made.reduce<number>((sum, one) => sum + one, 0)
  )

const times = <A>(make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: atOnce }, (_, index) => make(index))

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("each write of a SIM, plan, key or endpoint raises its version by one", function* (world) {
    const { organizationId, storage } = world
    const sim = yield* World.stockOne(world)
    yield* Suite.equals("version of an imported SIM", sim.version, 1)
    const plan = Rows.plan(world)
    const key = Rows.apiKey(world)
    const hook = Rows.endpoint(world)
    for (const version of [0, 1, 2]) {
      yield* storage.commit({
        plans: [{ ...plan, version }],
        apiKeys: [{ ...key, version }],
        webhookEndpoints: [{ ...hook, version }],
        sims: [simChange({ ...sim, version: version + 1 })]
      })
      const next = { version: version + 1 }
      yield* Suite.equals("the plan", yield* storage.plans.get({ organizationId, planId: plan.planId }), {
        ...plan,
        ...next
      })
      yield* Suite.equals("the key", yield* storage.apiKeys.byHash(key.hash), { ...key, ...next })
      yield* Suite.equals("the endpoint", yield* storage.webhookEndpoints.get(hook), { ...hook, ...next })
      const aggregate = yield* World.aggregate(world, sim.iccid)
      yield* Suite.equals("the SIM", aggregate.sim, { ...sim, version: version + 2 })
    }
  }),

  scenario("a SIM that stays as it is has the next version, and guards as one that changes", function* (world) {
    const { storage } = world
    const [sim, other] = [yield* World.stockOne(world), yield* World.stockOne(world)]
    yield* storage.commit({ sims: [simChange(sim, { downloaded: true })] })
    const seen = { ...sim, downloaded: true, version: sim.version + 1 }
    yield* storage.commit({ sims: [simChange(seen)], plans: [Rows.plan(world)] })
    const stored = (yield* World.aggregate(world, sim.iccid)).sim
    yield* Suite.equals("the SIM", stored, { ...seen, version: seen.version + 1 })
    const plan = Rows.plan(world)
    yield* World.conflicts(world, "what has changed", { sims: [simChange(seen)], plans: [plan] }, "version")
    yield* Suite.equals("the plan", yield* storage.plans.get(plan), null)
    const { iccid, organizationId, version } = stored
    const view = { sim: { organizationId, iccid, version } }
    yield* storage.commit({ sims: [simChange(other, { downloaded: true }), { loaded: view, next: view }] })
    yield* Suite.equals("beside one that changes", (yield* World.aggregate(world, sim.iccid)).sim, {
      ...stored,
      version: stored.version + 1
    })
    yield* Suite.equals("the one that changes", (yield* World.aggregate(world, other.iccid)).sim.downloaded, true)
  }),

  scenario(
    "what is confirmed is in service, live and visible, else as it was, and guarded by its SIM",
    function* (world) {
      const { storage } = world
      const sim = yield* World.stockOne(world)
      const pending = Rows.subscription(world, sim, { status: "Pending" })
      const { subscriptionId } = pending
      const [attachment, other] = [
        Rows.attachment(world, pending, { confirmed: false, anchor: world.now, createdAt: world.now }),
        Rows.attachment(world, pending, { confirmed: false, createdAt: world.now + 1 })
      ]
      yield* World.write(world, sim, {
        sim: { allocation: { _tag: "Provisioning", subscriptionId } },
        subscription: pending,
        attachments: [attachment, other]
      })
      const { iccid } = sim
      const loaded = yield* World.aggregate(world, iccid)
      const confirm = (aggregate: SimAggregate, one: Attachment) =>
        change(aggregate, {
          sim: { allocation: { _tag: "InService", subscriptionId } },
          subscription: { ...pending, status: "Live" },
          attachments: [{ ...one, confirmed: true }]
        })
      const older = { ...loaded, sim: { ...loaded.sim, version: sim.version } }
      yield* World.conflicts(world, "an older SIM", { sims: [confirm(older, attachment)] }, "version")
      const elsewhere = yield* World.stockOne(world)
      yield* storage.commit({ sims: [confirm(loaded, attachment), simChange(elsewhere)] })
      const inService = { ...sim, allocation: { _tag: "InService" as const, subscriptionId } }
      const shown = { attachment: { ...attachment, confirmed: true }, packages: [] }
      const aggregate = {
        sim: { ...inService, version: sim.version + 2 },
        subscription: { ...pending, status: "Live" as const },
        attachments: [shown, { attachment: other, packages: [] }]
      }
      yield* Suite.equals("the aggregate", yield* World.aggregate(world, iccid), aggregate)
      yield* Suite.equals("the other SIM", (yield* World.aggregate(world, elsewhere.iccid)).sim.version, 2)
      yield* storage.commit({ sims: [confirm(aggregate, other)] })
      yield* Suite.equals("a top-up", yield* World.aggregate(world, iccid), {
        ...aggregate,
        sim: { ...inService, version: sim.version + 3 },
        attachments: [shown, { attachment: { ...other, confirmed: true }, packages: [] }]
      })
    }
  ),

  scenario("a plan that a commit rests on stays as it is, and guards it", function* (world) {
    const { storage } = world
    const [plan, other] = [Rows.plan(world), Rows.plan(world)]
    yield* storage.commit({ plans: [plan, other] })
    const [loaded, otherLoaded] = [
      { ...plan, version: 1 },
      { ...other, version: 1 }
    ]
    const sim = yield* World.stockOne(world)
    const written = { sims: [simChange(sim, { downloaded: true })] }
    yield* storage.commit({ ...written, unchangedPlans: [loaded, otherLoaded] })
    yield* Suite.equals("the plan", yield* storage.plans.get(plan), loaded)
    yield* storage.commit({ plans: [{ ...loaded, archivedAt: world.now }] })
    const stored = (yield* World.aggregate(world, sim.iccid)).sim
    const next = { sims: [simChange(stored, { downloaded: false })] }
    for (const [what, unchangedPlans] of [
      ["an older version", [otherLoaded, loaded]],
      ["a newer version", [{ ...loaded, version: 3 }]],
      ["a plan that is not there", [Rows.plan(world)]],
      ["another organization's", [{ ...otherLoaded, organizationId: world.id() }]]
    ] as const) {
      yield* World.conflicts(world, what, { ...next, unchangedPlans }, "version")
    }
    yield* Suite.equals("the SIM", (yield* World.aggregate(world, sim.iccid)).sim, stored)
    yield* storage.commit({ ...next, unchangedPlans: [{ ...loaded, version: 2 }] })
  }),

  scenario("of many commits at once that saw the same SIM, one is made", function* (world) {
    const sim = yield* World.stockOne(world)
    const commits = times(() => {
      const subscription = Rows.subscription(world, sim)
      return { sims: [subscribe(sim, subscription)] }
    })
    yield* Suite.equals("commits made", yield* race(world, commits), 1)
    const { sim: after, subscription } = yield* World.aggregate(world, sim.iccid)
    const listed = yield* world.storage.subscriptions.page({
      organizationId: world.organizationId,
      after: null,
      limit: 100
    })
    yield* Suite.equals("subscriptions", listed.length, 1)
    yield* Suite.equals("version", after.version, sim.version + 1)
    yield* Suite.equals("the SIM's allocation", after.allocation, {
      _tag: "InService",
      subscriptionId: subscription?.subscriptionId ?? ""
    })
  }),

  scenario("of many commits at once that write the same new plan, key or region, one is made", function* (world) {
    const plan = Rows.plan(world)
    const key = Rows.apiKey(world)
    const region = Rows.region(world)
    const plans = times((index) => ({ plans: [{ ...plan, terms: { ...plan.terms, name: `Plan ${index}` } }] }))
    const keys = times(() => ({ apiKeys: [{ ...key, apiKeyId: world.id() }] }))
    const regions = times(() => ({ regions: [Rows.region(world, { regionName: region.regionName })] }))
    const sets = times((index) => ({
      regions: [Rows.region(world, { iso2List: index % 2 === 0 ? region.iso2List : region.iso2List.toReversed() })]
    }))
    const record = Rows.record(world)
    const records = times((index) => ({
      idempotency: { put: [{ record: { ...record, fingerprint: `${index}` }, replaces: world.now - 1 }] }
    }))
    yield* Suite.equals("plans made", yield* race(world, plans), 1)
    yield* Suite.equals("keys made", yield* race(world, keys), 1)
    yield* Suite.equals("regions of one name made", yield* race(world, regions), 1)
    yield* Suite.equals("regions with the same countries made", yield* race(world, sets), 1)
    yield* Suite.equals("idempotency records made", yield* race(world, records), 1)
  }),

  scenario("commits at once that write the same SIMs in different orders all get through in turn", function* (world) {
    const sims = yield* World.stock(world, World.newSims(world, 4))
    const touch: Effect.Effect<void, unknown> = Effect.suspend(() =>
      Effect.gen(function* () {
        const aggregates = yield* Effect.forEach(sims, ({ iccid }) => World.aggregate(world, iccid))
        const turned = aggregates.map((aggregate) => simChange(aggregate.sim)).sort(() => world.random(3) - 1)
        yield* world.storage.commit({ sims: turned })
      })
    )
    const untilMade = Effect.retry(touch, {
      times: 200,
      while: (error) => typeof error === "object" && error !== null && "_tag" in error && error._tag === "Conflict"
    })
    yield* Effect.all(
      times(() => untilMade),
      { concurrency: "unbounded" }
    )
    const after = yield* Effect.forEach(sims, ({ iccid }) => World.aggregate(world, iccid))
    yield* Suite.equals(
      "versions",
      after.map(({ sim }) => sim.version),
      sims.map((sim: Sim) => sim.version + atOnce)
    )
  }),

  scenario("a region's name is unique in its organization, letter by letter", function* (world) {
    const { storage } = world
    const other = yield* World.neighbour(world)
    const regionName = "Les Îles"
    const region = Rows.region(world, { regionName })
    yield* storage.commit({ regions: [region] })
    const again = Rows.region(world, { regionName, label: "Blue" })
    yield* World.conflicts(world, "the same name again", { regions: [again] }, "region name")
    yield* storage.commit({
      regions: [Rows.region(other, { regionName }), Rows.region(world, { regionName: "les îles" })]
    })
    const { coverageId, organizationId } = region
    yield* Suite.equals("the region", yield* storage.regions.get({ organizationId, coverageId }), region)
  }),

  scenario("a set of countries is unique in its organization, in any order and under any label", function* (world) {
    const { storage } = world
    const other = yield* World.neighbour(world)
    const region = Rows.region(world, { iso2List: ["SE", "NO", "FI"] })
    yield* storage.commit({ regions: [region] })
    const again = Rows.region(world, { label: "Blue", iso2List: ["FI", "SE", "NO"] })
    yield* World.conflicts(world, "the same countries again", { regions: [again] }, "region countries")
    yield* storage.commit({
      regions: [
        Rows.region(world, { iso2List: ["SE", "NO"] }),
        Rows.region(world, { iso2List: ["SE", "NO", "FI", "DK"] }),
        Rows.region(other, { iso2List: ["NO", "SE", "FI"] })
      ]
    })
    const { coverageId, organizationId } = region
    yield* Suite.equals("the region", yield* storage.regions.get({ organizationId, coverageId }), region)
  }),

  scenario("a key's hash is unique in the whole service, and free again once the key has another", function* (world) {
    const { storage } = world
    const other = yield* World.neighbour(world)
    const key = Rows.apiKey(world)
    yield* storage.commit({ apiKeys: [key] })
    const { hash } = key
    yield* World.conflicts(other, "another's hash", { apiKeys: [Rows.apiKey(other, { hash })] }, "api key")
    const twins = [Rows.apiKey(world), Rows.apiKey(world)].map((twin) => ({ ...twin, hash: hash.replace(/^./, "x") }))
    yield* World.conflicts(world, "one hash twice in a commit", { apiKeys: twins }, "api key")

    yield* storage.commit({ apiKeys: [{ ...key, version: 1, revokedAt: world.now }] })
    const fresh = Rows.apiKey(world).hash
    yield* storage.commit({ apiKeys: [{ ...key, version: 2, hash: fresh }] })
    yield* Suite.equals("the key of the new hash", yield* storage.apiKeys.byHash(fresh), {
      ...key,
      hash: fresh,
      version: 3
    })
    yield* Suite.equals("the key of the old hash", yield* storage.apiKeys.byHash(hash), null)
    yield* storage.commit({ apiKeys: [Rows.apiKey(other, { hash })] })
  })
]
