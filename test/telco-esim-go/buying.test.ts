/** Buying eSIMs of eSIM Go, over HTTP to the fake: once, whatever becomes of the answers. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Fault } from "./SupplierServer.ts"
import * as World from "./World.ts"

const { buy, giveBack, LATE, LOAD, OTHER, outcome, purchase, run } = World

const DAY = 86_400_000

describe.each(["openapi", "examples"] as const)("an eSIM in the shape of %s", (shape) => {
  it("is bought with its load, its activation code and what it cost", () =>
    run({ shape }, ({ supplier, telco }) =>
      Effect.gen(function* () {
        const sim = yield* buy(telco, purchase("one"))
        const [order] = supplier.orders
        expect(sim).toEqual({
          iccid: order?.iccid,
          lpa: `LPA:1$${shape === "openapi" ? "smdp" : "rsp-1234"}.example.com$JQ-000001-ABCDEPFX`,
          sellBy: (order?.createdAt ?? 0) + 180 * DAY,
          cost: { units: 228, scale: 2, currency: "USD" },
          imsi: null,
          msisdn: null,
          subscriberId: null
        })
        expect(yield* buy(telco, purchase("one"))).toEqual(sim)
        expect(supplier.orders.length).toBe(1)
        const other = yield* buy(telco, purchase("other"))
        expect(other.iccid).not.toBe(sim.iccid)
        expect(supplier.charged).toBe(456)
      })
    ))

  it("whose answer was lost is found in the list", () =>
    run({ shape }, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        server.faults.set("POST orders", [{ fault: "answer lost" }])
        expect(yield* outcome(buy(telco, purchase("one")))).toBe("unavailable")
        const sim = yield* buy(telco, purchase("one"))
        expect(supplier.orders.map(({ iccid }) => iccid)).toEqual([sim.iccid])
      })
    ))
})

describe("an order of an eSIM", () => {
  const unknown: ReadonlyArray<readonly [string, Fault]> = [
    ["whose answer was cut", { fault: "half" }],
    ["whose answer was garbled", { fault: "garbled" }],
    ["whose answer was 503 although it was done", { fault: "status", status: 503, isDone: true }],
    ["whose answer was 500 although it was done", { fault: "status", status: 500, isDone: true }]
  ]

  it.each(unknown)("%s is found", (_, fault) =>
    run({}, ({ other, server, supplier, telco }) =>
      Effect.gen(function* () {
        server.faults.set("POST orders", [fault])
        expect(yield* outcome(buy(telco, purchase("one")))).toBe("unavailable")
        // Whichever process goes on.
        const sim = yield* buy((yield* other()).telco, purchase("one"))
        expect(supplier.orders.map(({ iccid }) => iccid)).toEqual([sim.iccid])
      })
    )
  )

  it("that never arrived is made again only when it can come no more", () =>
    run({}, ({ pass, server, supplier, telco }) =>
      Effect.gen(function* () {
        server.faults.set("POST orders", [{ fault: "request lost" }])
        expect(yield* outcome(buy(telco, purchase("one")))).toBe("unavailable")
        const again = yield* Effect.flip(buy(telco, purchase("one")))
        expect(again).toMatchObject({ _tag: "Telco.Unavailable", retryAfterSeconds: LATE / 1_000 })
        expect(supplier.orders.length).toBe(0)
        yield* pass(LATE)
        yield* buy(telco, purchase("one"))
        expect(supplier.orders.length).toBe(1)
      })
    ))

  it("that comes late, or is listed late, is not made again", () =>
    run({}, ({ pass, server, supplier, telco }) =>
      Effect.gen(function* () {
        supplier.lag = LATE / 4
        server.faults.set("POST orders", [{ fault: "late" }])
        expect(yield* outcome(buy(telco, purchase("one")))).toBe("unavailable")
        expect(yield* outcome(buy(telco, purchase("one")))).toBe("unavailable")
        yield* pass(LATE / 2)
        server.settle()
        expect(yield* outcome(buy(telco, purchase("one")))).toBe("unavailable")
        yield* pass(LATE / 4)
        const sim = yield* buy(telco, purchase("one"))
        expect(supplier.orders.map(({ iccid }) => iccid)).toEqual([sim.iccid])
      })
    ))

  it("that was not answered holds up those of the same load alone", () =>
    run({}, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        server.faults.set("POST orders", [{ fault: "request lost" }])
        expect(yield* outcome(buy(telco, purchase("one")))).toBe("unavailable")
        expect(yield* outcome(buy(telco, purchase("two")))).toBe("unavailable")
        yield* buy(telco, purchase("three", OTHER))
        expect(supplier.orders.map(({ item }) => item)).toEqual([OTHER])
      })
    ))

  it("after too many calls was not made, and may be at once", () =>
    run({}, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        server.faults.set("POST orders", [{ fault: "status", status: 429, headers: { "retry-after": "3" } }])
        const first = yield* Effect.flip(buy(telco, purchase("one")))
        expect(first).toMatchObject({ _tag: "Telco.Unavailable", retryAfterSeconds: 3 })
        yield* Effect.retry(buy(telco, purchase("one")), { times: 3 })
        expect(supplier.orders.length).toBe(1)
      })
    ))
})

describe("a purchase", () => {
  const refused = (reason: string) => ({ _tag: "Telco.Refused", reason })

  it("is refused without a balance, and off sale, for good", () =>
    run({ balance: 100 }, ({ supplier, telco }) =>
      Effect.gen(function* () {
        expect(yield* Effect.flip(buy(telco, purchase("one")))).toMatchObject(refused("no_balance"))
        supplier.balance = 10_000
        expect(yield* Effect.flip(buy(telco, purchase("one")))).toMatchObject(refused("no_balance"))
        supplier.bundles.delete(LOAD)
        expect(yield* Effect.flip(buy(telco, purchase("two")))).toMatchObject(refused("sold_out"))
        expect(supplier.orders).toEqual([])
      })
    ))

  it("is refused beyond its limit, and in another currency", () =>
    run({}, ({ server, telco }) =>
      Effect.gen(function* () {
        const limit = { units: 227, scale: 2, currency: "USD" }
        expect(yield* Effect.flip(buy(telco, purchase("one", LOAD, limit)))).toMatchObject(refused("price"))
        const euros = { units: 1_000, scale: 2, currency: "EUR" }
        expect(yield* Effect.flip(buy(telco, purchase("two", LOAD, euros)))).toMatchObject(refused("price"))
        expect(server.supplier.orders).toEqual([])
        yield* buy(telco, purchase("three", LOAD, { units: 228_000, scale: 5, currency: "USD" }))
      })
    ))

  it("says what was charged, also if the price moved after it was asked for", () =>
    run({}, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const limit = { units: 300, scale: 2, currency: "USD" }
        server.faults.set("POST orders", [
          { fault: "dearer", cents: 0 },
          { fault: "dearer", cents: 11 }
        ])
        const sim = yield* buy(telco, purchase("one", LOAD, limit))
        expect(sim.cost).toEqual({ units: 239, scale: 2, currency: "USD" })
        expect(supplier.charged).toBe(239)
      })
    ))

  it("waits while the supplier has no eSIM for the order yet", () =>
    run({}, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const body = () =>
          JSON.stringify({
            order: [{ type: "bundle", item: LOAD, quantity: 1, esims: null }],
            total: 2.28,
            currency: "USD",
            status: "processing",
            orderReference: supplier.orders[0]?.reference
          })
        server.faults.set("POST orders", [{ fault: "garbled", body }])
        server.faults.set("GET orders/:", [{ fault: "garbled", body }])
        const first = yield* Effect.flip(buy(telco, purchase("one")))
        expect(first).toMatchObject({ _tag: "Telco.Unavailable", retryAfterSeconds: 3 })
        const sim = yield* buy(telco, purchase("one"))
        expect(supplier.orders.map(({ iccid }) => iccid)).toEqual([sim.iccid])
      })
    ))

  it("takes no order that is somebody else's, and tells of those", () =>
    run({}, ({ pass, purchases, server, supplier, telco }) =>
      Effect.gen(function* () {
        const since = supplier.now - DAY
        const own = yield* buy(telco, purchase("own"))
        yield* pass(DAY)
        server.faults.set("POST orders", [{ fault: "request lost" }])
        expect(yield* outcome(buy(telco, purchase("one")))).toBe("unavailable")
        // In the portal: top-ups of our SIM and of one of theirs, and an eSIM that a customer has.
        supplier.order(LOAD, own.iccid)
        const theirs = supplier.order(OTHER, null)
        yield* pass(1)
        supplier.order(LOAD, theirs.iccid)
        const used = supplier.order(LOAD, null)
        supplier.use(used.iccid, 1)
        expect(yield* outcome(buy(telco, purchase("one")))).toBe("unavailable")
        yield* pass(LATE)
        const sim = yield* buy(telco, purchase("one"))
        expect(supplier.orders.at(-1)?.iccid).toBe(sim.iccid)
        // An order without an answer explains one more for a day.
        yield* pass(2 * DAY)
        const fresh = supplier.order(LOAD, null)
        const strangers = yield* purchases.strangers({ load: LOAD, since })
        expect(strangers.map(({ reference }) => reference).toSorted()).toEqual(
          [used.reference, fresh.reference].toSorted()
        )
      })
    ))

  it("finds its order among more than a page of others", () =>
    run({}, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        server.faults.set("POST orders", [{ fault: "answer lost" }])
        expect(yield* outcome(buy(telco, purchase("one")))).toBe("unavailable")
        for (let count = 0; count < 25; count++) supplier.order(OTHER, null)
        const sim = yield* buy(telco, purchase("one"))
        expect(supplier.orders[0]?.iccid).toBe(sim.iccid)
      })
    ))
})

describe("a SIM that is given back", () => {
  it("brings its price back if refunds are enabled, also if the answer was lost", () =>
    run({ hasRefunds: true, refunds: true }, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const before = supplier.balance
        const { iccid } = yield* buy(telco, purchase("one"))
        server.faults.set("DELETE esims/:/bundles", [{ fault: "answer lost" }])
        expect(yield* outcome(giveBack(telco, { purchaseId: "one", iccid }))).toBe("unavailable")
        expect(yield* giveBack(telco, { purchaseId: "one", iccid })).toBe("credit")
        expect(yield* giveBack(telco, { purchaseId: "one", iccid })).toBe("credit")
        expect(supplier.balance).toBe(before)
      })
    ))

  it.each([
    ["they are not set", { hasRefunds: true }],
    ["the account has none", { refunds: true }]
  ])("brings none if %s", (_, options) =>
    run(options, ({ supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* buy(telco, purchase("one"))
        expect(yield* giveBack(telco, { purchaseId: "one", iccid })).toBe("none")
        expect(supplier.balance).toBe(1_000_000 - 228)
      })
    )
  )

  it("is refused once its bundle was used", () =>
    run({ refunds: true }, ({ supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* buy(telco, purchase("one"))
        supplier.use(iccid, 1)
        expect(yield* outcome(giveBack(telco, { purchaseId: "one", iccid }))).toContain("is in use")
      })
    ))

  it("lends none of its top-ups to a purchase", () =>
    run({}, ({ pass, purchases, server, supplier, telco }) =>
      Effect.gen(function* () {
        const since = supplier.now - DAY
        const { iccid } = yield* buy(telco, purchase("one"))
        server.faults.set("POST orders", [{ fault: "request lost" }])
        expect(yield* outcome(buy(telco, purchase("two")))).toBe("unavailable")
        yield* telco.createPackage(World.order(iccid, "first:0"))
        yield* telco.createPackage(World.order(iccid, "second:0"))
        for (const packageId of ["first:0", "second:0"]) yield* telco.cancelPackage({ iccid, packageId })
        expect(yield* giveBack(telco, { purchaseId: "one", iccid })).toBe("none")
        expect(yield* outcome(buy(telco, purchase("two")))).toBe("unavailable")
        yield* pass(LATE)
        const sim = yield* buy(telco, purchase("two"))
        expect(supplier.orders.at(-1)).toMatchObject({ iccid: sim.iccid, isNewEsim: true })
        yield* pass(2 * DAY)
        expect(yield* purchases.strangers({ load: LOAD, since })).toEqual([])
      })
    ))

  it("may be sold again by the supplier alone, once its last bundle was revoked", () =>
    run({ returnsEsims: true }, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* buy(telco, purchase("one"))
        yield* telco.createPackage(World.order(iccid, "first:0"))
        yield* telco.suspendPackage({ iccid, packageId: "first:0" })
        server.faults.set("POST orders", [{ fault: "answer lost" }])
        expect(yield* outcome(buy(telco, purchase("two")))).toBe("unavailable")
        expect((yield* buy(telco, purchase("two"))).iccid).toBe(iccid)
        expect(supplier.orders.length).toBe(2)
      })
    ))

  it("lends no top-up that is without an answer to a purchase when it was sold again, whatever it was before", () =>
    run({ hasRefunds: true, refunds: true, returnsEsims: true }, ({ pass, server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* buy(telco, purchase("one"))
        expect(yield* giveBack(telco, { purchaseId: "one", iccid })).toBe("credit")
        yield* pass(1)
        // Lists have its new bundle late.
        supplier.lag = LATE / 2
        expect((yield* buy(telco, purchase("two", OTHER))).iccid).toBe(iccid)
        supplier.lag = 0
        server.faults.set("POST orders", [{ fault: "request lost" }, { fault: "answer lost" }])
        expect(yield* outcome(buy(telco, purchase("three")))).toBe("unavailable")
        expect(yield* outcome(telco.createPackage(World.order(iccid, "of-two:0")))).toBe("unavailable")
        expect(yield* outcome(buy(telco, purchase("three")))).toBe("unavailable")
        yield* pass(LATE)
        expect((yield* buy(telco, purchase("three"))).iccid).not.toBe(iccid)
        expect(supplier.orders.length).toBe(4)
      })
    ))

  it("may be sold again, and is a new SIM then", () =>
    run({ hasRefunds: true, refunds: true, returnsEsims: true }, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* buy(telco, purchase("one"))
        expect(yield* giveBack(telco, { purchaseId: "one", iccid })).toBe("credit")
        expect(yield* outcome(telco.createPackage(World.order(iccid, "of-one:0")))).toContain("given back")
        server.faults.set("POST orders", [{ fault: "answer lost" }])
        expect(yield* outcome(buy(telco, purchase("two")))).toBe("unavailable")
        const again = yield* buy(telco, purchase("two"))
        expect(again.iccid).toBe(iccid)
        expect(supplier.orders.length).toBe(2)
        const made = yield* telco.createPackage(World.order(iccid, "of-two:0"))
        expect(made.telcoPackageId).toBe(supplier.orders[1]?.reference)
        expect(supplier.orders.length).toBe(2)
      })
    ))
})
