/**
 * The history of a subscription over the SIMs that it was on (rule L3), as it is read of a storage:
 * its order, its pages, and what is forgotten by age while the moves stay.
 */
import { Effect, Layer, Result } from "effect"
import * as History from "../../../app/subscriptions/History.ts"
import * as Paging from "../../../app/Paging.ts"
import * as Replacement from "../../../domain/Replacement.ts"
import type { Sim } from "../../../domain/Sim.ts"
import type { Located } from "../../../domain/SimHistory.ts"
import { DAY, HOUR, type Instant } from "../../../domain/Time.ts"
import * as UsageBook from "../../../domain/UsageBook.ts"
import { BusinessClock } from "../../../ports/Clocks.ts"
import { type CreatedCursor, Storage } from "../../../ports/Storage.ts"
import * as Suite from "../../Suite.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

/** What is read of a SIM in pages of a size. */
const readAll = (world: World.World, iccid: string, limit: number) =>
  Effect.gen(function* () {
    const { page } = yield* History.History
    const found: Array<Located> = []
    let after: CreatedCursor | null = null
    do {
      const read: Paging.Page<Located, CreatedCursor> = yield* page({
        ...{ ...World.of(world), iccid, acrossSims: true },
        ...{ after, limit }
      })
      found.push(...read.items)
      after = read.next
    } while (after !== null)
    return found
  }).pipe(
    Effect.provide(
      History.layer.pipe(
        Layer.provide([
          Layer.succeed(Storage, world.storage),
          Layer.succeed(BusinessClock, { now: Effect.succeed(world.now + 40 * DAY), set: null }),
          Paging.filteredListsLayer
        ])
      )
    )
  )

/** Moves the subscription of a SIM to another one, as rule S8 has it. */
const move = (world: World.World, from: Sim, to: Sim, at: Instant) =>
  Effect.gen(function* () {
    const [old, free] = [yield* World.aggregate(world, from.iccid), yield* World.aggregate(world, to.iccid)]
    const given = {
      pause: { changeId: world.id(), isRefused: false },
      changeId: world.id(),
      notifiedUntil: new Map()
    }
    const { decision } = yield* Effect.fromResult(
      Result.mapError(Replacement.replace(old, free.sim, given, at), ({ _tag }) => _tag)
    )
    const sims = [decision.movedFrom, decision.sim].filter((one) => one !== undefined)
    yield* world.storage.commit({ sims })
  })

export const cases: ReadonlyArray<World.Scenario> = [
  scenario(
    "the history of a subscription goes over its SIMs, in any pages, and the moves outlive it",
    function* (world) {
      const { now, storage } = world
      const [a, b, c] = [yield* World.stockOne(world), yield* World.stockOne(world), yield* World.stockOne(world)]
      const subscription = Rows.subscription(world, a, { createdAt: now + DAY })
      const attachment = Rows.attachment(world, subscription)
      yield* storage.commit({ sims: [World.subscribe(a, subscription, { attachments: [attachment] })] })
      const [first, second] = [now + 10 * DAY + HOUR, now + 20 * DAY + HOUR]
      yield* move(world, a, b, first)
      yield* move(world, b, c, second)

      const changes: ReadonlyArray<readonly [sim: Sim, at: Instant]> = [
        ...[now - 5 * DAY, now + DAY, now + 5 * DAY + HOUR, first, now + 12 * DAY].map((at) => [a, at] as const),
        ...[now + 9 * DAY, first, first, now + 15 * DAY, now + 25 * DAY].map((at) => [b, at] as const),
        ...[now + 19 * DAY, second, now + 30 * DAY].map((at) => [c, at] as const)
      ]
      const usage: ReadonlyArray<readonly [sim: Sim, day: Instant]> = [
        ...([a, b] as const).map((sim) => [sim, UsageBook.dayOf(first)] as const),
        [b, UsageBook.dayOf(first - DAY)],
        [c, UsageBook.dayOf(second + DAY)]
      ]
      yield* storage.commit({
        auditEntries: changes.map(([{ iccid }, createdAt]) => Rows.auditEntry(world, { iccid, createdAt })),
        reports: {
          usage: usage.map(([{ iccid }, day]) => Rows.usage(world, a, { ...attachment, iccid }, { day }))
        }
      })

      const linesOf = (found: ReadonlyArray<Located>) =>
        found.map(({ fact, iccid, position }) => [iccid, fact._tag, position.createdAt - now])
      /** What is expected of a stay that has these times, the newest first. */
      const stay = (sim: Sim, since: Instant, until: Instant) =>
        [
          ...changes
            .filter(([of, at]) => of === sim && at >= since && at <= until)
            .map(([, at]) => ["Change", at] as const),
          ...usage
            .filter(([of, day]) => of === sim && day >= UsageBook.dayOf(since) && day <= until)
            .map(([, day]) => ["Usage", day] as const)
        ]
          .sort(([, one], [, other]) => other - one)
          .map(([tag, at]) => [sim.iccid, tag, at - now])
      const never = now + 400 * DAY
      const expected = [...stay(c, second, never), ...stay(b, first, never), ...stay(a, now + DAY, never)]
      const whole = yield* readAll(world, c.iccid, 100)
      yield* Suite.equals("SIM by SIM, and on each the newest first", linesOf(whole), expected)
      for (const { iccid } of [a, b]) {
        yield* Suite.equals("from a SIM before", yield* readAll(world, iccid, 100), whole)
      }
      for (const size of [1, 2, 3, 5]) {
        yield* Suite.equals(`in pages of ${size}`, yield* readAll(world, c.iccid, size), whole)
      }

      yield* World.write(world, a, { sim: { allocation: { _tag: "Free" }, movedTo: null } })
      const closed = [...stay(c, second, never), ...stay(b, first, never), ...stay(a, now + DAY, first)]
      yield* Suite.equals("once the first SIM is in stock", linesOf(yield* readAll(world, c.iccid, 2)), closed)

      const kept = UsageBook.monthOf(now + 32 * DAY)
      yield* storage.purgeAudit({ before: kept, now: now + 40 * DAY })
      yield* storage.purgeUsage({ before: kept, now: now + 40 * DAY })
      const left = (yield* readAll(world, c.iccid, 2)).filter(({ position }) => position.createdAt < kept)
      yield* Suite.equals("what is left of what is too old", linesOf(left), [])
      const sims = yield* Effect.forEach([a, b, c], ({ iccid }) => World.aggregate(world, iccid))
      yield* Suite.equals(
        "the moves",
        sims.map(({ sim }) => sim.moves.map(({ from, to }) => [from, to])),
        [
          [[a.iccid, b.iccid]],
          [
            [a.iccid, b.iccid],
            [b.iccid, c.iccid]
          ],
          [[b.iccid, c.iccid]]
        ]
      )
    }
  )
]
