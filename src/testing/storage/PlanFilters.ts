/**
 * Finding plans and regions: each filter alone, together, and on top of pages (rules P3 and I4).
 */
import { Effect } from "effect"
import type { Plan } from "../../domain/Plan.ts"
import type { PlanQuery } from "../../ports/Storage.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

// Plans in the order given.
const written = (world: World.World, plans: ReadonlyArray<Partial<Plan>>) => {
  const rows = plans.map((plan, index) => Rows.plan(world, { createdAt: world.now + index, ...plan }))
  return Effect.as(
    world.storage.commit({ plans: rows }),
    rows.map((plan) => ({ ...plan, version: 1 }))
  )
}

const finds = (world: World.World, query: Partial<PlanQuery>, expected: ReadonlyArray<Plan | undefined>) =>
  Effect.flatMap(
    world.storage.plans.page({
      organizationId: world.organizationId,
      after: null,
      limit: 100,
      archived: null,
      label: null,
      search: null,
      covering: null,
      ...query
    }),
    ({ items }) =>
      Suite.equals(
        `plans for ${JSON.stringify(query)}`,
        items,
        expected.filter((plan) => plan !== undefined)
      )
  )

const named = (world: World.World, names: ReadonlyArray<string>) =>
  written(
    world,
    names.map((name) => ({ terms: Rows.terms(world, { name }) }))
  )

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("plans are found by whether they are archived, deleted ones only by their id", function* (world) {
    const { now, storage } = world
    const plans = yield* written(world, [
      {},
      { archivedAt: now },
      { deletedAt: now },
      { archivedAt: now, deletedAt: now }
    ])
    const [live, archived] = plans
    yield* finds(world, {}, [live, archived])
    yield* finds(world, { archived: true }, [archived])
    yield* finds(world, { archived: false }, [live])
    for (const plan of plans) yield* Suite.equals("the plan", yield* storage.plans.get(plan), plan)
    if (live === undefined) return
    yield* storage.commit({ plans: [{ ...live, deletedAt: now }] })
    yield* finds(world, {}, [archived])
  }),

  scenario("the plans of all organizations are counted by what they cover, deleted ones not", function* (world) {
    const { organizationId, storage } = world
    const region = Rows.region(world, { coverageId: `custom ${organizationId}`, iso2List: ["DK", "SE"] })
    yield* storage.commit({ regions: [region] })
    const covering = (coverageId: string) => ({ terms: Rows.terms(world, { coverageId, label: "Green" }) })
    const standard = `standard ${organizationId}`
    yield* written(world, [
      covering(standard),
      { ...covering(standard), archivedAt: world.now },
      { ...covering(standard), deletedAt: world.now },
      covering(region.coverageId)
    ])
    const found = (yield* storage.plans.uses).filter(({ coverageId }) => coverageId.endsWith(organizationId))
    yield* Suite.equals(
      "the uses",
      found.toSorted((one, other) => (one.coverageId < other.coverageId ? -1 : 1)),
      [
        { coverageId: region.coverageId, label: "Green", iso2List: ["DK", "SE"], plans: 1 },
        { coverageId: standard, label: "Green", iso2List: null, plans: 2 }
      ]
    )
  }),

  scenario("plans are found by their label", function* (world) {
    const labels = ["Green", "Voilet", "Green", "Red"] as const
    const plans = yield* written(
      world,
      labels.map((label) => ({ terms: Rows.terms(world, { label }) }))
    )
    yield* finds(world, { label: "Green" }, [plans[0], plans[2]])
    yield* finds(world, { label: "Voilet" }, [plans[1]])
    yield* finds(world, { label: "Orange" }, [])
  }),

  scenario("plans are found by a part of the name, literally and in any case", function* (world) {
    const names = ["Europe 10 GB", "100% Data_Plan", "1000 dataxplan", "back\\slash", 'it\'s "1"', "a.b*c(d)[e]", "axb"]
    const [europe, percent, thousand, slash, quotes, pattern, axb] = yield* named(world, names)
    yield* finds(world, { search: "EUROPE 1" }, [europe])
    yield* finds(world, { search: "gb" }, [europe])
    yield* finds(world, { search: "100%" }, [percent])
    yield* finds(world, { search: "%" }, [percent])
    yield* finds(world, { search: "DATA_plan" }, [percent])
    yield* finds(world, { search: "_" }, [percent])
    yield* finds(world, { search: "100" }, [percent, thousand])
    yield* finds(world, { search: "\\" }, [slash])
    yield* finds(world, { search: "K\\S" }, [slash])
    yield* finds(world, { search: "'s \"" }, [quotes])
    yield* finds(world, { search: "a.b*c(d)[e]" }, [pattern])
    yield* finds(world, { search: "a.b" }, [pattern])
    yield* finds(world, { search: "axb" }, [axb])
    yield* finds(world, { search: "nowhere" }, [])
  }),

  scenario("plans are found in any case of letters beyond ASCII, too", function* (world) {
    const [accents, greek, cyrillic, emoji] = yield* named(world, ["Séjour ÉTÉ", "ΑΘΗΝΑ", "Москва", "🌍 World"])
    yield* finds(world, { search: "sÉJOUR été" }, [accents])
    yield* finds(world, { search: "θην" }, [greek])
    yield* finds(world, { search: "МОСКВА" }, [cyrillic])
    yield* finds(world, { search: "🌍 w" }, [emoji])
  }),

  scenario("plans are found by the countries that they cover, custom regions included", function* (world) {
    const { storage } = world
    const other = yield* World.neighbour(world)
    const nordics = Rows.region(world, { iso2List: ["SE", "NO", "FI", "DK"] })
    const sweden = Rows.region(world, { iso2List: ["SE"] })
    const theirs = Rows.region(other, { iso2List: ["SE", "NO", "FR"] })
    yield* storage.commit({ regions: [nordics, sweden, theirs] })
    const standard = world.id()
    const [north, only, global, foreign, unknown] = yield* written(
      world,
      [nordics.coverageId, sweden.coverageId, standard, theirs.coverageId, world.id()].map((coverageId) => ({
        terms: Rows.terms(world, { coverageId })
      }))
    )
    yield* finds(world, {}, [north, only, global, foreign, unknown])
    const covering = (iso2List: ReadonlyArray<string>, coverageIds: ReadonlyArray<string> = []) => ({
      covering: { coverageIds, iso2List }
    })
    yield* finds(world, covering(["SE"]), [north, only])
    yield* finds(world, covering(["NO", "SE"]), [north])
    yield* finds(world, covering(["FR"]), [])
    yield* finds(world, covering(["NO", "SE"], [standard, world.id()]), [north, global])
    yield* finds(world, covering(["FR"], [standard]), [global])
  }),

  scenario("filters on plans apply together, and before pages are cut", function* (world) {
    const region = Rows.region(world, { iso2List: ["SE"] })
    yield* world.storage.commit({ regions: [region] })
    const wanted = { name: "Wanted", label: "Blue", coverageId: region.coverageId } as const
    const plans = yield* written(
      world,
      Array.from({ length: 30 }, (_, index) => ({
        archivedAt: index % 2 === 0 ? world.now : null,
        terms: Rows.terms(world, {
          ...wanted,
          ...(index % 3 === 1 && { name: "Other" }),
          ...(index % 5 === 1 && { label: "Green" }),
          ...(index % 7 === 1 && { coverageId: world.id() })
        })
      }))
    )
    const expected = plans.filter(
      ({ archivedAt, terms }) =>
        archivedAt === null &&
        terms.name === wanted.name &&
        terms.label === wanted.label &&
        terms.coverageId === wanted.coverageId
    )
    const query: Partial<PlanQuery> = {
      archived: false,
      label: "Blue",
      search: "want",
      covering: { coverageIds: [], iso2List: ["SE"] }
    }
    yield* Suite.holds("several plans are wanted", expected.length > 3)
    yield* finds(world, query, expected)
    yield* finds(world, { ...query, limit: 2 }, expected.slice(0, 2))
    const second = yield* World.given("second plan", expected[1])
    const after = { createdAt: second.createdAt, id: second.planId }
    yield* finds(world, { ...query, after, limit: 1 }, expected.slice(2, 3))
  }),

  scenario("a region is found by its id alone, of whichever organization", function* (world) {
    const { storage } = world
    const other = yield* World.neighbour(world)
    const own = Rows.region(world, { regionName: "Own", iso2List: ["SE"] })
    const theirs = Rows.region(other, { regionName: "Theirs", iso2List: ["SE", "NO"] })
    yield* storage.commit({ regions: [own, theirs] })
    yield* Suite.equals("the own one", yield* storage.regions.find(own.coverageId), own)
    yield* Suite.equals("the other's", yield* storage.regions.find(theirs.coverageId), theirs)
    yield* Suite.equals("an unknown one", yield* storage.regions.find(world.id()), null)
  }),

  scenario("regions alike are those of the same name or with exactly the same countries", function* (world) {
    const { storage } = world
    const other = yield* World.neighbour(world)
    const three = Rows.region(world, { regionName: "Three", iso2List: ["SE", "NO", "FI"] })
    const theirs = Rows.region(other, { regionName: "Three", iso2List: ["FI", "SE", "NO"] })
    const two = Rows.region(world, { regionName: "Two", iso2List: ["SE", "NO"] })
    yield* storage.commit({ regions: [three, two, theirs] })
    const alike = (regionName: string, iso2List: ReadonlyArray<string>, expected: ReadonlyArray<typeof three>) =>
      Effect.flatMap(storage.regions.like({ organizationId: world.organizationId, regionName, iso2List }), (regions) =>
        Suite.equals(`regions like ${regionName} ${iso2List}`, new Set(regions), new Set(expected))
      )
    yield* alike("Three", ["DE"], [three])
    yield* alike("None", ["NO", "FI", "SE"], [three])
    yield* alike("Two", ["NO", "FI", "SE"], [three, two])
    yield* alike("Two", ["NO", "SE"], [two])
    yield* alike("three", ["SE"], [])
    yield* alike("None", ["SE", "NO", "FI", "DK"], [])
  })
]
