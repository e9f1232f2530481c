/** Packages on eSIMs of eSIM Go: the load of a SIM, and top-ups, over HTTP to the fake. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Values from "../domain/Values.ts"
import type { Fault } from "./SupplierServer.ts"
import * as World from "./World.ts"

const { buy, changes, LATE, LOAD, order, OTHER, outcome, purchase, run } = World

const DAY = 86_400_000

/** A SIM that was bought, and the first package on it. */
const sold = (telco: World.World["telco"]) =>
  Effect.gen(function* () {
    const { iccid } = yield* buy(telco, purchase("one"))
    const made = yield* telco.createPackage(order(iccid, "first:0"))
    return { iccid, made }
  })

const listed = (telco: World.World["telco"], iccid: string, onlyAttachments: ReadonlyArray<string> = []) =>
  telco.listPackages?.({ iccid, onlyAttachments }) ?? Effect.die("it lists none")

const usage = (telco: World.World["telco"], iccid: string) =>
  telco.readUsage?.({ iccid, stopped: [] }) ?? Effect.die("it knows none")

describe("the first package of a SIM", () => {
  it("is what the SIM was bought with, without a call", () =>
    run({}, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* buy(telco, purchase("one"))
        const calls = server.asked.length
        const made = yield* telco.createPackage(order(iccid, "first:0"))
        expect(made).toEqual({
          telcoPackageId: supplier.orders[0]?.reference,
          activationAt: null,
          expirationAt: null,
          isLoad: true
        })
        expect(yield* telco.createPackage(order(iccid, "first:0"))).toEqual(made)
        expect(yield* listed(telco, iccid)).toEqual(["first:0"])
        expect(server.asked.length).toBe(calls)
      })
    ))

  it("is refused on a SIM that was not bought here, and on one with packages of others", () =>
    run({}, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = supplier.order(LOAD, null)
        expect(yield* outcome(telco.createPackage(order(iccid, "first:0")))).toBe(
          `refused: The SIM ${iccid} was not bought through this service`
        )
        const own = yield* sold(telco)
        const late = order(own.iccid, "second:0", LOAD, { onlyAttachments: ["second"] })
        expect(yield* Effect.flip(telco.createPackage(late))).toMatchObject({ occupiedBy: ["first:0"] })
        expect(yield* listed(telco, own.iccid, ["first"])).toEqual([])
        expect(changes(server)).toEqual(["POST orders"])
      })
    ))

  it.each([
    ["no bundle", { load: undefined }, "sells bundles only"],
    ["a time", { window: { start: 0, end: 1 } }, "begins packages at their first use"],
    [
      "throttling",
      { terms: Values.terms({ throttling: [{ percentage: 50, limit: "512" }] }) },
      "limits no speeds by a plan's thresholds"
    ]
  ] as const)("is refused with %s before anything is asked", (_, more, why) =>
    run({}, ({ server, telco }) =>
      Effect.gen(function* () {
        const { load = LOAD, ...rest } = order("8944500260000000000", "first:0")
        const changed = "load" in more ? rest : { ...rest, load, ...more }
        expect(yield* outcome(telco.createPackage(changed))).toContain(why)
        expect(server.asked).toEqual([])
      })
    )
  )
})

describe("a top-up", () => {
  it("is ordered on the SIM, stays apart and says what it cost", () =>
    run({}, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        const made = yield* telco.createPackage(order(iccid, "second:0", OTHER))
        expect(made).toMatchObject({
          telcoPackageId: supplier.orders[1]?.reference,
          cost: { units: 2_999, scale: 2, currency: "USD" }
        })
        expect(yield* telco.createPackage(order(iccid, "second:0", OTHER))).toEqual(made)
        // One of the SIM's own load too, which another package has.
        yield* telco.createPackage(order(iccid, "third:0"))
        expect(supplier.orders.map(({ isNewEsim, item }) => [item, isNewEsim])).toEqual([
          [LOAD, true],
          [OTHER, false],
          [LOAD, false]
        ])
        expect(yield* listed(telco, iccid)).toEqual(["first:0", "second:0", "third:0"])
        expect(server.asked.filter(({ operation }) => operation === "POST orders").length).toBe(3)
      })
    ))

  const lost: ReadonlyArray<readonly [string, Fault]> = [
    ["lost", { fault: "answer lost" }],
    ["cut", { fault: "half" }],
    ["503", { fault: "status", status: 503, isDone: true }]
  ]

  it.each(lost)("whose answer was %s is found on the SIM", (_, fault) =>
    run({ shape: "examples" }, ({ other, server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        server.faults.set("POST orders", [fault])
        expect(yield* outcome(telco.createPackage(order(iccid, "second:0")))).toBe("unavailable")
        // Somebody puts another bundle on it meanwhile.
        supplier.order(OTHER, iccid)
        const made = yield* (yield* other()).telco.createPackage(order(iccid, "second:0"))
        expect(made.telcoPackageId).toBe(supplier.orders[1]?.reference)
        expect(supplier.orders.length).toBe(3)
      })
    )
  )

  it("that comes late is not taken for another bundle that somebody puts on the SIM", () =>
    run({}, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        server.faults.set("POST orders", [{ fault: "late" }])
        expect(yield* outcome(telco.createPackage(order(iccid, "second:0")))).toBe("unavailable")
        supplier.order(OTHER, iccid)
        expect(yield* outcome(telco.createPackage(order(iccid, "second:0")))).toBe("unavailable")
        server.settle()
        const made = yield* telco.createPackage(order(iccid, "second:0"))
        expect(made.telcoPackageId).toBe(supplier.orders[2]?.reference)
        expect(supplier.orders.length).toBe(3)
      })
    ))

  it("is not taken for the load of the SIM that comes into the list late", () =>
    run({}, ({ pass, server, supplier, telco }) =>
      Effect.gen(function* () {
        supplier.lag = LATE / 2
        const { iccid } = yield* sold(telco)
        supplier.lag = 0
        server.faults.set("POST orders", [{ fault: "request lost" }])
        expect(yield* outcome(telco.createPackage(order(iccid, "second:0")))).toBe("unavailable")
        expect(yield* outcome(telco.createPackage(order(iccid, "second:0")))).toBe("unavailable")
        yield* pass(LATE)
        const made = yield* telco.createPackage(order(iccid, "second:0"))
        expect(supplier.orders.map(({ isNewEsim }) => isNewEsim)).toEqual([true, false])
        expect(made.telcoPackageId).toBe(supplier.orders[1]?.reference)
      })
    ))

  it("is refused as the supplier refuses it, and beyond 30 that wait before it is asked", () =>
    run({}, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        supplier.balance = 0
        expect(yield* Effect.flip(telco.createPackage(order(iccid, "second:0")))).toMatchObject({
          reason: "no_balance"
        })
        supplier.balance = 1_000_000
        for (let count = 1; count < 30; count++) supplier.order(LOAD, iccid)
        const calls = changes(server).length
        expect(yield* outcome(telco.createPackage(order(iccid, "third:0")))).toContain("30 bundles wait on the SIM")
        expect(changes(server).length).toBe(calls)
      })
    ))

  it("by which a new eSIM was sold is refused, and that eSIM is a stranger", () =>
    run({}, ({ purchases, server, supplier, telco }) =>
      Effect.gen(function* () {
        const since = supplier.now - DAY
        const { iccid } = yield* sold(telco)
        const wrong = supplier.order(OTHER, null)
        const body = {
          order: [{ type: "bundle", item: OTHER, quantity: 1, iccids: [wrong.iccid] }],
          status: "completed",
          orderReference: wrong.reference
        }
        server.faults.set("POST orders", [{ fault: "status", status: 200, body: JSON.stringify(body) }])
        expect(yield* outcome(telco.createPackage(order(iccid, "second:0", OTHER)))).toContain("has sold a new eSIM")
        const strangers = yield* purchases.strangers({ load: OTHER, since })
        expect(strangers.map(({ reference }) => reference)).toEqual([wrong.reference])
      })
    ))
})

describe("a package that is cancelled", () => {
  it("gives the load back if it was not used: the SIM can be sold with it again", () =>
    run({}, ({ server, telco }) =>
      Effect.gen(function* () {
        const { iccid, made } = yield* sold(telco)
        yield* telco.cancelPackage({ iccid, packageId: "first:0" })
        yield* telco.cancelPackage({ iccid, packageId: "first:0" })
        expect(yield* listed(telco, iccid)).toEqual([])
        expect(yield* outcome(telco.createPackage(order(iccid, "first:0")))).toContain("was cancelled")
        expect((yield* telco.createPackage(order(iccid, "next:0"))).telcoPackageId).toBe(made.telcoPackageId)
        expect(changes(server)).toEqual(["POST orders"])
      })
    ))

  it("takes the load away if the eSIM was installed, though nothing is used of it", () =>
    run({}, ({ supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        supplier.esim(iccid).installedAt = supplier.now
        expect(yield* telco.cancelPackage({ iccid, packageId: "first:0" })).toEqual({ isLoadUsed: true })
        expect(supplier.esim(iccid).assignments.map(({ isRevoked }) => isRevoked)).toEqual([true])
      })
    ))

  it("takes the load away if it was used, unless its creation is undone", () =>
    run({}, ({ supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        supplier.use(iccid, 1_000)
        const undo = telco.cancelPackage({ iccid, packageId: "first:0", key: "undo", isUndone: true })
        expect(yield* outcome(undo)).toBe("refused: The package first:0 is in use")
        expect(yield* listed(telco, iccid)).toEqual(["first:0"])
        for (let time = 0; time < 2; time++) {
          expect(yield* telco.cancelPackage({ iccid, packageId: "first:0" })).toEqual({ isLoadUsed: true })
        }
        expect(supplier.esim(iccid).assignments.map(({ isRevoked }) => isRevoked)).toEqual([true])
        // The next one is ordered.
        yield* telco.createPackage(order(iccid, "next:0"))
        expect(supplier.orders.length).toBe(2)
      })
    ))

  it("waits for its load to be listed, and ends if its SIM has left the account", () =>
    run({}, ({ supplier, telco }) =>
      Effect.gen(function* () {
        supplier.lag = LATE
        const { iccid } = yield* sold(telco)
        const cancel = telco.cancelPackage({ iccid, packageId: "first:0" })
        expect(yield* outcome(cancel)).toBe("unavailable")
        supplier.esims.delete(iccid)
        expect(yield* outcome(cancel)).toBe("done")
        expect(yield* listed(telco, iccid)).toEqual([])
      })
    ))

  it("is not taken for gone while the key is wrong", () =>
    run({}, ({ other, server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        yield* telco.createPackage(order(iccid, "second:0"))
        const denied: Fault = { fault: "status", status: 403, body: '{"message":"access denied"}' }
        server.faults.set("GET esims/:/bundles", [denied, denied])
        server.faults.set("GET organisation", [denied, denied])
        for (const packageId of ["first:0", "second:0"]) {
          expect(yield* outcome(telco.cancelPackage({ iccid, packageId }))).toBe("unavailable")
        }
        expect(yield* listed((yield* other()).telco, iccid)).toEqual(["first:0", "second:0"])
        yield* telco.cancelPackage({ iccid, packageId: "second:0" })
        expect(supplier.esim(iccid).assignments.map(({ isRevoked }) => isRevoked)).toEqual([false, true])
      })
    ))

  it.each([
    ["answer lost", { fault: "answer lost" }],
    ["request lost", { fault: "request lost" }]
  ] as const)("takes a top-up away, once, with an %s", (_, fault) =>
    run({ hasRefunds: true, refunds: true }, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        yield* telco.createPackage(order(iccid, "second:0"))
        const { balance } = supplier
        server.faults.set("DELETE esims/:/bundles", [fault])
        const cancel = telco.cancelPackage({ iccid, packageId: "second:0" })
        expect(yield* outcome(cancel)).toBe("unavailable")
        yield* cancel
        yield* cancel
        expect(supplier.balance).toBe(balance + 228)
        expect(yield* listed(telco, iccid)).toEqual(["first:0"])
        expect(yield* outcome(telco.createPackage(order(iccid, "second:0")))).toContain("was cancelled")
      })
    )
  )

  it("takes a top-up away that comes into the list late", () =>
    run({}, ({ pass, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        supplier.lag = LATE
        yield* telco.createPackage(order(iccid, "second:0"))
        const cancel = telco.cancelPackage({ iccid, packageId: "second:0" })
        expect(yield* outcome(cancel)).toBe("unavailable")
        yield* pass(LATE)
        yield* cancel
        expect(supplier.esim(iccid).assignments.map(({ isRevoked }) => isRevoked)).toEqual([false, true])
      })
    ))

  it("is over if the SIM has left the account with its last bundle", () =>
    run({ returnsEsims: true }, ({ telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        yield* telco.createPackage(order(iccid, "second:0"))
        yield* telco.suspendPackage({ iccid, packageId: "first:0" })
        yield* telco.suspendPackage({ iccid, packageId: "second:0" })
        expect(yield* usage(telco, iccid)).toEqual([])
        for (const packageId of ["first:0", "second:0"]) yield* telco.cancelPackage({ iccid, packageId })
        expect(yield* listed(telco, iccid)).toEqual([])
        expect(yield* outcome(telco.createPackage(order(iccid, "third:0")))).toContain("HTTP 403")
      })
    ))

  it("keeps a top-up that was used, if its creation is undone", () =>
    run({}, ({ supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        const made = yield* telco.createPackage(order(iccid, "second:0"))
        supplier.use(iccid, 1_000_000_000)
        supplier.use(iccid, 5)
        const undo = telco.cancelPackage({ iccid, packageId: "second:0", key: "undo", isUndone: true })
        expect(yield* outcome(undo)).toBe("refused: The package second:0 is in use")
        expect(yield* telco.createPackage(order(iccid, "second:0"))).toEqual(made)
        expect(yield* usage(telco, iccid)).toMatchObject([{ usedBytes: 1_000_000_000 }, { usedBytes: 5 }])
        yield* telco.cancelPackage({ iccid, packageId: "second:0" })
        expect(supplier.esim(iccid).assignments.map(({ isRevoked }) => isRevoked)).toEqual([false, true])
      })
    ))

  it("before it was created is refused from then on", () =>
    run({}, ({ server, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* buy(telco, purchase("one"))
        yield* telco.cancelPackage({ iccid, packageId: "first:0" })
        expect(yield* outcome(telco.createPackage(order(iccid, "first:0")))).toContain("was cancelled")
        expect(changes(server)).toEqual(["POST orders"])
      })
    ))
})

describe("a package that is suspended", () => {
  it("is revoked, and what was used of it is still known", () =>
    run({}, ({ supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        yield* telco.createPackage(order(iccid, "second:0", OTHER))
        supplier.use(iccid, 123)
        for (const packageId of ["first:0", "second:0"]) {
          yield* telco.suspendPackage({ iccid, packageId })
          yield* telco.suspendPackage({ iccid, packageId, key: "again" })
        }
        expect(supplier.esim(iccid).assignments.map(({ isRevoked }) => isRevoked)).toEqual([true, true])
        const startedAt = supplier.esim(iccid).assignments[0]?.startedAt ?? null
        expect(yield* usage(telco, iccid)).toEqual([
          { packageId: "first:0", usedBytes: 123, activationAt: startedAt },
          { packageId: "second:0", usedBytes: 0, activationAt: null }
        ])
        expect(yield* listed(telco, iccid)).toEqual(["first:0", "second:0"])
        yield* telco.cancelPackage({ iccid, packageId: "first:0" })
        yield* telco.cancelPackage({ iccid, packageId: "second:0" })
        expect(yield* listed(telco, iccid)).toEqual([])
        // What was revoked is not sold again.
        yield* telco.createPackage(order(iccid, "next:0"))
        expect(supplier.orders.length).toBe(3)
      })
    ))

  it("is revoked with all the assignments of its bundle, whose usage is one", () => {
    const year = { name: "a_year", cents: 9_900, megaBytes: 12_000, days: 30, parts: 12 }
    return run({ bundles: [year] }, ({ supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* buy(telco, purchase("one", "a_year"))
        yield* telco.createPackage(order(iccid, "first:0", "a_year"))
        supplier.use(iccid, 1_000_000_000)
        supplier.use(iccid, 7)
        expect(yield* usage(telco, iccid)).toMatchObject([{ packageId: "first:0", usedBytes: 1_000_000_007 }])
        yield* telco.suspendPackage({ iccid, packageId: "first:0" })
        // The first one has nothing left to be revoked.
        expect(supplier.esim(iccid).assignments.filter(({ isRevoked }) => isRevoked).length).toBe(11)
      })
    )
  })
})

describe("a SIM of eSIM Go", () => {
  it("is paused and resumed, as often as it is asked", () =>
    run({}, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        const setService = (key: string, active: boolean) =>
          outcome(telco.setService?.({ key, iccid, active }) ?? Effect.die("it pauses none"))
        expect(yield* setService("one", false)).toBe("done")
        expect(supplier.esim(iccid).isSuspended).toBe(true)
        expect(yield* setService("two", false)).toBe("done")
        server.faults.set("POST esims/:/suspend", [{ fault: "answer lost" }])
        expect(yield* setService("three", true)).toBe("unavailable")
        expect(yield* setService("three", true)).toBe("done")
        expect(supplier.esim(iccid).isSuspended).toBe(false)
        supplier.esim(iccid).isSuspended = true
        supplier.esim(iccid).isSuspendedByPolicy = true
        expect(yield* setService("four", true)).toContain("by policy")
      })
    ))

  it("gets messages of up to 160 characters, from eSIM alone, once", () =>
    run({}, ({ server, supplier, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        const send = (messageId: string, from: string, text: string) =>
          outcome(telco.sendSms({ messageId, iccid, from, text }))
        expect(yield* send("one", "Shop", "Hello!")).toBe("refused: The telco of the SIM sends SMS from eSIM only")
        expect(yield* send("one", "eSIM", "x".repeat(161))).toContain("up to 160 characters, and this one has 161")
        expect(changes(server)).toEqual(["POST orders"])
        expect(yield* send("two", "eSIM", "Hello!")).toBe("done")
        expect(yield* send("two", "eSIM", "Hello!")).toBe("done")
        server.faults.set("POST esims/:/sms", [{ fault: "answer lost" }])
        expect(yield* send("three", "eSIM", "Hello!")).toBe("unavailable")
        expect(yield* send("three", "eSIM", "Hello!")).toContain("is not sent again")
        expect(supplier.messages.length).toBe(2)
      })
    ))

  it("has no mobile plan, and a profile that needs no release", () =>
    run({}, ({ server, telco }) =>
      Effect.gen(function* () {
        const { iccid } = yield* sold(telco)
        const calls = server.asked.length
        expect(yield* outcome(telco.setMobilePlan({ key: "one", iccid, applied: true }))).toContain("no mobile plans")
        expect(yield* outcome(telco.releaseProfile({ key: "one", iccid }))).toBe("done")
        expect(server.asked.length).toBe(calls)
      })
    ))
})
