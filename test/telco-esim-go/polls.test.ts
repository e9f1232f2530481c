/**
 * Polls of eSIMs of eSIM Go over HTTP to the fake (rules T3, R1 and R4): what is used of each
 * bundle, and the states that a bundle ends in (guide "bundle status").
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Polled from "../telco-calls/Polled.ts"
import * as World from "./World.ts"

const { buy, LATE, LOAD, OTHER, order, purchase, run } = World
const { end, firstUse, gone, total } = Polled

const DAY = 86_400_000
const HOUR = DAY / 24
const MEGA = 1_000_000

const sold = ({ other, pass }: World.World) =>
  Effect.gen(function* () {
    const { polls, telco } = yield* other()
    const { iccid } = yield* buy(telco, purchase("one"))
    yield* telco.createPackage(order(iccid, "a:0"))
    const core = Polled.make()
    const later = (millis: number) => Effect.andThen(pass(millis), core.poll(polls))
    return { iccid, telco, polls, core, later }
  })

describe("Polls of an eSIM of eSIM Go", () => {
  it("find its first use, its usage and that its data are used up, and then poll no more", () =>
    run({}, (world) =>
      Effect.gen(function* () {
        const { later, core, iccid, polls } = yield* sold(world)
        expect(yield* later(HOUR)).toEqual([])
        world.supplier.use(iccid, 100 * MEGA)
        expect(yield* later(HOUR)).toEqual([firstUse("a:0"), total("a:0", 100 * MEGA)])
        world.supplier.use(iccid, 900 * MEGA)
        expect(yield* later(6 * HOUR)).toEqual([total("a:0", 1_000 * MEGA), end("a:0", "depleted")])
        const calls = world.server.asked.length
        yield* polls.hint(iccid)
        expect(yield* later(30 * DAY)).toEqual([])
        expect(world.server.asked.length).toBe(calls)
        expect(core.taken.every((report) => report.iccid === iccid)).toBe(true)
      })
    ))

  it("find what has expired, at the end of its time, and what was taken back", () =>
    run({}, (world) =>
      Effect.gen(function* () {
        const { later, core, iccid, telco } = yield* sold(world)
        world.supplier.use(iccid, MEGA)
        yield* later(HOUR)
        const startedAt = world.supplier.esim(iccid).assignments[0]?.startedAt ?? 0
        yield* telco.createPackage(order(iccid, "b:0", OTHER))
        yield* world.pass(LATE)
        yield* Effect.repeat(later(6 * HOUR), { times: 40 })
        expect(core.taken.find(({ fact }) => fact._tag === "End")).toMatchObject({
          occurredAt: startedAt + 7 * DAY,
          fact: end("a:0", "expired")
        })
        const [, topUp] = world.supplier.esim(iccid).assignments
        world.supplier.revoke(iccid, OTHER, topUp?.id ?? "", false)
        yield* Effect.repeat(later(6 * HOUR), { times: 4 })
        expect(core.taken.map(({ fact }) => fact)).toContainEqual(end("b:0", "revoked"))
      })
    ))

  it("find that it has left the account, once that is certain", () =>
    run({}, (world) =>
      Effect.gen(function* () {
        const { later, iccid } = yield* sold(world)
        const esim = world.supplier.esim(iccid)
        world.supplier.esims.delete(iccid)
        expect(yield* later(HOUR)).toEqual([])
        expect(yield* later(20 * HOUR)).toEqual([])
        world.supplier.esims.set(iccid, esim)
        expect(yield* later(7 * HOUR)).toEqual([])
        world.supplier.esims.delete(iccid)
        yield* Effect.repeat(later(6 * HOUR), { times: 3 })
        expect(yield* later(6 * HOUR)).toEqual([gone])
        expect(yield* later(30 * DAY)).toEqual([])
      })
    ))

  it("find nothing of that by the key of another account, which knows none of its orders", () =>
    run({}, (world) =>
      Effect.gen(function* () {
        const { later, core, iccid } = yield* sold(world)
        world.supplier.esims.delete(iccid)
        world.supplier.orders.length = 0
        yield* Effect.repeat(later(6 * HOUR), { times: 20 })
        expect(core.taken).toEqual([])
      })
    ))

  it("find one in stock whose bundle was revoked, or that somebody uses, or that has left", () =>
    run({}, (world) =>
      Effect.gen(function* () {
        const { polls, telco } = yield* world.other()
        const core = Polled.make()
        const iccids = yield* Effect.forEach(["one", "two", "three"], (id) =>
          Effect.map(buy(telco, purchase(id)), ({ iccid }) => iccid)
        )
        const [first = "", second = "", third = ""] = iccids
        yield* world.pass(25 * HOUR)
        expect(yield* core.poll(polls)).toEqual([])
        const [own] = world.supplier.esim(first).assignments
        world.supplier.revoke(first, LOAD, own?.id ?? "", false)
        world.supplier.use(second, MEGA)
        world.supplier.esims.delete(third)
        yield* world.pass(25 * HOUR)
        yield* core.poll(polls)
        expect(core.taken.map(({ fact, iccid }) => [fact, iccid])).toEqual([
          [gone, first],
          [gone, second]
        ])
        for (let times = 0; times < 5; times++) {
          yield* world.pass(6 * HOUR)
          yield* core.poll(polls)
        }
        expect(core.taken.map(({ iccid }) => iccid)).toEqual(iccids)
      })
    ))

  it("take a bundle that is not listed for none that has ended, and a hint has them made at once", () =>
    run({}, (world) =>
      Effect.gen(function* () {
        const { later, iccid, polls } = yield* sold(world)
        world.supplier.use(iccid, 5 * MEGA)
        yield* later(HOUR)
        const { assignments } = world.supplier.esim(iccid)
        world.supplier.esim(iccid).assignments = []
        expect(yield* later(6 * HOUR)).toEqual([])
        world.supplier.esim(iccid).assignments = assignments
        world.supplier.use(iccid, 5 * MEGA)
        yield* polls.hint(iccid)
        expect(yield* later(60_000)).toEqual([total("a:0", 10 * MEGA)])
      })
    ))
})
