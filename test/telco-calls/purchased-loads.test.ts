/** Which package has what of a SIM that was bought, and which orders belong to nobody. */
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Telco } from "simplan/ports"
import { describe, expect } from "vitest"
import { CallFailure, Journal, Purchases } from "../../adapters/telco-calls/index.ts"
import * as Tests from "../setup/Tests.ts"

const iccid = "8944500102198304826"

const purchase = (purchaseId: string, load = "daily"): Telco.SimPurchase => ({
  purchaseId,
  load,
  organizationId: "shop",
  label: "Green",
  limit: null
})

const simOf = (reference: string, of = iccid): Telco.BoughtSim => ({
  iccid: of,
  lpa: `LPA:1$smdp.example$${reference}`,
  sellBy: null,
  cost: null,
  imsi: null,
  msisdn: null,
  subscriberId: null
})

/** A seller whose orders are listed as they are told, and whose calls do what they are told. */
const open = Effect.gen(function* () {
  const journal = yield* Journal.makeMemory
  const orders: Array<Purchases.Listed> = []
  const failing: { fails: CallFailure.CallFailure | null } = { fails: null }
  const state = Object.assign(failing, { next: 0, reads: 0, isAnswered: false, iccidOf: (_: string): string => iccid })
  const place = (load = "daily", quantity = 1) => {
    const order = { reference: `order-${state.next++}`, load, quantity }
    orders.push(order)
    return order
  }
  const seller: Purchases.Anonymous = {
    strategy: "Anonymous",
    order: ({ purchase: { load } }) =>
      Effect.suspend(() => {
        if (state.fails !== null) return Effect.fail(state.fails)
        const order = place(load)
        return Effect.succeed({ ...order, sim: state.isAnswered ? simOf(order.reference) : null })
      }),
    read: ({ reference }) =>
      Effect.sync(() => {
        state.reads++
        return simOf(reference, state.iccidOf(reference))
      }),
    list: () => Effect.sync(() => orders)
  }
  return { journal, orders, state, place, seller, purchases: Purchases.make(seller, { telco: "supplier", journal }) }
})

const bought = Effect.tap(open, ({ purchases }) => purchases.buy(purchase("pur-1")))

const onTestClock = (effect: Effect.Effect<unknown, unknown>) =>
  effect.pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

/** A test of a SIM that was bought, and one of a seller of whom nothing was. */
const withSim = Tests.given(bought, onTestClock)
const withSeller = Tests.given(open, onTestClock)

describe("The load of a SIM that was bought", () => {
  withSim("is one package's, of several that ask at once", function* ({ purchases }) {
    const claims = yield* Effect.all(
      ["a:0", "b:0", "c:0"].map((packageId) => purchases.claim({ iccid, load: "daily", packageId })),
      { concurrency: "unbounded" }
    )
    expect(claims.map(({ share }) => share).toSorted()).toEqual(["Load", "TopUp", "TopUp"])
  })

  withSim("is refused to whoever is to be alone on the SIM, while others are there", function* ({ purchases }) {
    yield* purchases.claim({ iccid, load: "daily", packageId: "a:0" })
    const first = { iccid, load: "daily", packageId: "b:0", onlyAttachments: ["b"] }
    expect(yield* Effect.flip(purchases.claim(first))).toMatchObject({ _tag: "Telco.Refused", occupiedBy: ["a:0"] })
    expect(yield* purchases.listPackages({ iccid })).toEqual(["a:0"])
    expect(yield* purchases.listPackages({ iccid, onlyAttachments: ["a"] })).toEqual([])
    expect((yield* purchases.claim({ ...first, packageId: "a:0" })).share).toBe("Load")
    const take = { load: () => Effect.succeed(false), topUp: () => Effect.die("it has none") }
    expect(yield* purchases.cancel({ iccid, packageId: "a:0" }, take)).toEqual({ isLoadUsed: false })
    expect((yield* purchases.claim(first)).share).toBe("Load")
  })

  withSim("is taken off once, and told to be used from then on", function* ({ purchases }) {
    yield* purchases.claim({ iccid, load: "daily", packageId: "a:0" })
    yield* purchases.claim({ iccid, load: "daily", packageId: "b:0" })
    const taken: Array<string> = []
    const take = {
      load: () => Effect.sync(() => taken.push("load") > 0),
      topUp: ({ packageId }: Telco.PackageRef) => Effect.sync(() => taken.push(packageId))
    }
    const cancel = (packageId: string) => purchases.cancel({ iccid, packageId }, take)
    expect(yield* cancel("b:0")).toEqual({ isLoadUsed: false })
    expect(yield* cancel("a:0")).toEqual({ isLoadUsed: true })
    expect(yield* cancel("a:0")).toEqual({ isLoadUsed: true })
    expect(yield* cancel("never:0")).toEqual({ isLoadUsed: true })
    expect(taken).toEqual(["b:0", "load"])
    expect(yield* purchases.cancel({ iccid: "8988000000000000057", packageId: "a:0" }, take)).toBeUndefined()
  })

  withSim("is not given to a package that was told to top up, once it is free again", function* ({ purchases }) {
    const claim = (packageId: string, load = "daily") => purchases.claim({ iccid, load, packageId })
    expect((yield* claim("a:0")).share).toBe("Load")
    expect((yield* claim("b:0")).share).toBe("TopUp")
    expect((yield* claim("c:0", "weekly")).share).toBe("TopUp")
    expect(yield* purchases.release({ iccid, packageId: "a:0", isUsed: false })).toBe("Load")
    expect(yield* purchases.release({ iccid, packageId: "a:0", isUsed: false })).toBe(null)
    expect((yield* claim("b:0")).share).toBe("TopUp")
    expect((yield* Effect.flip(claim("a:0"))).message).toBe("The package a:0 was cancelled")
    expect((yield* claim("d:0")).share).toBe("Load")
    expect(yield* purchases.release({ iccid, packageId: "d:0", isUsed: true })).toBe("Load")
    expect((yield* claim("e:0")).share).toBe("TopUp")
    expect(yield* purchases.release({ iccid, packageId: "b:0", isUsed: false })).toBe("TopUp")
    expect(yield* purchases.release({ iccid, packageId: "never:0", isUsed: false })).toBe(null)
    expect((yield* Effect.flip(claim("never:0")))._tag).toBe("Telco.Refused")
  })

  withSim("is of the last purchase of its ICCID, whichever was asked for first", function* ({ purchases, state }) {
    state.fails = new CallFailure.CallFailure({ outcome: "NotDone", message: "too many" })
    yield* Effect.flip(purchases.buy(purchase("early")))
    state.fails = null
    yield* purchases.claim({ iccid, load: "daily", packageId: "a:0" })
    yield* purchases.buy(purchase("pur-2"))
    yield* purchases.buy(purchase("early"))
    expect(yield* purchases.boughtOf(iccid)).toMatchObject({ purchaseId: "early", reference: "order-2", packages: {} })
    expect((yield* Effect.flip(purchases.claim({ iccid, load: "daily", packageId: "a:0" }))).message).toContain(
      "was sold again"
    )
    expect((yield* purchases.claim({ iccid, load: "daily", packageId: "b:0" })).share).toBe("Load")
    const back = purchases.giveBack({ purchaseId: "pur-1", iccid }, () => Effect.succeed("credit"))
    expect((yield* Effect.flip(back))._tag).toBe("Telco.Refused")
  })

  withSim("is nobody's while the SIM may have been given back", function* ({ purchases }) {
    const claim = purchases.claim({ iccid, load: "daily", packageId: "a:0" })
    const giveBack = (outcome: CallFailure.Outcome) =>
      Effect.flip(
        purchases.giveBack({ purchaseId: "pur-1", iccid }, () =>
          Effect.fail(new CallFailure.CallFailure({ outcome, message: "no" }))
        )
      )
    yield* giveBack("NotDone")
    expect((yield* giveBack("Unknown"))._tag).toBe("Telco.Unavailable")
    yield* giveBack("NotDone")
    expect((yield* Effect.flip(claim))._tag).toBe("Telco.Unavailable")
    expect((yield* giveBack("Refused"))._tag).toBe("Telco.Refused")
    expect((yield* claim).share).toBe("Load")
    expect((yield* giveBack("Unknown")).message).toBe(`The package a:0 is on the SIM ${iccid}`)
    yield* purchases.release({ iccid, packageId: "a:0", isUsed: false })
    expect(yield* purchases.giveBack({ purchaseId: "pur-1", iccid }, () => Effect.succeed("asked"))).toBe("asked")
    expect((yield* Effect.flip(purchases.claim({ iccid, load: "daily", packageId: "b:0" })))._tag).toBe("Telco.Refused")
    // What people have decided meanwhile.
    yield* giveBack("Unknown")
    yield* giveBack("Refused")
    const decided = (returned: Telco.Refund) =>
      purchases.giveBack({ purchaseId: "pur-1", iccid }, (bought) => {
        expect(bought.returned).toBe("asked")
        return Effect.succeed(returned)
      })
    expect(yield* decided("asked")).toBe("asked")
    expect(yield* decided("credit")).toBe("credit")
    expect(yield* purchases.giveBack({ purchaseId: "pur-1", iccid }, () => Effect.die("again"))).toBe("credit")
    const other = purchases.giveBack({ purchaseId: "pur-2", iccid }, () => Effect.succeed("credit"))
    expect((yield* Effect.flip(other))._tag).toBe("Telco.Refused")
  })
})

describe("An order of a supplier that knows no references", () => {
  withSeller("is nobody's but a stranger if no call explains it", function* ({ place, purchases }) {
    place()
    place("weekly")
    place("daily", 2)
    yield* purchases.buy(purchase("pur-1"))
    const strangers = (load: string) =>
      Effect.map(purchases.strangers({ load, since: 0 }), (all) => all.map(({ reference }) => reference))
    expect(yield* strangers("daily")).toEqual(["order-2", "order-0"])
    expect(yield* strangers("weekly")).toEqual(["order-1"])
  })

  withSeller("that comes too late is the next purchase's", function* ({ orders, place, purchases, state }) {
    state.fails = new CallFailure.CallFailure({ outcome: "Unknown", message: "lost" })
    yield* Effect.flip(purchases.buy(purchase("pur-1")))
    state.fails = null
    const waiting = yield* Effect.flip(purchases.buy(purchase("pur-2")))
    expect(waiting).toMatchObject({ _tag: "Telco.Unavailable", retryAfterSeconds: 300 })
    yield* TestClock.adjust("5 minutes")
    yield* purchases.buy(purchase("pur-1"))
    place()
    expect(yield* purchases.strangers({ load: "daily", since: 0 })).toEqual([])
    yield* purchases.buy(purchase("pur-2"))
    expect(orders).toHaveLength(2)
    expect(yield* purchases.strangers({ load: "daily", since: 0 })).toEqual([])
    yield* purchases.buy(purchase("pur-3"))
    expect(orders).toHaveLength(3)
  })

  /** A process that stands still before its turn for the load, until it is to go on. */
  const standing = ({ journal, seller }: Effect.Success<typeof open>) =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const goesOn = yield* Deferred.make<void>()
      const lock: typeof journal.lock = ({ iccid: name }) =>
        name.startsWith("load")
          ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.as(Deferred.await(goesOn), true))
          : Effect.succeed(true)
      const { buy } = Purchases.make(seller, { telco: "supplier", journal: { ...journal, lock } })
      const late = yield* Effect.forkChild(buy(purchase("pur-1")))
      yield* Deferred.await(reached)
      // Its lock on the purchase is over by now.
      yield* TestClock.adjust("1 minute")
      return Effect.andThen(Deferred.succeed(goesOn, undefined), Effect.exit(Fiber.join(late)))
    })

  withSeller(
    "without an answer is looked for, also if a process that stood still finds its own order meanwhile",
    function* (opened) {
      const { orders, place, purchases, state } = opened
      const goOn = yield* standing(opened)
      yield* purchases.buy(purchase("pur-1"))
      state.fails = new CallFailure.CallFailure({ outcome: "Unknown", message: "lost" })
      yield* Effect.flip(purchases.buy(purchase("pur-2")))
      state.fails = null
      place()
      yield* goOn
      yield* purchases.buy(purchase("pur-2"))
      expect(orders).toHaveLength(2)
    }
  )

  withSeller("that is to spare stays so if a process that stood still has another one by then", function* (opened) {
    const { journal, orders, place, purchases } = opened
    const goOn = yield* standing(opened)
    yield* purchases.buy(purchase("pur-1"))
    const { reference } = place()
    const entry = yield* journal.get({ telco: "supplier", kind: "purchase-load", key: "daily" })
    if (entry === null) return expect.fail()
    yield* journal.replace({ ...entry, document: { unanswered: [], spares: [{ reference, cost: null }] } })
    yield* goOn
    yield* purchases.buy(purchase("pur-2"))
    expect(orders).toHaveLength(2)
  })

  withSeller(
    "that may still come is looked for a day, and is a stranger then",
    function* ({ place, purchases, state }) {
      state.fails = new CallFailure.CallFailure({ outcome: "Unknown", message: "lost" })
      yield* Effect.flip(purchases.buy(purchase("pur-1")))
      yield* TestClock.adjust("23 hours")
      place()
      expect(yield* purchases.strangers({ load: "daily", since: 0 })).toEqual([])
      yield* TestClock.adjust("61 minutes")
      expect(yield* purchases.strangers({ load: "daily", since: 0 })).toHaveLength(1)
    }
  )

  withSeller("has the SIM that came with its answer, whose load is what was asked for first", function* (opened) {
    const { purchases, state } = opened
    state.isAnswered = true
    const sim = yield* purchases.buy(purchase("pur-1"))
    expect(state.reads).toBe(0)
    expect(yield* purchases.buy(purchase("pur-1", "weekly"))).toEqual(sim)
    state.fails = new CallFailure.CallFailure({ outcome: "NotDone", message: "too many" })
    yield* Effect.flip(purchases.buy(purchase("pur-2")))
    state.fails = null
    yield* purchases.buy(purchase("pur-2", "weekly"))
    expect(opened.orders.map(({ load }) => load)).toEqual(["daily", "daily"])
  })

  withSeller("has a SIM only with an ICCID and an activation code that are some", function* ({ purchases, state }) {
    state.iccidOf = () => "12345"
    const failure = yield* Effect.flip(purchases.buy(purchase("pur-1")))
    expect(failure).toMatchObject({
      _tag: "Telco.Unavailable",
      message: "The supplier has order-0 with an ICCID that is none"
    })
    state.iccidOf = () => `${iccid}F`
    expect((yield* purchases.buy(purchase("pur-1"))).iccid).toBe(iccid)
  })
})
