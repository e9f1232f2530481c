/**
 * Claims on free SIMs (rules S2 and I6): in order, exclusive, ended by time or by a commit.
 */
import { Effect } from "effect"
import type { Hold, Sim } from "../../domain/Sim.ts"
import { DAY, MINUTE } from "../../domain/Time.ts"
import type { ClaimOutcome, Storage } from "../../ports/Storage.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./Rows.ts"
import * as World from "./World.ts"
import { scenario } from "./World.ts"

type Claim = Parameters<Storage["Service"]["claimSim"]>[0]

const claim = (world: World.World, changes: Partial<Claim> = {}) =>
  world.storage.claimSim({
    organizationId: world.organizationId,
    label: "Green",
    purpose: "subscription",
    token: world.id(),
    machineNow: world.machineNow,
    until: (changes.machineNow ?? world.machineNow) + MINUTE,
    ...changes
  })

const claimed = (outcome: ClaimOutcome) =>
  outcome._tag === "Claimed"
    ? Effect.succeed(outcome.sim)
    : Effect.fail(new Suite.CaseFailed({ message: `No SIM was claimed: ${outcome._tag}` }))

const expects = (what: string, outcome: Effect.Effect<ClaimOutcome, unknown>, expected: ClaimOutcome) =>
  Effect.flatMap(outcome, (actual) => Suite.equals(what, actual, expected))

const busy: ClaimOutcome = { _tag: "Busy" }
const none: ClaimOutcome = { _tag: "None" }

const given = (sim: Sim): ClaimOutcome => ({ _tag: "Claimed", sim: { ...sim, version: sim.version + 1 } })

const takeIntoService = (world: World.World, sim: Sim) => {
  const subscription = Rows.subscription(world, sim)
  return world.storage.commit({ sims: [Rows.inService(sim, subscription)], subscriptions: [subscription] })
}

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("free SIMs are given never used first, oldest import first, then the longest recycled", (world) =>
    Effect.gen(function* () {
      const recycled = (days: number | null) => Rows.newSim(world, { recycledAt: days && world.now + days * DAY })
      const sims = yield* World.stock(world, [-1, null, -3, -1, null, -2].map(recycled))
      const inOrder = [1, 4, 2, 5, 0, 3].flatMap((index) => sims[index] ?? [])
      for (const [index, sim] of inOrder.entries()) yield* expects(`SIM ${index}`, claim(world), given(sim))
      yield* expects("all are claimed", claim(world), busy)
    })
  ),

  scenario("no SIM is given that is physical, downloaded, held, of another label or another's", (world) =>
    Effect.gen(function* () {
      const other = yield* World.neighbour(world)
      const subscriptionId = world.id()
      const holds: ReadonlyArray<Hold> = [
        { _tag: "Provisioning", subscriptionId },
        { _tag: "InService", subscriptionId },
        { _tag: "Releasing", subscriptionId }
      ]
      yield* World.stock(world, [
        Rows.newSim(world, { isEsim: false, lpa: null }),
        Rows.newSim(world, { downloaded: true }),
        Rows.newSim(world, { label: "Blue" }),
        ...holds.map((hold) => Rows.newSim(world, { hold }))
      ])
      const theirs = yield* World.stockOne(other)
      yield* expects("none for me", claim(world), none)
      yield* expects("theirs for them", claim(other), given(theirs))
      yield* expects("none of a label without SIMs", claim(world, { label: "Orange" }), none)
    })
  ),

  scenario("claims at once never get the same SIM, and nobody is told that none is left", (world) =>
    Effect.gen(function* () {
      const sims = yield* World.stock(world, Rows.newSims(world, 12))
      const outcomes = yield* Effect.all(
        Array.from({ length: 30 }, () => claim(world)),
        { concurrency: "unbounded" }
      )
      const serials = outcomes.flatMap((outcome) => (outcome._tag === "Claimed" ? [outcome.sim.serial] : []))
      yield* Suite.equals("different SIMs", new Set(serials).size, serials.length)
      yield* Suite.equals("told that none is left", outcomes.filter((outcome) => outcome._tag === "None").length, 0)
      const found: Array<number> = [...serials]
      for (let left = sims.length - serials.length; left > 0; left--) {
        found.push((yield* Effect.flatMap(claim(world), claimed)).serial)
      }
      yield* Suite.equals(
        "all SIMs",
        found.sort((a, b) => a - b),
        sims.map((sim) => sim.serial)
      )
      yield* expects("once all are claimed", claim(world), busy)
    })
  ),

  scenario("requests at once put each SIM into service once, until none is left", (world) =>
    Effect.gen(function* () {
      const sims = yield* World.stock(world, Rows.newSims(world, 10))
      const request = (patience: number): Effect.Effect<string | null, unknown> =>
        Effect.flatMap(claim(world), (outcome) => {
          switch (outcome._tag) {
            case "Claimed":
              return Effect.as(takeIntoService(world, outcome.sim), outcome.sim.iccid)
            case "Busy":
              return patience === 0
                ? Effect.fail(new Suite.CaseFailed({ message: "The SIMs stay busy though nobody claims them" }))
                : Effect.andThen(Effect.sleep("1 millis"), request(patience - 1))
            case "None":
              return Effect.succeed(null)
          }
        })
      const answers = yield* Effect.all(
        Array.from({ length: 16 }, () => request(2_000)),
        { concurrency: 8 }
      )
      const iccids = answers.filter((iccid) => iccid !== null)
      yield* Suite.equals("SIMs in service", iccids.toSorted(), sims.map((sim) => sim.iccid).toSorted())
      yield* expects("after all", claim(world), none)
    })
  ),

  scenario("a claim raises the version, so that a commit with the one before conflicts", (world) =>
    Effect.gen(function* () {
      const sim = yield* World.stockOne(world)
      const mine = yield* Effect.flatMap(claim(world), claimed)
      yield* Suite.equals("the line's SIM", (yield* World.line(world, sim.iccid)).sim, mine)
      yield* World.conflicts(world, "the version before the claim", { sims: [sim] }, "version")
      yield* takeIntoService(world, mine)
      yield* expects("in service", claim(world), none)
    })
  ),

  scenario("the same token gets its SIM again, another one when the claim is over", (world) =>
    Effect.gen(function* () {
      const sim = yield* World.stockOne(world)
      const { machineNow } = world
      const token = world.id()
      yield* expects("first", claim(world, { token }), given(sim))
      yield* expects("another meanwhile", claim(world), busy)
      yield* expects("again", claim(world, { token }), given({ ...sim, version: sim.version + 1 }))
      const early = claim(world, { machineNow: machineNow + MINUTE - 1 })
      yield* expects("another a millisecond too early", early, busy)
      const late = claim(world, { machineNow: machineNow + MINUTE })
      yield* expects("another at its end", late, given({ ...sim, version: sim.version + 2 }))
      const stale = { sims: [{ ...sim, version: sim.version + 2 }] }
      yield* World.conflicts(world, "a commit under the claim that is over", stale, "version")
      yield* expects("the first token once it is another's", claim(world, { token }), busy)
    })
  ),

  scenario("writing a SIM ends the claim on it", (world) =>
    Effect.gen(function* () {
      const sim = yield* World.stockOne(world)
      const mine = yield* Effect.flatMap(claim(world), claimed)
      yield* world.storage.commit({ sims: [mine] })
      yield* expects("another", claim(world), given({ ...sim, version: mine.version + 1 }))
    })
  ),

  scenario("a SIM that comes back is given after the others", (world) =>
    Effect.gen(function* () {
      const [first, second] = yield* World.stock(world, Rows.newSims(world, 2))
      if (first === undefined || second === undefined) return
      const subscription = Rows.subscription(world, first)
      yield* world.storage.commit({ sims: [Rows.inService(first, subscription)], subscriptions: [subscription] })
      const back: Sim = { ...first, version: first.version + 1, recycledAt: world.now }
      yield* world.storage.commit({
        sims: [back],
        subscriptions: [{ ...subscription, status: "Deleted" }]
      })
      yield* expects("first", claim(world), given(second))
      yield* expects("then", claim(world), given({ ...back, version: back.version + 1 }))
    })
  ),

  scenario("for a mobile plan, eSIMs without one are given by serial, whoever holds them", (world) =>
    Effect.gen(function* () {
      const sims = yield* World.stock(world, [
        Rows.newSim(world, { isEsim: false }),
        Rows.newSim(world, { downloaded: true, mobilePlan: { _tag: "Settled", applied: true } }),
        Rows.newSim(world, { recycledAt: world.now, downloaded: true }),
        Rows.newSim(world, { downloaded: true, mobilePlan: { _tag: "Changing", applied: false, target: true } }),
        Rows.newSim(world, { hold: { _tag: "InService", subscriptionId: world.id() } }),
        Rows.newSim(world, { label: "Blue" }),
        Rows.newSim(world)
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
  )
]
