/**
 * Imports of SIMs: each ICCID is in the whole service once (rule I2), and a repeated import brings
 * what a SIM lacks (rule I7).
 */
import { Effect } from "effect"
import { none } from "../../../domain/SimIdentities.ts"
import type * as Storage from "../../../ports/Storage.ts"
import * as Suite from "../../Suite.ts"
import { change, simChange } from "../world/World.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

const all = { imsi: "208930000000001", msisdn: "33612345678", subscriberId: "S-1 é\"'" }

const withoutImportSequence = <A extends { readonly importSequence: number }>({
  importSequence: _,
  ...rest
}: A): Omit<A, "importSequence"> => rest

export const cases: ReadonlyArray<World.Scenario> = [
  scenario(
    "an ICCID is imported once in the whole service, and the other rows of the import come in",
    function* (world) {
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
        ],
        differing: []
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
    }
  ),

  scenario(
    "import sequences begin at 1 in each organization, and depend on nothing that others import",
    function* (world) {
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
    }
  ),

  scenario("imports at once of the same ICCIDs bring each in once", function* (world) {
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
  }),

  scenario("an import of nothing and one of a thousand SIMs work", function* (world) {
    const { organizationId, storage } = world
    yield* Suite.equals("nothing", yield* storage.sims.import([]), {
      imported: [],
      updated: [],
      taken: [],
      differing: []
    })
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
  }),

  scenario("the identities of a SIM are read with it and alone, and only by its organization", function* (world) {
    const { organizationId, storage } = world
    const [known, partly, unknown] = yield* World.stock(world, [
      World.newSim(world, all),
      World.newSim(world, { msisdn: all.msisdn }),
      World.newSim(world)
    ])
    for (const [sim, expected] of [
      [known, all],
      [partly, { ...none, msisdn: all.msisdn }],
      [unknown, none]
    ] as const) {
      const { iccid, ...read } = yield* World.given("SIM", sim)
      yield* Suite.equals("alone", yield* storage.sims.identities({ organizationId, iccid }), expected)
      yield* Suite.equals(
        "with the SIM",
        { imsi: read.imsi, msisdn: read.msisdn, subscriberId: read.subscriberId },
        expected
      )
      const other = yield* World.neighbour(world)
      yield* Suite.equals("by another", yield* storage.sims.identities({ ...World.of(other), iccid }), null)
    }
    const page = yield* storage.sims.page({ organizationId, after: null, limit: 9, isEsim: null, label: null })
    yield* Suite.equals<unknown>("the page", page, [known, partly, unknown])
    const ofUnknown = yield* storage.sims.identities({ organizationId, iccid: world.iccid() })
    yield* Suite.equals("of nobody's ICCID", ofUnknown, null)
  }),

  scenario(
    "an import of a SIM that is there fills in identities that it lacks or that have changed, and no more",
    function* (world) {
      const { organizationId, storage } = world
      const entry = Rows.auditEntry(world, { action: "sim.import" })
      const [bare, known] = [World.newSim(world), World.newSim(world, all)]
      yield* World.stock(world, [bare, known])
      const again = (of: typeof bare, changes: Partial<typeof bare>) =>
        World.newSim(world, {
          iccid: of.iccid,
          label: "Blue",
          isEsim: false,
          lpa: null,
          downloaded: true,
          ...changes
        })
      const fresh = World.newSim(world)
      const kept = ({ iccid, isEsim, label, lpa }: typeof bare) => ({ iccid, label, isEsim, lpa })
      const taken = (iccid: string) => ({ iccid, organizationId })
      const outcome = yield* storage.sims.import(
        [again(known, all), again(bare, { imsi: all.imsi }), fresh, again(bare, { msisdn: "1" })],
        entry
      )
      yield* Suite.equals("the outcome", outcome, {
        imported: [fresh.iccid],
        updated: [bare.iccid],
        taken: [taken(known.iccid), taken(bare.iccid)],
        differing: [kept(known), kept(bare)]
      })
      yield* Suite.equals("what was imported before, again", yield* storage.sims.import([again(known, {})]), {
        imported: [],
        updated: [],
        taken: [taken(known.iccid)],
        differing: [kept(known)]
      })
      const changed = yield* storage.sims.import([again(known, { msisdn: "4477" }), again(bare, { imsi: all.imsi })])
      yield* Suite.equals("changed ones", changed.updated, [known.iccid])
      const stored = yield* Effect.forEach([bare, known], ({ iccid }) => World.aggregate(world, iccid))
      yield* Suite.equals(
        "the SIMs",
        stored.map(({ sim: { importSequence: _, ...sim } }) => sim),
        [
          { ...bare, imsi: all.imsi, version: 1 },
          { ...known, msisdn: "4477", version: 1 }
        ]
      )
    }
  ),

  scenario("an import gives an eSIM the activation code that it lacks, and replaces none", function* (world) {
    const { storage } = world
    const bare = World.newSim(world, { lpa: null })
    const known = World.newSim(world, { lpa: "LPA:1$smdp.example$FIRST" })
    const physical = World.newSim(world, { isEsim: false, lpa: null })
    yield* World.stock(world, [bare, known, physical])
    const second = "LPA:1$smdp.example$SECOND"
    const again = [bare, known, physical].map((sim) => ({ ...sim, isEsim: true, lpa: second }))
    const { imported, updated } = yield* storage.sims.import(again)
    yield* Suite.equals("the outcome", { imported, updated }, { imported: [], updated: [bare.iccid] })
    yield* storage.sims.import([bare, { ...known, lpa: null }])
    const stored = yield* Effect.forEach([bare, known, physical], ({ iccid }) => World.aggregate(world, iccid))
    yield* Suite.equals(
      "the SIMs",
      stored.map(({ sim: { importSequence: _, ...sim } }) => sim),
      [
        { ...bare, lpa: second, version: 1 },
        { ...known, version: 1 },
        { ...physical, version: 1 }
      ]
    )
  }),

  scenario(
    "an import says what stays of SIMs that differ in label, kind or activation code, and of no others",
    function* (world) {
      const { storage } = world
      const other = yield* World.neighbour(world)
      const theirs = yield* World.stockOne(other)
      const lpa = "LPA:1$smdp.example$FIRST"
      const sims = Array.from({ length: 6 }, () => World.newSim(world, { label: "Green", isEsim: true, lpa }))
      const bare = World.newSim(world, { label: "Green", isEsim: true, lpa: null })
      yield* World.stock(world, [...sims, bare])
      const [same, silent, relabelled, physical, otherCode, twice] = sims
      const again = (sim: Storage.NewSim | undefined, changes: Partial<Storage.NewSim>) =>
        Effect.map(World.given("SIM", sim), (one) => ({ ...one, simId: world.id(), ...changes }))
      const { differing } = yield* storage.sims.import([
        yield* again(same, {}),
        yield* again(silent, { lpa: null, imsi: "208930000000001" }),
        yield* again(relabelled, { label: "Blue", imsi: "208930000000002" }),
        yield* again(bare, { lpa }),
        yield* again(physical, { isEsim: false, lpa: null }),
        yield* again(otherCode, { lpa: "LPA:1$smdp.example$SECOND" }),
        yield* again(twice, {}),
        yield* again(twice, { label: "Blue" }),
        World.newSim(world, { iccid: theirs.iccid, label: "Blue" })
      ])
      yield* Suite.equals(
        "what is stored of the differing ones",
        differing,
        [relabelled, physical, otherCode].map((sim) => ({
          iccid: sim?.iccid ?? "",
          label: "Green" as const,
          isEsim: true,
          lpa
        }))
      )
    }
  ),

  scenario("imports at once of the same SIMs leave the identities that one of them has", function* (world) {
    const { storage } = world
    for (let round = 0; round < 6; round++) {
      const bare = World.newSims(world, 100)
      const known = bare.map((sim) => ({ ...sim, simId: world.id(), ...all }))
      const imports = [bare, round % 2 === 0 ? known : known.toReversed()].map((sims) => storage.sims.import(sims))
      const outcomes = yield* Effect.all(imports, { concurrency: "unbounded" })
      const counted = outcomes.map((of) => of.imported.length + of.updated.length + of.taken.length)
      yield* Suite.equals("rows that are reported", counted, [bare.length, bare.length])
      const [first, last] = [bare[0], bare.at(-1)]
      for (const sim of [first, last]) {
        const { iccid } = yield* World.given("SIM", sim)
        yield* Suite.equals("identities", yield* storage.sims.identities({ ...World.of(world), iccid }), all)
      }
    }
  }),

  scenario(
    "a commit corrects label and activation code, and keeps a code that an import has brought meanwhile (I9)",
    function* (world) {
      const { storage } = world
      const bare = yield* World.stockOne(world, { label: "Green", lpa: null })
      const known = yield* World.stockOne(world, { label: "Green", lpa: "LPA:1$smdp.example$FIRST" })
      yield* storage.sims.import([{ ...bare, simId: world.id(), lpa: "LPA:1$smdp.example$IMPORTED" }])
      yield* storage.commit({
        sims: [
          simChange(bare, { label: "Blue" }),
          simChange(known, { lpa: "LPA:1$smdp.example$SECOND", downloaded: true })
        ]
      })
      const both = Effect.forEach([bare, known], ({ iccid }) =>
        Effect.map(World.aggregate(world, iccid), ({ sim }) => sim)
      )
      yield* Suite.equals("the SIMs", yield* both, [
        { ...bare, label: "Blue", lpa: "LPA:1$smdp.example$IMPORTED", version: bare.version + 1 },
        { ...known, lpa: "LPA:1$smdp.example$SECOND", downloaded: true, version: known.version + 1 }
      ])
      const { label, iccid } = bare
      yield* Suite.equals(
        "of the old label",
        yield* storage.sims.page({
          ...World.of(world),
          label,
          isEsim: null,
          after: null,
          limit: 9
        }),
        (yield* both).slice(1)
      )
      yield* Suite.equals("the owner", yield* storage.simAggregates.owner(iccid), {
        ...World.of(world),
        label: "Blue"
      })
      const current = (yield* both)[0] ?? bare
      yield* storage.commit({ sims: [simChange(current, { lpa: null })] })
      yield* Suite.equals("without a code", (yield* World.aggregate(world, iccid)).sim.lpa, null)
    }
  ),

  scenario("an import changes no identities of another organization's SIM", function* (world) {
    const other = yield* World.neighbour(world)
    const theirs = yield* World.stockOne(other)
    const outcome = yield* world.storage.sims.import([World.newSim(world, { ...all, iccid: theirs.iccid })])
    yield* Suite.equals("the outcome", outcome, {
      imported: [],
      updated: [],
      taken: [{ iccid: theirs.iccid, organizationId: other.organizationId }],
      differing: []
    })
    yield* Suite.equals("their SIM", (yield* World.aggregate(other, theirs.iccid)).sim, theirs)
  }),

  scenario("an import that changes nothing but identities stores its audit entry once", function* (world) {
    const { now, storage } = world
    const entry = Rows.auditEntry(world, { action: "sim.import" })
    const sim = World.newSim(world)
    yield* storage.sims.import([sim])
    const filter = { from: null, to: null, actor: null, action: null, resourceId: null }
    const listed = World.items(storage.auditEntries.page({ ...World.of(world), ...filter, after: null, limit: 9 }))
    for (const [what, given, entries] of [
      ["without any", {}, []],
      ["with one", { imsi: all.imsi }, [entry]],
      ["with that again", { imsi: all.imsi }, [entry]],
      ["with another one", { imsi: "208930000000002" }, [entry]]
    ] as const) {
      yield* storage.sims.import([{ ...sim, ...given, createdAt: now + 1 }], entry)
      yield* Suite.equals(`the entries after an import ${what}`, yield* listed, entries)
    }
  }),

  scenario("a change of identities leaves the reservation and the work on an aggregate as they are", function* (world) {
    const { machineNow, organizationId, storage } = world
    const sim = World.newSim(world)
    const before = yield* World.aggregate(world, (yield* World.stockOne(world, sim)).iccid)
    const token = world.id()
    const claim = {
      organizationId,
      label: sim.label,
      purpose: "subscription",
      load: null,
      count: 1,
      machineNow
    } as const
    const reserved = yield* storage.sims.reserve({ ...claim, token, until: machineNow + 60_000 })
    yield* storage.sims.import([{ ...sim, ...all }])
    const busy = yield* storage.sims.reserve({ ...claim, token: world.id(), until: machineNow + 60_000 })
    yield* Suite.equals("reservations of it", busy, { sims: [], shortage: "Busy" })
    const [held] = reserved.sims
    const loaded = { ...before, sim: yield* World.given("reserved SIM", held) }
    yield* storage.commit({ sims: [change(loaded, { sim: { ...loaded.sim, downloaded: true } })] })
    const { sim: after } = yield* World.aggregate(world, sim.iccid)
    yield* Suite.equals("the SIM", after, {
      ...loaded.sim,
      ...all,
      downloaded: true,
      version: loaded.sim.version + 1
    })
  })
]
