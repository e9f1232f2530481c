/**
 * What the telco's reports need and leave: the lines that they are about, the ids that were seen, and the SM-DP+ history
 * (rules R1, R3 and I2).
 */
import { Effect } from "effect"
import { packageId } from "../../domain/Package.ts"
import { DAY } from "../../domain/Time.ts"
import type { Storage } from "../../ports/Storage.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./Rows.ts"
import * as World from "./World.ts"
import { scenario } from "./World.ts"

type Asked = Parameters<Storage["Service"]["reportedLines"]>[0]["iccids"][number]

const ask = (world: World.World, iccids: ReadonlyArray<Partial<Asked> & { readonly iccid: string }>, seenSince = 0) =>
  Effect.map(
    world.storage.reportedLines({
      iccids: iccids.map((asked) => ({ since: world.now, packageIds: [], reportIds: [], ...asked })),
      seenSince
    }),
    (lines) => new Map(lines.map((reported) => [reported.line.sim.iccid, reported]))
  )

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("reported lines have the packages that reports can touch, and all attachments", (world) =>
    Effect.gen(function* () {
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
        sims: [Rows.inService(sim, subscription)],
        subscriptions: [subscription],
        attachments,
        packages
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
      const line = yield* World.line(world, iccid)
      const kept = (attachmentId: string, occurrences: ReadonlyArray<number>) =>
        packages.filter((pack) => pack.attachmentId === attachmentId && occurrences.includes(pack.occurrence))
      yield* Suite.equals("the reported line", asked.get(iccid), {
        line: {
          ...line,
          attachments: attachments.map((attachment, index) => ({
            attachment,
            packages:
              index === 0
                ? kept(first.attachmentId, [0, 3, 4, 5])
                : index === 1
                  ? kept(second.attachmentId, [0, 1, 4, 5])
                  : []
          }))
        },
        seen: []
      })
      const all = yield* ask(world, [{ iccid, since: now - 2 * DAY }])
      yield* Suite.equals("all packages", all.get(iccid)?.line, line)
    })
  ),

  scenario("reported lines are found for any organization, with what each one has seen", (world) =>
    Effect.gen(function* () {
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
        seenReports: [
          seen(world, "old", now - 1),
          seen(world, "new", now),
          seen(world, "raised", now - 1),
          seen(other, "theirs", now + 1)
        ]
      })
      yield* storage.commit({ seenReports: [seen(world, "raised", now + 1)] })
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
      yield* Suite.equals("lines", asked.size, 2)
      const found = (iccid: string) => new Set(asked.get(iccid)?.seen)
      yield* Suite.equals("seen by me", found(mine.iccid), new Set(["raised", "new"]))
      yield* Suite.equals("seen by them", found(theirs.iccid), new Set(["theirs"]))
      yield* Suite.equals("their line", asked.get(theirs.iccid)?.line, {
        sim: theirs,
        subscription: null,
        attachments: []
      })
      const ever = yield* ask(world, [{ iccid: mine.iccid, reportIds }], now - DAY)
      yield* Suite.equals("ever seen by me", new Set(ever.get(mine.iccid)?.seen), new Set(["raised", "new", "old"]))
    })
  ),

  scenario("reported lines are none where none is asked for or known", (world) =>
    Effect.gen(function* () {
      yield* Suite.equals("none asked for", (yield* ask(world, [])).size, 0)
      yield* Suite.equals("none known", (yield* ask(world, [{ iccid: world.iccid() }])).size, 0)
    })
  ),

  scenario("the SM-DP+ history is kept by time, and as stored where times are equal", (world) =>
    Effect.gen(function* () {
      const { now, organizationId, storage } = world
      const [sim, other] = yield* World.stock(world, Rows.newSims(world, 2))
      if (sim === undefined || other === undefined) return
      const entry = (offset: number, modificationResult: string) =>
        Rows.smdpEntry(world, sim, { modifiedAt: now + offset, modificationResult })
      const [a, b, c, d] = [entry(5, "a"), entry(-5, "b"), entry(5, "c"), entry(0, "d")]
      yield* storage.commit({ smdpEntries: [a, b, Rows.smdpEntry(world, other)] })
      yield* storage.commit({ smdpEntries: [c] })
      yield* storage.commit({ smdpEntries: [d, { ...b, modifiedAt: now + 5 }] })
      const { iccid } = sim
      const expected = [b, d, a, c, { ...b, modifiedAt: now + 5 }]
      yield* Suite.equals("the history", yield* storage.smdpEntries({ organizationId, iccid }), expected)
      const none = yield* storage.smdpEntries({ organizationId, iccid: world.iccid() })
      yield* Suite.equals("of an unknown SIM", none, [])
    })
  )
]
