/**
 * The seller of `examples/wholesale` is a telco of one's own in under 150 lines: it passes the
 * suite over the wholesaler's socket, sells each eSIM once although answers are lost, and reports
 * what becomes of it.
 */
import { readFileSync } from "node:fs"
import { Clock, Context, Effect, Layer } from "effect"
import { Telco, TelcoBundles } from "simplan/ports"
import { Journal, Polls } from "simplan/telco-calls"
import { afterAll, describe, expect, it } from "vitest"
import * as Seller from "../../../examples/wholesale/seller.ts"
import * as TelcoSuite from "../../../src/testing/TelcoSuite.ts"
import * as Wholesale from "../../fakes/wholesale/Wholesale.ts"
import * as SteppedClock from "../../setup/SteppedClock.ts"
import * as Polled from "../../telco-calls/Polled.ts"
import * as Example from "../../telco-calls/selling/Example.ts"
import { order } from "./SimulatorBooks.ts"

class System extends Context.Service<System, Wholesale.Wholesale>()("test/Wholesale") {}

const LOAD = "gb-1-7"

/** How many random runs there are; a long search sets it. */
const RUNS = Number(process.env["SELLER_RUNS"] ?? 20)

const over = (key = Wholesale.KEY) =>
  Layer.unwrap(System.useSync(({ url }) => Seller.layer({ url, key }))).pipe(
    Layer.provideMerge([Layer.effect(System, Wholesale.make), Journal.layerMemory])
  )

TelcoSuite.run("The seller over a wholesaler", over(), { describe, it, afterAll }, { load: LOAD, findsOthers: true })

const purchase = { purchaseId: "pur-1", organizationId: "shop", label: "Green", load: LOAD, limit: null } as const

const run = <A, E>(test: Effect.Effect<A, E, Telco.Telco | Polls.Polls | System>, key?: string): Promise<A> =>
  Effect.runPromise(Effect.provide(test, Layer.fresh(over(key))))

const ofLoad = (packageId: string, iccid: string) => {
  const { terms } = order(packageId)
  return { packageId, iccid, load: LOAD, window: null, terms: { ...terms, throttling: [], recurrence: null } }
}

const buy = Effect.suspend(() => Telco.Telco.use(({ buySim }) => buySim?.(purchase) ?? Effect.die("it sells none")))

describe("The seller over a wholesaler", () => {
  it("has fewer than 150 lines", () => {
    const text = readFileSync(new URL("../../../examples/wholesale/seller.ts", import.meta.url), "utf8")
    expect(text.split("\n").length).toBeLessThan(150)
  })

  it.each(["request lost", "answer lost", "half body"] as const)("sells one eSIM, and one top-up: %s", (fault) => {
    const clock = SteppedClock.of(Effect.runSync(Clock.clockWith(Effect.succeed)))
    return run(
      Effect.gen(function* () {
        const wholesale = yield* System
        const telco = yield* Telco.Telco
        /** Tries again, later, as the service does. */
        const sure = <A, R>(call: Effect.Effect<A, Telco.Refused | Telco.Unavailable, R>) =>
          Effect.retry(call, {
            times: 3,
            while: ({ _tag }) => Effect.sync(() => clock.step(400_000)).pipe(Effect.as(_tag === "Telco.Unavailable"))
          })
        wholesale.befall(/^POST \/orders/, fault)
        expect(yield* Effect.flip(buy)).toMatchObject({ _tag: "Telco.Unavailable" })
        const { cost, iccid, lpa } = yield* sure(buy)
        expect({ cost, lpa }).toEqual({ cost: { units: 450, scale: 2, currency: "USD" }, lpa: "LPA:1$smdp.test$1" })
        const sell = (packageId: string) => telco.createPackage(ofLoad(packageId, iccid))
        yield* sell("a:0")
        wholesale.befall(/^POST \/orders/, fault)
        expect(yield* Effect.flip(sell("b:0"))).toMatchObject({ _tag: "Telco.Unavailable" })
        yield* sure(sell("b:0"))
        expect(wholesale.orders.map((one) => [one.iccid, one.note])).toEqual([
          [iccid, "pur-1"],
          [iccid, "b:0"]
        ])
      }).pipe(Effect.provideService(Clock.Clock, clock.clock))
    )
  })

  it("reports what is used of it, and that it is gone, but for the key of another account", () => {
    const { clock, step } = SteppedClock.of(Effect.runSync(Clock.clockWith(Effect.succeed)))
    return run(
      Effect.gen(function* () {
        const { bundles, orders } = yield* System
        const core = Polled.make()
        const later = (hours: number) =>
          Effect.flatMap(Polls.Polls, (polls) => {
            step(hours * 3_600_000)
            return core.poll(polls)
          })
        const { iccid } = yield* buy
        yield* Telco.Telco.use((of) => of.createPackage(ofLoad("a:0", iccid)))
        const begun = yield* Clock.currentTimeMillis
        Object.assign(bundles[0] ?? {}, { used: 5, begun, ends: begun + 604_800_000, state: "active" })
        expect(yield* later(1)).toEqual([Polled.firstUse("a:0"), Polled.total("a:0", 5)])
        const [own] = orders.splice(0)
        for (let times = 0; times < 6; times++) yield* later(7)
        expect(core.taken).toHaveLength(2)
        if (own !== undefined) orders.push({ ...own, iccid: "8988112299999999995" })
        for (let times = 0; times < 4; times++) yield* later(7)
        expect(yield* later(7)).toEqual([Polled.gone])
      }).pipe(Effect.provideService(Clock.Clock, clock))
    )
  })

  it("lists what it sells, and refuses what has no money or is not sold", () =>
    run(
      Effect.gen(function* () {
        const bundles = yield* TelcoBundles.TelcoBundles
        expect(yield* bundles.of("wholesale")).toMatchObject([{ code: LOAD, days: 7, price: { units: 450 } }])
        const { state } = yield* System
        state.cents = 0
        expect(yield* Effect.flip(buy)).toMatchObject({ _tag: "Telco.Refused", reason: "no_balance" })
        const { buySim } = yield* Telco.Telco
        const other = buySim?.({ ...purchase, purchaseId: "pur-2", load: "off sale" }) ?? Effect.die("it sells none")
        expect(yield* Effect.flip(other)).toMatchObject({ _tag: "Telco.Refused", reason: "sold_out" })
      })
    ))

  it("buys nothing by a wrong key, and may later", () =>
    run(
      Effect.map(Effect.flip(buy), (failure) => expect(failure).toMatchObject({ _tag: "Telco.Unavailable" })),
      "wrong"
    ))
})

describe("Random runs of the seller over a wholesaler", () => {
  it("buy each eSIM once, by processes that die, and know what was charged", async () => {
    const struck = new Map<string, number>()
    const found: Array<string> = []
    for (let seed = 1; seed <= RUNS; seed++) {
      const run = await Example.run(seed)
      found.push(...run.problems.map((problem) => `${seed}: ${problem}`))
      for (const [what, times] of run.struck) struck.set(what, (struck.get(what) ?? 0) + times)
    }
    expect(found).toEqual([])
    for (const what of ["answer lost", "late", "too many", "process dies", "given back", "ICCID sold again"]) {
      expect(struck.get(what), what).toBeGreaterThan(0)
    }
  }, 120_000)

  it("find it if orders are not found by their notes", async () => {
    for (let seed = 1; seed <= 100; seed++) {
      if ((await Example.run(seed, { isUnsearched: true })).problems.length > 0) return
    }
    expect.unreachable("no run has found it")
  }, 120_000)
})
