/**
 * What the telco's reports need and leave: the aggregates that they are about, the ids that were
 * seen, and the SM-DP+ history (rules R1, R3 and I2).
 */
import { Effect } from "effect"
import { packageId } from "../../../domain/Package.ts"
import type { ForReports } from "../../../domain/SimAggregate.ts"
import { DAY } from "../../../domain/Time.ts"
import type { Reported, ReportQuery } from "../../../ports/Storage.ts"
import * as Suite from "../../Suite.ts"
import { simChange, subscribe } from "../world/World.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

type Asked = ReportQuery["iccids"][number]

const ask = (world: World.World, iccids: ReadonlyArray<Partial<Asked> & { readonly iccid: string }>, seenSince = 0) =>
  Effect.map(
    world.storage.simAggregates.forReports({
      iccids: iccids.map((asked) => ({ since: world.now, packageIds: [], reportIds: [], ...asked })),
      seenSince,
      seenUntil: world.now + DAY
    }),
    (aggregates) => new Map(aggregates.map((reported) => [reported.aggregate.sim.iccid, reported]))
  )

const narrowed = (found: Reported | undefined): Reported | undefined =>
  found === undefined ? undefined : { ...found, aggregate: Rows.forReports(found.aggregate) }

export const cases: ReadonlyArray<World.Scenario> = [
  scenario(
    "reported aggregates have the packages that reports can touch, and all confirmed attachments",
    function* (world) {
      const { now } = world
      const sim = yield* World.stockOne(world)
      const subscription = Rows.subscription(world, sim)
      const attachments = [1, 2, 3].map((offset) => Rows.attachment(world, subscription, { createdAt: now + offset }))
      const [first, second] = attachments
      if (first === undefined || second === undefined) return
      const ends = [null, now - DAY, now - 1, now, now + 1, now + DAY]
      const packages = [first, second].flatMap((attachment) =>
        ends.map((expirationAt, occurrence) =>
          Rows.pack(world, attachment, occurrence, { expirationAt, telcoPackageId: `T-${world.id()}` })
        )
      )
      yield* world.storage.commit({
        sims: [
          subscribe(sim, subscription, {
            attachments: [
              ...attachments,
              Rows.attachment(world, subscription, { createdAt: now + 4, confirmed: false })
            ],
            packages
          })
        ]
      })
      const telcoId = packages.find((pack) => pack.attachmentId === second.attachmentId && pack.occurrence === 1)
      const packageIds = [
        packageId(first.attachmentId, 3),
        telcoId?.telcoPackageId ?? "",
        packageId(first.attachmentId, 77),
        "unknown"
      ]
      const { iccid } = sim
      const asked = yield* ask(world, [{ iccid, packageIds }])
      const aggregate = yield* World.aggregate(world, iccid)
      const kept = (attachmentId: string, occurrences: ReadonlyArray<number>) =>
        packages.filter((pack) => pack.attachmentId === attachmentId && occurrences.includes(pack.occurrence))
      const expected = {
        sim: aggregate.sim,
        attachments: attachments.map((attachment, index) => ({
          attachment,
          packages:
            index === 0
              ? kept(first.attachmentId, [0, 3, 4, 5])
              : index === 1
                ? kept(second.attachmentId, [0, 1, 4, 5])
                : []
        }))
      }
      yield* Suite.equals("the reported aggregate", narrowed(asked.get(iccid)), {
        aggregate: Rows.forReports(expected),
        seen: []
      })
      const all = yield* ask(world, [{ iccid, since: now - 2 * DAY }])
      const allOfThem = { sim: aggregate.sim, attachments: aggregate.attachments.slice(0, 3) }
      yield* Suite.equals("all packages", narrowed(all.get(iccid))?.aggregate, Rows.forReports(allOfThem))
    }
  ),

  scenario("reported aggregates are found for any organization, with what each one has seen", function* (world) {
    const { now, storage } = world
    const other = yield* World.neighbour(world)
    const mine = yield* World.stockOne(world)
    const theirs = yield* World.stockOne(other, { isEsim: false, lpa: null })
    const seen = (of: World.World, reportId: string, receivedAt: number) => ({
      organizationId: of.organizationId,
      reportId,
      receivedAt
    })
    yield* storage.commit({
      reports: {
        seen: [
          seen(world, "old", now - 1),
          seen(world, "new", now),
          seen(world, "raised", now - 1),
          seen(other, "theirs", now + 1)
        ]
      }
    })
    yield* storage.commit({ reports: { seen: [seen(world, "raised", now + 1)] } })
    // An id that two reports have, and what comes after a later one.
    yield* storage.commit({ reports: { seen: [seen(world, "new", now), seen(world, "new", now - DAY)] } })
    const reportIds = ["raised", "theirs", "old", "new", "never"]
    const asked = yield* ask(
      world,
      [
        { iccid: mine.iccid, reportIds },
        { iccid: world.iccid(), reportIds },
        { iccid: theirs.iccid, reportIds }
      ],
      now
    )
    yield* Suite.equals("aggregates", asked.size, 2)
    const found = (iccid: string) => new Set(asked.get(iccid)?.seen)
    yield* Suite.equals("seen by me", found(mine.iccid), new Set(["raised", "new"]))
    yield* Suite.equals("seen by them", found(theirs.iccid), new Set(["theirs"]))
    const theirAggregate = narrowed(asked.get(theirs.iccid))?.aggregate
    yield* Suite.equals("their aggregate", theirAggregate, Rows.forReports({ sim: theirs, attachments: [] }))
    const ever = yield* ask(world, [{ iccid: mine.iccid, reportIds }], now - DAY)
    yield* Suite.equals("ever seen by me", new Set(ever.get(mine.iccid)?.seen), new Set(["raised", "new", "old"]))
  }),

  scenario(
    "reported aggregates have no packages that are not at the telco, nor any of a SIM that is not in service",
    function* (world) {
      const sim = yield* World.stockOne(world)
      const subscription = Rows.subscription(world, sim)
      const attachment = Rows.attachment(world, subscription)
      const packages = (["Refused", "Created", "Lapsed"] as const).map((status, occurrence) =>
        Rows.pack(world, attachment, occurrence, { status })
      )
      yield* world.storage.commit({ sims: [subscribe(sim, subscription, { attachments: [attachment], packages })] })
      const attachmentsOf = Effect.map(
        ask(world, [{ iccid: sim.iccid }]),
        (asked) => narrowed(asked.get(sim.iccid))?.aggregate.attachments
      )
      const expected = { sim, attachments: [{ attachment, packages: packages.slice(1, 2) }] }
      yield* Suite.equals("in service", yield* attachmentsOf, Rows.forReports(expected).attachments)
      for (const tag of ["Provisioning", "Releasing"] as const) {
        const allocation = { _tag: tag, subscriptionId: subscription.subscriptionId }
        yield* World.write(world, sim, { sim: { allocation } })
        yield* Suite.equals(tag, yield* attachmentsOf, [])
      }
    }
  ),

  scenario(
    "what reports change is written beside all else of an aggregate, on its own and among other SIMs",
    function* (world) {
      const { now, storage } = world
      const sims = yield* World.stock(world, World.newSims(world, 4))
      const [sim, other, third, fourth] = sims
      if (sim === undefined || other === undefined || third === undefined || fourth === undefined) return
      const subscription = Rows.subscription(world, sim)
      const attachments = [1, 2].map((offset) => Rows.attachment(world, subscription, { createdAt: now + offset }))
      const packages = attachments.flatMap((attachment) => [0, 1].map((index) => Rows.pack(world, attachment, index)))
      const known = {
        smdp: { state: "Enable", modifiedAt: now } as const,
        location: { countryAlpha2: "SE", operator: "Telia", rat: "4G", imei: "1", at: now },
        mobilePlan: { _tag: "Changing", applied: false, target: true } as const,
        recycledAt: now
      }
      yield* storage.commit({ sims: [subscribe(sim, subscription, { sim: known, attachments, packages })] })
      const before = yield* World.aggregate(world, sim.iccid)
      const { aggregate: loaded } = yield* World.given(
        "the view for reports",
        (yield* ask(world, [{ iccid: sim.iccid, since: 0 }])).get(sim.iccid)
      )
      const used = { activationAt: now + 1, expirationAt: now + 2, usedBytes: 2 ** 53 - 1 }
      const use = { downloaded: true, lastActivityAt: now }
      const usedAggregate = (aggregate: ForReports): ForReports => ({
        sim: { ...aggregate.sim, ...use },
        attachments: aggregate.attachments.map(({ attachment, packages: its }, index) =>
          index === 1
            ? { attachment, packages: its }
            : {
                attachment: { ...attachment, anchor: now, lastThresholdNotified: 80 },
                packages: its.map((pack) => (pack.occurrence === 1 ? { ...pack, ...used } : pack))
              }
        )
      })
      yield* storage.commit({ sims: [{ loaded, next: usedAggregate(loaded) }] })
      const after = yield* World.aggregate(world, sim.iccid)
      yield* Suite.equals("the SIM that was used", after.sim, {
        ...before.sim,
        ...use,
        version: before.sim.version + 1
      })
      const expected = usedAggregate(Rows.forReports(before))
      yield* Suite.equals("what was used", Rows.forReports(after).attachments, expected.attachments)
      const unchanged = ({ attachments: all }: typeof after) =>
        all.map(({ attachment }) => [attachment.terms, attachment.metadata, attachment.activePeriod])
      yield* Suite.equals("the rest of the attachments", unchanged(after), unchanged(before))

      const stored = after.sim
      const located = {
        smdp: { state: "Disable", modifiedAt: now + 1 } as const,
        location: { countryAlpha2: "NO", operator: "Telenor", rat: "5G", imei: "2", at: now + 1 }
      }
      yield* storage.commit({ sims: [simChange(stored), simChange(other, { ...use, ...located })] })
      const again = (yield* World.aggregate(world, sim.iccid)).sim
      yield* Suite.equals("one that stays as it is", again, { ...stored, version: stored.version + 1 })
      const seen = (yield* World.aggregate(world, other.iccid)).sim
      yield* Suite.equals("one with a location", seen, { ...other, ...use, ...located, version: other.version + 1 })
      const written = { recycledAt: now + 5, smdp: located.smdp }
      yield* storage.commit({
        sims: [
          simChange(third, written),
          simChange(fourth),
          simChange(again, { lastActivityAt: now + 1 }),
          simChange(seen, { location: known.location })
        ]
      })
      const left = yield* Effect.forEach(sims, ({ iccid }) =>
        Effect.map(World.aggregate(world, iccid), (aggregate) => aggregate.sim)
      )
      yield* Suite.equals("among others", left, [
        { ...again, lastActivityAt: now + 1, version: again.version + 1 },
        { ...seen, location: known.location, version: seen.version + 1 },
        { ...third, ...written, version: third.version + 1 },
        { ...fourth, version: fourth.version + 1 }
      ])
      const stale = simChange(again, { lastActivityAt: now + 2 })
      yield* World.conflicts(world, "what was reported of a SIM that has changed", { sims: [stale] }, "version")
      const fresh = simChange({ ...third, ...written, version: third.version + 1 }, { downloaded: true })
      yield* World.conflicts(world, "that among others", { sims: [fresh, stale] }, "version")
    }
  ),

  scenario("reported aggregates are none where none is asked for or known", function* (world) {
    yield* Suite.equals("none asked for", (yield* ask(world, [])).size, 0)
    yield* Suite.equals("none known", (yield* ask(world, [{ iccid: world.iccid() }])).size, 0)
  }),

  scenario("the SM-DP+ history is kept by time, and as stored where times are equal", function* (world) {
    const { now, organizationId, storage } = world
    const [sim, other] = yield* World.stock(world, World.newSims(world, 2))
    if (sim === undefined || other === undefined) return
    const entry = (offset: number, modificationResult: string) =>
      Rows.smdpEntry(world, sim, { modifiedAt: now + offset, modificationResult })
    const [a, b, c, d] = [entry(5, "a"), entry(-5, "b"), entry(5, "c"), entry(0, "d")]
    yield* storage.commit({ reports: { smdpEntries: [a, b, Rows.smdpEntry(world, other)] } })
    yield* storage.commit({ reports: { smdpEntries: [c] } })
    yield* storage.commit({ reports: { smdpEntries: [d, { ...b, modifiedAt: now + 5 }] } })
    const { iccid } = sim
    const expected = [b, d, a, c, { ...b, modifiedAt: now + 5 }]
    yield* Suite.equals("the history", yield* storage.sims.smdpHistory({ organizationId, iccid }), expected)
    const none = yield* storage.sims.smdpHistory({ organizationId, iccid: world.iccid() })
    yield* Suite.equals("of an unknown SIM", none, [])
  })
]
