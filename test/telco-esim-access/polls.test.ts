/**
 * Polls of eSIMs of eSIM Access over HTTP to the fake (rules T3, R1 and R4): usage and the states
 * that an eSIM ends in (`/esim/query`), by its `esimTranNo`, so that what a former customer has
 * used under the same ICCID counts for nobody.
 */
import { Clock, Effect } from "effect"
import { describe, expect } from "vitest"
import * as SteppedClock from "../setup/SteppedClock.ts"
import * as Tests from "../setup/Tests.ts"
import * as Polled from "../telco-calls/Polled.ts"
import * as Opened from "./Opened.ts"

const { order, purchase } = Opened
const { end, firstUse, gone, total } = Polled

const HOUR = 3_600_000

/** Each test has a supplier and a clock of its own. */
const world = Effect.gen(function* () {
  const { clock, step } = SteppedClock.of(yield* Clock.Clock)
  const by = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, Clock.Clock, clock)
  const opened = yield* by(Opened.open)
  const core = Polled.make()
  const sell = (purchaseId: string, packageId: string) =>
    by(
      Effect.gen(function* () {
        const { iccid } = yield* opened.telco.buySim(purchase(purchaseId, { load: "CKH491" }))
        yield* opened.telco.createPackage(order(iccid, { packageId, load: "CKH491" }))
        const profile = opened.fake.profiles.at(-1)
        if (profile === undefined) throw new Error("nothing was sold")
        return { iccid, profile }
      })
    )
  const later = (millis: number) => {
    step(millis)
    return by(core.poll(opened.polls))
  }
  return { ...opened, sell, later, by, core }
})

const test = Tests.given(world, (effect) => Effect.runPromise(Effect.scoped(effect)))

const timeOf = (millis: number) => `${new Date(millis).toISOString().slice(0, 19)}+0000`

describe("Polls of an eSIM of eSIM Access", () => {
  test("find its first use and usage, and once more what is counted late after its end", function* ({
    later,
    by,
    sell
  }) {
    const { profile } = yield* sell("pur-1", "one:0")
    expect(yield* later(HOUR)).toEqual([])
    const now = yield* by(Clock.currentTimeMillis)
    Object.assign(profile, { esimStatus: "IN_USE", activateTime: timeOf(now), orderUsage: 1_000 })
    expect(yield* later(HOUR)).toEqual([firstUse("one:0"), total("one:0", 1_000)])
    Object.assign(profile, { esimStatus: "USED_UP", orderUsage: 2_000 })
    expect(yield* later(6 * HOUR)).toEqual([total("one:0", 2_000), end("one:0", "depleted")])
    profile.orderUsage = 3_000
    expect(yield* later(4 * HOUR)).toEqual([total("one:0", 3_000)])
    profile.orderUsage = 4_000
    expect(yield* later(1_000 * HOUR)).toEqual([])
  })

  for (const [status, reason] of [
    ["USED_EXPIRED", "expired"],
    ["UNUSED_EXPIRED", "lapsed"],
    ["REVOKED", "revoked"],
    ["REVOKE", "revoked"]
  ] as const) {
    test(`find the state ${status}`, function* ({ later, sell }) {
      const { profile } = yield* sell("pur-1", "one:0")
      profile.esimStatus = status
      expect(yield* later(HOUR)).toEqual([end("one:0", reason)])
    })
  }

  test("find that it is gone, once it was missing for a day while its order is there", function* ({
    core,
    fake,
    later,
    sell
  }) {
    const { profile } = yield* sell("pur-1", "one:0")
    // What an account that is not ours says: it has neither.
    const own = fake.profiles.splice(0)
    for (let times = 0; times < 8; times++) expect(yield* later(6 * HOUR)).toEqual([])
    fake.profiles.push({ ...profile, esimTranNo: "of a sibling", iccid: "89852000000000099999" })
    for (let times = 0; times < 4; times++) yield* later(7 * HOUR)
    expect(core.taken).toEqual([])
    expect(yield* later(7 * HOUR)).toEqual([gone])
    expect(own).toHaveLength(1)
  })

  for (const [status, facts] of [
    ["CANCEL", [gone]],
    ["REVOKE", [gone]],
    ["UNUSED_EXPIRED", [gone]],
    ["IN_USE", []],
    ["GOT_RESOURCE", []]
  ] as const) {
    test(`find the state ${status} of one in stock`, function* ({ by, fake, later, telco }) {
      yield* by(telco.buySim(purchase("pur-1", { load: "CKH491" })))
      Object.assign(fake.profiles[0] ?? {}, { esimStatus: status })
      expect(yield* later(25 * HOUR)).toEqual(facts)
    })
  }

  test("find nothing of a former customer of an ICCID", function* ({ later, by, fake, sell, telco }) {
    const first = yield* sell("pur-1", "one:0")
    yield* by(telco.cancelPackage({ iccid: first.iccid, packageId: "one:0" }))
    yield* by(telco.returnSim({ purchaseId: "pur-1", iccid: first.iccid }))
    const second = yield* sell("pur-2", "two:0")
    expect(second.iccid).toBe(first.iccid)
    Object.assign(fake.profiles[0] ?? {}, { orderUsage: 5_000, esimStatus: "USED_UP" })
    expect(yield* later(HOUR)).toEqual([])
    second.profile.orderUsage = 7
    expect(yield* later(7 * HOUR)).toEqual([total("two:0", 7)])
  })
})
