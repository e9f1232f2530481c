/**
 * What is unique: ICCIDs and key hashes in the whole service, region names and sets of countries in their organization.
 */
import { Effect } from "effect"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("an ICCID is imported once in the whole service, and the other rows of the import come in", (world) =>
    Effect.gen(function* () {
      const { organizationId, storage } = world
      const other = yield* World.neighbour(world)
      const theirs = yield* World.stockOne(other)
      const mine = yield* World.stockOne(world)
      const [first, second, third] = [World.newSim(world), World.newSim(world), World.newSim(world)]
      const outcome = yield* storage.sims.import([
        first,
        World.newSim(world, { iccid: theirs.iccid }),
        second,
        World.newSim(world, { iccid: mine.iccid }),
        { ...first, simId: world.id(), label: "Blue" },
        third
      ])
      yield* Suite.equals("the outcome", outcome, {
        imported: [first.iccid, second.iccid, third.iccid],
        updated: [],
        taken: [
          { iccid: theirs.iccid, organizationId: other.organizationId },
          { iccid: mine.iccid, organizationId },
          { iccid: first.iccid, organizationId }
        ]
      })
      yield* Suite.equals("their SIM", (yield* World.aggregate(other, theirs.iccid)).sim, theirs)
      yield* Suite.equals("my SIM", (yield* World.aggregate(world, mine.iccid)).sim, mine)
      const sims = yield* storage.sims.page({ organizationId, after: null, limit: 100, isEsim: null, label: null })
      yield* Suite.equals(
        "my SIMs by import sequence",
        sims.map(({ importSequence: _, version, ...sim }) => ({ ...sim, version })),
        [
          { ...withoutImportSequence(mine), version: 1 },
          { ...first, version: 1 },
          { ...second, version: 1 },
          { ...third, version: 1 }
        ]
      )
      const importSequences = sims.map((sim) => sim.importSequence)
      yield* Suite.holds(
        `import sequences rise strictly from 1: ${importSequences}`,
        importSequences.every((importSequence, index) => importSequence > (importSequences[index - 1] ?? 0))
      )
    })
  ),

  scenario("import sequences begin at 1 in each organization, and depend on nothing that others import", (world) =>
    Effect.gen(function* () {
      const { storage } = world
      const other = yield* World.neighbour(world)
      yield* storage.sims.import(World.newSims(other, 5))
      const sims = yield* World.stock(world, World.newSims(world, 2))
      yield* Suite.equals(
        "the first import sequences",
        sims.map(({ importSequence }) => importSequence),
        [1, 2]
      )
      const imports = [world, other, world, other, world].map((of) => storage.sims.import(World.newSims(of, 20)))
      yield* Effect.all(imports, { concurrency: "unbounded" })
      for (const [of, count] of [
        [world, 62],
        [other, 45]
      ] as const) {
        const { organizationId } = of
        const listed = yield* storage.sims.page({ organizationId, after: null, limit: 200, isEsim: null, label: null })
        yield* Suite.equals(
          "import sequences after imports at once",
          listed.map(({ importSequence }) => importSequence),
          Array.from({ length: count }, (_, index) => index + 1)
        )
      }
    })
  ),

  scenario("imports at once of the same ICCIDs bring each in once", (world) =>
    Effect.gen(function* () {
      const sims = World.newSims(world, 20)
      const other = yield* World.neighbour(world)
      const imports = [world, other, world, other].map(({ organizationId }, index) =>
        world.storage.sims.import(
          (index < 2 ? sims : sims.toReversed()).map((sim) => ({ ...sim, simId: world.id(), organizationId }))
        )
      )
      const outcomes = yield* Effect.all(imports, { concurrency: "unbounded" })
      const imported = outcomes.flatMap((outcome) => outcome.imported)
      yield* Suite.equals("imported", imported.toSorted(), sims.map((sim) => sim.iccid).toSorted())
      const taken = outcomes.reduce((sum, outcome) => sum + outcome.taken.length, 0)
      yield* Suite.equals("taken", taken, 3 * sims.length)
    })
  ),

  scenario("an import of nothing and one of a thousand SIMs work", (world) =>
    Effect.gen(function* () {
      const { organizationId, storage } = world
      yield* Suite.equals("nothing", yield* storage.sims.import([]), { imported: [], updated: [], taken: [] })
      const sims = World.newSims(world, 1_000)
      const { imported } = yield* storage.sims.import(sims)
      const iccids = sims.map((sim) => sim.iccid)
      yield* Suite.equals("imported", imported, iccids)
      const listed = yield* storage.sims.page({ organizationId, after: null, limit: 2_000, isEsim: null, label: null })
      yield* Suite.equals(
        "listed",
        listed.map((sim) => sim.iccid),
        iccids
      )
    })
  ),

  scenario("a region's name is unique in its organization, letter by letter", (world) =>
    Effect.gen(function* () {
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
    })
  ),

  scenario("a set of countries is unique in its organization, in any order and under any label", (world) =>
    Effect.gen(function* () {
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
    })
  ),

  scenario("a key's hash is unique in the whole service, and free again once the key has another", (world) =>
    Effect.gen(function* () {
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
  )
]

const withoutImportSequence = <A extends { readonly importSequence: number }>({
  importSequence: _,
  ...rest
}: A): Omit<A, "importSequence"> => rest
