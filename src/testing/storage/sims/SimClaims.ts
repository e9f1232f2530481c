/**
 * Claims on free SIMs (rules S2, S5 and I6): in order, exclusive, ended by time, by a commit or by
 * being handed back.
 */
import { Effect } from "effect"
import type { Job } from "../../../domain/Job.ts"
import type { Allocation, Sim, Stock } from "../../../domain/Sim.ts"
import { DAY, MINUTE } from "../../../domain/Time.ts"
import type { FreeSim, ReservedSims, ReservationRequest } from "../../../ports/Storage.ts"
import * as Suite from "../../Suite.ts"
import { simChange, subscribe } from "../world/World.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

const claim = (world: World.World, changes: Partial<ReservationRequest> = {}) =>
  world.storage.sims.reserve({
    organizationId: world.organizationId,
    label: "Green",
    purpose: "subscription",
    load: null,
    token: world.id(),
    count: 1,
    machineNow: world.machineNow,
    until: (changes.machineNow ?? world.machineNow) + MINUTE,
    ...changes
  })

const claimed = ({ shortage, sims }: ReservedSims) =>
  sims[0] === undefined
    ? Effect.fail(new Suite.CaseFailed({ message: `No SIM was claimed: ${shortage}` }))
    : Effect.succeed(sims[0])

const expects = (what: string, outcome: Effect.Effect<ReservedSims, unknown>, expected: ReservedSims) =>
  Effect.flatMap(outcome, (actual) => Suite.equals(what, actual, expected))

const busy: ReservedSims = { sims: [], shortage: "Busy" }
const none: ReservedSims = { sims: [], shortage: "None" }
const releasing: ReservedSims = { sims: [], shortage: "Releasing" }

const given = (...sims: ReadonlyArray<Sim>): ReservedSims => ({
  sims: sims.map((sim) => ({ ...sim, version: sim.version + 1 })),
  shortage: null
})

const purchaseOf = (world: World.World, load: string, sellBy: number | null): Sim["purchase"] => ({
  purchaseId: world.id(),
  load,
  sellBy,
  cost: { units: 250, scale: 2, currency: "USD" },
  boughtAt: world.now
})

const takeIntoService = (world: World.World, sim: Sim) => {
  const subscription = Rows.subscription(world, sim)
  return world.storage.commit({ sims: [subscribe(sim, subscription)] })
}

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("free SIMs are given never used first, oldest import first, then the longest recycled", function* (world) {
    const recycled = (days: number | null) => World.newSim(world, { recycledAt: days && world.now + days * DAY })
    const sims = yield* World.stock(world, [-1, null, -3, -1, null, -2].map(recycled))
    const inOrder = [1, 4, 2, 5, 0, 3].flatMap((index) => sims[index] ?? [])
    for (const [index, sim] of inOrder.entries()) yield* expects(`SIM ${index}`, claim(world), given(sim))
    yield* expects("all are claimed", claim(world), busy)
  }),

  scenario("SIMs with a load are given to requests for it, those that have to be sold first (I15)", function* (world) {
    const { now, organizationId, storage } = world
    const bought = (load: string, days: number | null, changes: Partial<Sim> = {}) =>
      World.newSim(world, {
        purchase: purchaseOf(world, load, days === null ? null : now + days * DAY),
        ...changes
      })
    const rows = [
      bought("1 GB", null),
      bought("1 GB", 30),
      bought("1 GB", 1),
      bought("1 GB", 20),
      bought("1 GB", 25, { downloaded: true }),
      bought("2 GB", 2),
      World.newSim(world)
    ]
    const [unlimited, later, late, sooner, , other, plain] = yield* World.stock(world, rows)
    const wanted = { load: "1 GB", sellAfter: now + DAY }
    const free = (load: typeof wanted | null) => storage.sims.free({ organizationId, label: "Green", load })
    const first = yield* World.given("the third SIM of the load", sooner)
    yield* Suite.equals("the one that a request would get", yield* free(wanted), { sim: first, shortage: null })
    const count = (of: typeof wanted, atMost = 10) =>
      storage.sims.countFree({ organizationId, label: "Green", ...of, atMost })
    yield* Suite.equals("how many there are", yield* count(wanted), 3)
    yield* Suite.equals("up to fewer", yield* count(wanted, 2), 2)
    yield* Suite.equals("an earlier sale has more", yield* count({ ...wanted, sellAfter: now }), 4)
    const given1 = (sim: Sim | undefined) => given(...(sim === undefined ? [] : [sim]))
    yield* expects("the one that is to be sold first", claim(world, { load: wanted }), given1(sooner))
    yield* expects("the next one", claim(world, { load: wanted }), given1(later))
    yield* expects("the one that keeps", claim(world, { load: wanted }), given1(unlimited))
    yield* expects("one that is too late for it is none", claim(world, { load: wanted }), busy)
    yield* expects("an earlier sale", claim(world, { load: { ...wanted, sellAfter: now } }), given1(late))
    yield* expects("another load", claim(world, { load: { ...wanted, load: "2 GB" } }), given1(other))
    yield* expects("a load that there is none of", claim(world, { load: { ...wanted, load: "3 GB" } }), none)
    yield* expects("none", claim(world), given1(plain))
    yield* expects("no other one without", claim(world), busy)
    yield* Suite.equals("no other one", yield* free({ ...wanted, load: "3 GB" }), { sim: null, shortage: "None" })
    yield* Suite.equals(
      "as it is stored",
      (yield* World.aggregate(world, sooner?.iccid ?? "")).sim.purchase,
      rows[3]?.purchase
    )
  }),

  scenario(
    "a SIM that was bought anew is stored with all that it has, and no more than changes (I15)",
    function* (world) {
      const { organizationId, storage } = world
      const former = { imsi: "208930000000001", msisdn: "447700900001", subscriberId: "former" }
      const [withdrawn, kept] = [
        World.newSim(world, {
          ...former,
          allocation: { _tag: "Withdrawn", reason: "returned", ending: null },
          purchase: purchaseOf(world, "1 GB", null),
          downloaded: true,
          recycledAt: world.now,
          tags: ["VIP"],
          lastActivityAt: world.now
        }),
        World.newSim(world, { purchase: purchaseOf(world, "1 GB", null) })
      ]
      const [first = withdrawn, second = kept] = yield* World.stock(world, [withdrawn, kept])
      const loaded = (yield* World.aggregate(world, first.iccid)).sim
      const again: Sim = {
        ...loaded,
        ...{ imsi: null, msisdn: null, subscriberId: "latter" },
        ...{ label: "Blue", lpa: "LPA:1$h$latter", allocation: { _tag: "Free" }, downloaded: false, tags: [] },
        ...{ recycledAt: null, lastActivityAt: null, purchase: purchaseOf(world, "2 GB", world.now + 9 * DAY) }
      }
      yield* storage.commit({ sims: [{ loaded: { sim: loaded }, next: { sim: again } }] })
      const stored = (yield* World.aggregate(world, first.iccid)).sim
      yield* Suite.equals("the SIM", stored, { ...again, version: loaded.version + 1 })
      const wanted = { load: "2 GB", sellAfter: world.now + DAY }
      const free = yield* storage.sims.free({ organizationId, label: "Blue", load: wanted })
      yield* Suite.equals("which is free", free, { sim: stored, shortage: null })

      const before = (yield* World.aggregate(world, second.iccid)).sim
      const brought = { ...former, lpa: before.lpa }
      yield* storage.sims.import([{ ...kept, ...brought }])
      const purchase = purchaseOf(world, "1 GB", null)
      yield* storage.commit({ sims: [{ loaded: { sim: before }, next: { sim: { ...before, purchase } } }] })
      const after = (yield* World.aggregate(world, second.iccid)).sim
      yield* Suite.equals("one that keeps the rest", after, {
        ...before,
        ...brought,
        purchase,
        version: before.version + 1
      })
    }
  ),

  scenario("a purchase is awaited by one request at a time, the oldest first (I15)", function* (world) {
    const { machineNow, organizationId, storage } = world
    const purchase = (load: string, createdAt: number, changes: Partial<Job> = {}) =>
      Rows.job(world, {
        jobId: `buy:${world.id()}`,
        work: { _tag: "BuySim", purchaseId: world.id(), label: "Green", load, limit: null },
        createdAt,
        ...changes
      })
    const [old, young, ended, other] = [
      purchase("1 GB", world.now),
      purchase("1 GB", world.now + 1, { dueAt: world.now + DAY }),
      purchase("1 GB", world.now - 1, { endedAt: world.now }),
      purchase("2 GB", world.now)
    ]
    yield* storage.commit({ jobs: { put: [young, other, ended, old].map((job) => ({ job, lease: null })) } })
    const outstanding = (limit: number) => storage.jobs.purchases({ organizationId, limit })
    const ids = (some: ReadonlyArray<Job | undefined>) => some.map((job) => job?.jobId)
    const all = [old, other].toSorted((a, b) => ((a?.jobId ?? "") < (b?.jobId ?? "") ? -1 : 1))
    yield* Suite.equals("all that are outstanding", ids(yield* outstanding(10)), ids([...all, young]))
    yield* Suite.equals("the first of them", ids(yield* outstanding(1)), ids(all.slice(0, 1)))
    const adopt = (at: number, load = "1 GB", label: Sim["label"] = "Green") =>
      storage.adoptPurchase({
        organizationId,
        label,
        load,
        machineNow: machineNow + at,
        until: machineNow + at + MINUTE
      })
    yield* Suite.equals("the oldest", yield* adopt(0), old)
    yield* Suite.equals("the next", yield* adopt(1), young)
    yield* Suite.equals("no more", yield* adopt(2), null)
    yield* Suite.equals("another load", yield* adopt(2, "2 GB"), other)
    yield* Suite.equals("another label", yield* adopt(2, "1 GB", "Blue"), null)
    yield* Suite.equals("until the time is over", yield* adopt(MINUTE - 1), null)
    yield* Suite.equals("then it is anybody's", yield* adopt(MINUTE), old)
    const left = (until: number) => storage.leavePurchase({ organizationId, jobId: old?.jobId ?? "", until })
    yield* left(machineNow + MINUTE)
    yield* Suite.equals("the end of an earlier wait", yield* adopt(MINUTE + 1), young)
    yield* left(machineNow + 2 * MINUTE)
    yield* Suite.equals("the end of the wait", yield* adopt(MINUTE + 2), old)
    yield* storage.commit({ jobs: { cancelled: [{ ...World.of(world), jobId: young?.jobId ?? "" }] } })
    yield* Suite.equals("what is gone is nobody's", yield* adopt(3 * MINUTE), old)
    const neighbour = yield* World.neighbour(world)
    const elsewhere = { organizationId: neighbour.organizationId, label: "Green", load: "2 GB" } as const
    const until = machineNow + DAY
    yield* Suite.equals(
      "another organization",
      yield* storage.adoptPurchase({ ...elsewhere, machineNow: until, until }),
      null
    )
    yield* Suite.equals("none of another organization", yield* storage.jobs.purchases({ ...elsewhere, limit: 10 }), [])
  }),

  scenario(
    "a withdrawn eSIM is given for nothing, counts in no stock, and its reservation ends (I9)",
    function* (world) {
      const { storage } = world
      const [first, second] = yield* World.stock(world, World.newSims(world, 2))
      const sim = yield* World.given("SIM", first)
      const other = yield* World.given("SIM", second)
      const reserved = yield* claimed(yield* claim(world))
      yield* Suite.equals("reserved", reserved.iccid, sim.iccid)
      const allocation: Allocation = { _tag: "Withdrawn", reason: "lost", ending: null }
      yield* storage.commit({ sims: [simChange(reserved, { allocation })] })
      const { sim: stored } = yield* World.aggregate(world, sim.iccid)
      yield* Suite.equals("as stored", stored, { ...reserved, allocation, version: reserved.version + 1 })
      yield* expects("the other one", claim(world), given(other))
      yield* expects("not the withdrawn one", claim(world), busy)
      const plans = yield* claim(world, { purpose: "mobile plan", machineNow: world.machineNow + 2 * MINUTE, count: 2 })
      yield* Suite.equals(
        "for mobile plans",
        plans.sims.map(({ iccid }) => iccid),
        [other.iccid]
      )
      const stock = storage.sims.stock({ organizationIds: [world.organizationId], sellAfter: world.now })
      yield* Suite.equals(
        "the stock",
        (yield* stock).map(({ free }) => free),
        [1]
      )
      yield* storage.commit({ sims: [simChange(stored, { allocation: { _tag: "Free" } })] })
      yield* Suite.equals(
        "the stock with it",
        (yield* stock).map(({ free }) => free),
        [2]
      )
      const later = yield* claimed(yield* claim(world, { machineNow: world.machineNow + 5 * MINUTE }))
      yield* Suite.equals("the one that is available again", later.iccid, sim.iccid)
    }
  ),

  scenario("no SIM is given that is physical, downloaded, held, of another label or another's", function* (world) {
    const other = yield* World.neighbour(world)
    const subscriptionId = world.id()
    const holds: ReadonlyArray<Allocation> = [
      { _tag: "Provisioning", subscriptionId },
      { _tag: "InService", subscriptionId }
    ]
    yield* World.stock(world, [
      World.newSim(world, { isEsim: false, lpa: null }),
      World.newSim(world, { downloaded: true }),
      World.newSim(world, { label: "Blue" }),
      ...holds.map((allocation) => World.newSim(world, { allocation }))
    ])
    const theirs = yield* World.stockOne(other)
    yield* expects("none for me", claim(world), none)
    yield* expects("theirs for them", claim(other), given(theirs))
    yield* expects("none of a label without SIMs", claim(world, { label: "Orange" }), none)
  }),

  scenario("the SIM that is free first is shown and stays as it is, or the shortage of a claim is", function* (world) {
    const free = world.storage.sims.free({ organizationId: world.organizationId, label: "Green", load: null })
    const sees = (what: string, expected: FreeSim) =>
      Effect.flatMap(free, (actual) => Suite.equals(what, actual, expected))
    const other = yield* World.neighbour(world)
    yield* World.stockOne(other)
    yield* World.stock(world, [
      World.newSim(world, { isEsim: false, lpa: null }),
      World.newSim(world, { downloaded: true }),
      World.newSim(world, { label: "Blue" })
    ])
    yield* sees("none", { sim: null, shortage: "None" })
    const [returning] = yield* World.stock(world, [
      World.newSim(world, { allocation: { _tag: "Releasing", subscriptionId: world.id() } })
    ])
    if (returning === undefined) return
    yield* sees("one that will be free", { sim: null, shortage: "Releasing" })
    const work = { _tag: "CancelPackages", iccid: returning.iccid, packageIds: [], release: "Cancel" } as const
    yield* world.storage.commit({
      jobs: { put: [{ job: Rows.job(world, { work, endedAt: world.now }), lease: null }] }
    })
    yield* sees("one whose release was refused", { sim: null, shortage: "None" })
    const undecided = yield* World.stockOne(world, {
      allocation: { _tag: "Provisioning", subscriptionId: world.id() }
    })
    yield* sees("one that a creation has, whose job is over", { sim: null, shortage: "None" })
    const provision = { _tag: "Provision", iccid: undecided.iccid, attachmentId: world.id() } as const
    yield* world.storage.commit({ jobs: { put: [{ job: Rows.job(world, { work: provision }), lease: null }] } })
    yield* sees("one that a creation has", { sim: null, shortage: "Releasing" })
    const [recycled, fresh] = yield* World.stock(world, [
      World.newSim(world, { recycledAt: world.now - DAY }),
      World.newSim(world)
    ])
    if (recycled === undefined || fresh === undefined) return
    yield* sees("the one that was never used", { sim: fresh, shortage: null })
    const reserved = yield* claimed(yield* claim(world))
    yield* Suite.equals("what a claim gives", reserved.iccid, fresh.iccid)
    yield* sees("the same one while it is reserved", { sim: reserved, shortage: null })
    yield* takeIntoService(world, reserved)
    yield* sees("the recycled one", { sim: recycled, shortage: null })
  }),

  scenario("the stock has the free eSIMs of each label, and 0 of one that has only others", function* (world) {
    const other = yield* World.neighbour(world)
    const stock = (...of: ReadonlyArray<World.World>) =>
      Effect.map(
        world.storage.sims.stock({
          organizationIds: of.map(({ organizationId }) => organizationId),
          sellAfter: world.now
        }),
        (found) => found.toSorted((a, b) => (a.organizationId + a.label < b.organizationId + b.label ? -1 : 1))
      )
    const stockOf = ({ organizationId }: World.World, label: Stock["label"], free: number) => ({
      organizationId,
      label,
      free
    })
    yield* Suite.equals("before any import", yield* stock(world, other), [])
    const { now } = world
    const lapsed = { purchaseId: world.id(), load: "1 GB", sellBy: now, cost: null, boughtAt: now }
    const [sim] = yield* World.stock(world, [
      ...World.newSims(world, 3),
      World.newSim(world, { downloaded: true }),
      World.newSim(world, { recycledAt: world.now }),
      World.newSim(world, { purchase: lapsed }),
      World.newSim(world, { isEsim: false, lpa: null }),
      World.newSim(world, { isEsim: false, lpa: null, label: "Red" }),
      World.newSim(world, { label: "Blue", allocation: { _tag: "InService", subscriptionId: world.id() } })
    ])
    yield* World.stockOne(other, { label: "Aqua" })
    yield* Suite.equals("one's own", yield* stock(world), [stockOf(world, "Blue", 0), stockOf(world, "Green", 4)])
    yield* claim(world)
    yield* Suite.equals("while one is reserved", yield* stock(world), [
      stockOf(world, "Blue", 0),
      stockOf(world, "Green", 4)
    ])
    if (sim !== undefined) yield* takeIntoService(world, (yield* World.aggregate(world, sim.iccid)).sim)
    const all = [stockOf(world, "Blue", 0), stockOf(world, "Green", 3), stockOf(other, "Aqua", 1)]
    const expected = all.toSorted((a, b) => (a.organizationId + a.label < b.organizationId + b.label ? -1 : 1))
    yield* Suite.equals("of both, after one went into service", yield* stock(world, other), expected)
  }),

  scenario(
    "a SIM on its way back to stock is waited for, unless it cannot be given or its release was refused",
    function* (world) {
      const allocation: Allocation = { _tag: "Releasing", subscriptionId: world.id() }
      const returning = (changes: Parameters<typeof World.newSim>[1] = {}) =>
        World.newSim(world, { ...changes, allocation })
      yield* World.stock(world, [returning({ isEsim: false, lpa: null }), returning({ downloaded: true })])
      yield* expects("a physical one and a downloaded one", claim(world), none)
      const sim = yield* World.stockOne(world, { allocation })
      yield* expects("one that will be free", claim(world), releasing)
      yield* expects("another label", claim(world, { label: "Blue" }), none)
      yield* expects("for a mobile plan", claim(world, { purpose: "mobile plan", label: "Blue" }), none)
      const { iccid } = sim
      const work = { _tag: "CancelPackages", iccid, packageIds: [], release: "Cancel" } as const
      const job = Rows.job(world, { work, endedAt: world.now })
      yield* world.storage.commit({ jobs: { put: [{ job, lease: null }] } })
      yield* expects("one whose release was refused", claim(world), none)
      const { jobId } = job
      const reopened = { ...World.of(world), jobId, endedAt: world.now, dueAt: world.now, attempts: 0 }
      yield* world.storage.commit({ jobs: { reopened: [reopened] } })
      yield* expects("one whose release is tried again", claim(world), releasing)
      const free = { ...sim, allocation: { _tag: "Free" } as const }
      yield* world.storage.commit({ sims: [{ loaded: { sim }, next: { sim: free } }] })
      yield* expects("one that is free", claim(world), given({ ...free, version: sim.version + 1 }))
    }
  ),

  scenario("a SIM whose creation is not decided is waited for, until the creation's job has ended", function* (world) {
    const allocation: Allocation = { _tag: "Provisioning", subscriptionId: world.id() }
    const [sim, ...others] = yield* World.stock(world, [
      World.newSim(world, { allocation }),
      World.newSim(world, { allocation, isEsim: false, lpa: null }),
      World.newSim(world, { allocation, downloaded: true }),
      World.newSim(world, { label: "Blue", allocation: { _tag: "InService", subscriptionId: world.id() } })
    ])
    if (sim === undefined) return yield* new Suite.CaseFailed({ message: "no SIM was imported" })
    const provision = (iccid: string) =>
      Rows.job(world, { work: { _tag: "Provision", iccid, attachmentId: world.id() } })
    const putting = (jobs: ReadonlyArray<Job>) =>
      world.storage.commit({ jobs: { put: jobs.map((job) => ({ job, lease: null })) } })
    yield* putting(others.map(({ iccid }) => provision(iccid)))
    yield* expects("a physical one, a downloaded one and one in service", claim(world), none)
    yield* expects("one in service of another label", claim(world, { label: "Blue" }), none)
    const job = provision(sim.iccid)
    yield* putting([job])
    yield* expects("one whose creation is not decided", claim(world), releasing)
    yield* expects("another organization's", claim(yield* World.neighbour(world)), none)
    yield* World.finishAll(world)
    yield* expects("one whose creation was decided", claim(world), none)
  }),

  scenario("claims at once never get the same SIM, and none is refused for want of one", function* (world) {
    const sims = yield* World.stock(world, World.newSims(world, 12))
    const outcomes = yield* Effect.all(
      Array.from({ length: 30 }, () => claim(world)),
      { concurrency: "unbounded" }
    )
    const importSequences = outcomes.flatMap((outcome) => outcome.sims.map((sim) => sim.importSequence))
    yield* Suite.equals("different SIMs", new Set(importSequences).size, importSequences.length)
    yield* Suite.equals("refused for want of one", outcomes.filter((outcome) => outcome.shortage === "None").length, 0)
    const found: Array<number> = [...importSequences]
    for (let left = sims.length - importSequences.length; left > 0; left--) {
      found.push((yield* Effect.flatMap(claim(world), claimed)).importSequence)
    }
    yield* Suite.equals(
      "all SIMs",
      found.sort((a, b) => a - b),
      sims.map((sim) => sim.importSequence)
    )
    yield* expects("once all are claimed", claim(world), busy)
  }),

  scenario("requests at once put each SIM into service once, until none is left", function* (world) {
    const sims = yield* World.stock(world, World.newSims(world, 10))
    const request = (attempts: number): Effect.Effect<string | null, unknown> =>
      Effect.flatMap(claim(world), ({ shortage, sims: [sim] }) => {
        if (sim !== undefined) return Effect.as(takeIntoService(world, sim), sim.iccid)
        if (shortage === "None") return Effect.succeed(null)
        return attempts === 0
          ? Effect.fail(new Suite.CaseFailed({ message: "The SIMs stay busy though nobody claims them" }))
          : Effect.andThen(Effect.sleep("1 millis"), request(attempts - 1))
      })
    const answers = yield* Effect.all(
      Array.from({ length: 16 }, () => request(2_000)),
      { concurrency: 8 }
    )
    const iccids = answers.filter((iccid) => iccid !== null)
    yield* Suite.equals("SIMs in service", iccids.toSorted(), sims.map((sim) => sim.iccid).toSorted())
    yield* expects("after all", claim(world), none)
  }),

  scenario("a claim raises the version, so that a commit with the one before conflicts", function* (world) {
    const sim = yield* World.stockOne(world)
    const mine = yield* Effect.flatMap(claim(world), claimed)
    yield* Suite.equals("the aggregate's SIM", (yield* World.aggregate(world, sim.iccid)).sim, mine)
    yield* World.conflicts(world, "the version before the claim", { sims: [simChange(sim)] }, "version")
    yield* takeIntoService(world, mine)
    yield* expects("in service", claim(world), none)
  }),

  scenario("several are claimed at once, in order, and as many as there are", function* (world) {
    const recycled = (days: number | null) => World.newSim(world, { recycledAt: days && world.now + days * DAY })
    const [second, third, first, last] = yield* World.stock(world, [-3, -2, null, -1].map(recycled))
    if (!first || !second || !third || !last) return
    yield* expects("two", claim(world, { count: 2 }), given(first, second))
    const rest: ReservedSims = { ...given(third, last), shortage: "Busy" }
    yield* expects("five", claim(world, { count: 5 }), rest)
    yield* expects("two more", claim(world, { count: 2 }), busy)
    yield* expects("of a label without SIMs", claim(world, { count: 2, label: "Orange" }), none)
  }),

  scenario("of many who claim several at once, no two get the same SIM", function* (world) {
    const sims = yield* World.stock(world, World.newSims(world, 30))
    const outcomes = yield* Effect.all(
      Array.from({ length: 12 }, () => claim(world, { count: 3 })),
      { concurrency: "unbounded" }
    )
    const importSequences = outcomes.flatMap((outcome) => outcome.sims.map((sim) => sim.importSequence))
    yield* Suite.equals("different SIMs", new Set(importSequences).size, importSequences.length)
    yield* Suite.equals("refused for want of one", outcomes.filter(({ shortage }) => shortage === "None").length, 0)
    const rest = yield* claim(world, { count: 30 })
    yield* Suite.equals("all SIMs", importSequences.length + rest.sims.length, sims.length)
  }),

  scenario("a claim that is over is no obstacle, and raises the version again", function* (world) {
    const sim = yield* World.stockOne(world)
    const { machineNow } = world
    yield* expects("first", claim(world), given(sim))
    yield* expects("another meanwhile", claim(world), busy)
    const early = claim(world, { machineNow: machineNow + MINUTE - 1 })
    yield* expects("another a millisecond too early", early, busy)
    const late = claim(world, { machineNow: machineNow + MINUTE })
    yield* expects("another at its end", late, given({ ...sim, version: sim.version + 1 }))
    const stale = { sims: [simChange({ ...sim, version: sim.version + 1 })] }
    yield* World.conflicts(world, "a commit under the claim that is over", stale, "version")
    yield* expects("another once it is another's", claim(world), busy)
  }),

  scenario("handing SIMs back ends the claims that are held with the token, and no others", function* (world) {
    const sims = yield* World.stock(world, World.newSims(world, 3))
    const [first, second, third] = sims
    if (!first || !second || !third) return
    const { organizationId, storage } = world
    const other = yield* World.neighbour(world)
    const token = world.id()
    yield* expects("all", claim(world, { token, count: 3 }), given(...sims))
    const held = sims.map(({ iccid }) => ({ iccid, token }))
    yield* storage.sims.release({
      organizationId,
      reservations: held.map(({ iccid }) => ({ iccid, token: world.id() }))
    })
    yield* storage.sims.release({ organizationId: other.organizationId, reservations: held })
    yield* storage.sims.release({ organizationId, reservations: [] })
    yield* expects("not theirs", claim(world), busy)
    yield* storage.commit({ sims: [simChange({ ...second, version: second.version + 1 })] })
    const anew = { ...second, version: second.version + 2 }
    yield* expects("written", claim(world), given(anew))
    yield* storage.sims.release({ organizationId, reservations: [...held.slice(0, 2), { iccid: "nobody's", token }] })
    yield* expects("handed back", claim(world, { count: 3 }), {
      ...given({ ...first, version: first.version + 1 }),
      shortage: "Busy"
    })
  }),

  scenario("writing a SIM ends the claim on it", function* (world) {
    const sim = yield* World.stockOne(world)
    const mine = yield* Effect.flatMap(claim(world), claimed)
    yield* world.storage.commit({ sims: [simChange(mine)] })
    yield* expects("another", claim(world), given({ ...sim, version: mine.version + 1 }))
  }),

  scenario("a SIM that comes back is given after the others", function* (world) {
    const [first, second] = yield* World.stock(world, World.newSims(world, 2))
    if (first === undefined || second === undefined) return
    const subscription = Rows.subscription(world, first)
    yield* world.storage.commit({ sims: [subscribe(first, subscription)] })
    const back: Sim = { ...first, version: first.version + 1, recycledAt: world.now }
    yield* World.write(world, first, {
      sim: { allocation: { _tag: "Free" }, recycledAt: world.now },
      subscription: { ...subscription, status: "Deleted" }
    })
    yield* expects("first", claim(world), given(second))
    yield* expects("then", claim(world), given({ ...back, version: back.version + 1 }))
  }),

  scenario("for a mobile plan, eSIMs without one are given by import sequence, whoever holds them", function* (world) {
    const sims = yield* World.stock(world, [
      World.newSim(world, { isEsim: false }),
      World.newSim(world, { downloaded: true, mobilePlan: { _tag: "Settled", applied: true } }),
      World.newSim(world, { recycledAt: world.now, downloaded: true }),
      World.newSim(world, { downloaded: true, mobilePlan: { _tag: "Changing", applied: false, target: true } }),
      World.newSim(world, { allocation: { _tag: "InService", subscriptionId: world.id() } }),
      World.newSim(world, { label: "Blue" }),
      World.newSim(world)
    ])
    const purpose = "mobile plan"
    for (const index of [2, 4, 6]) {
      const sim = yield* World.given("SIM", sims[index])
      yield* expects(`SIM ${index}`, claim(world, { purpose }), given(sim))
    }
    yield* expects("all are claimed", claim(world, { purpose }), busy)
    yield* expects("for a subscription, too", claim(world), busy)
    yield* expects("a label without SIMs", claim(world, { purpose, label: "Grey" }), none)
  })
]
