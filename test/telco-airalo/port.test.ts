/**
 * The telco port over the fake of Airalo: an eSIM is bought once whatever is lost, its load is
 * claimed without a call, top-ups stay apart, and nothing that was bought is taken back.
 */
import { Effect } from "effect"
import type { Telco } from "simplan/ports"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Shop from "./Shop.ts"

let shop: Shop.Shop

beforeEach(async () => {
  shop = await Shop.open()
})
afterEach(() => shop.close())

const { LATE, LOAD, TOP_UP, packageOrder, purchase } = Shop

const buy = (purchaseId = "pur-1", more: Parameters<typeof purchase>[1] = {}) =>
  shop.run((telco) => telco.buySim(purchase(purchaseId, more)))

const usd = (units: number, scale = 2) => ({ units, scale, currency: "USD" })

describe("An eSIM", () => {
  it("is bought with its load: ICCID, code, cost, and Airalo's own number of it", async () => {
    const sim = await buy()
    const [order] = shop.fake.orders
    expect(order).toMatchObject({ packageId: LOAD, description: "pur-1", charged: 450 })
    expect(sim).toEqual({
      iccid: order?.sims[0]?.iccid,
      lpa: `LPA:1$lpa.airalo.com$${order?.sims[0]?.matchingId}`,
      imsi: null,
      msisdn: null,
      subscriberId: String(order?.sims[0]?.id),
      sellBy: null,
      cost: usd(45, 1)
    })
    expect(await buy()).toEqual(sim)
    await shop.restart()
    expect(await buy()).toEqual(sim)
    expect(shop.fake.orders).toHaveLength(1)
    expect((await buy("pur-2")).iccid).not.toBe(sim.iccid)
  })

  it("is to be installed within the days that the catalogue says", async () => {
    await shop.close()
    shop = await Shop.open({ installWindowDays: 1_825 })
    expect((await buy()).sellBy).toBe(Date.UTC(2026, 8, 1, 12) + 1_825 * 86_400_000)
  })

  it("costs what the catalogue says if no answer says it, and never the retail price", async () => {
    await shop.close()
    shop = await Shop.open({ withNetPrice: false })
    expect((await buy()).cost).toEqual(usd(45, 1))
    expect((await buy("pur-2", { load: "kallur-digital-30days-3gb" })).cost).toEqual(usd(1_005))
  })

  it("costs what it was charged at if the price has moved since the catalogue", async () => {
    await buy()
    for (const offer of shop.fake.offers) offer.netPrice = "5.25"
    expect((await buy("pur-2")).cost).toEqual(usd(525))
    const late = await shop.fails((telco) => telco.buySim(purchase("pur-3", { limit: usd(500) })))
    expect(late.message).toBe(`${LOAD} costs 5.25 USD, and the limit is 5.00 USD`)
  })

  it("is not bought above the limit, in another currency, or as a top-up", async () => {
    const limits = [usd(449), { ...usd(10_000), currency: "EUR" }]
    for (const [index, limit] of limits.entries()) {
      const failure = await shop.fails((telco) => telco.buySim(purchase(`pur-${index}`, { limit })))
      expect(failure).toMatchObject({ _tag: "Telco.Refused", reason: "price" })
    }
    const topUp = await shop.fails((telco) => telco.buySim(purchase("pur-3", { load: TOP_UP })))
    expect(topUp.message).toBe(`${TOP_UP} is a top-up of Airalo, and comes with no eSIM`)
    expect(shop.fake.orders).toEqual([])
    expect((await buy("pur-4", { limit: usd(4_500, 3) })).cost).toEqual(usd(45, 1))
  })

  it("that is not in the catalogue is sold out before anything is ordered", async () => {
    const failure = await shop.fails((telco) => telco.buySim(purchase("pur-1", { load: "gone-7days-1gb" })))
    expect(failure).toMatchObject({ _tag: "Telco.Refused", reason: "sold_out" })
    expect(shop.asked("POST /orders")).toBe(0)
  })

  it.each([
    ["off sale since the catalogue was read", "sold_out"],
    ["beyond the balance", "no_balance"]
  ] as const)("that is %s is refused for good, and not charged", async (_, reason) => {
    await shop.account(({ bundles }) => bundles)
    if (reason === "sold_out") shop.fake.offers.splice(0, 1)
    else shop.fake.balance = 449
    const left = shop.fake.balance
    for (let again = 0; again < 2; again++) {
      const failure = await shop.fails((telco) => telco.buySim(purchase("pur-1")))
      expect(failure).toMatchObject({ _tag: "Telco.Refused", reason })
    }
    expect(shop.fake.balance).toBe(left)
    expect(shop.asked("POST /orders")).toBe(1)
  })

  it("with an ICCID of 17 digits, as the sandbox has one, is bought once and is no SIM", async () => {
    shop.fake.nextIccids.push("89340000000000872")
    for (let again = 0; again < 2; again++) {
      const failure = await shop.fails((telco) => telco.buySim(purchase("pur-1")))
      expect(failure).toMatchObject({ _tag: "Telco.Unavailable" })
      expect(failure.message).toMatch(/with an ICCID that is none/)
    }
    expect(shop.fake.orders).toHaveLength(1)
  })
})

describe("An order whose answer was lost", () => {
  it.each(["answer lost", "half body", "garbled"] as const)("with %s is found by its text", async (trouble) => {
    shop.fake.troubles.set("POST /orders", [trouble])
    // What LIKE finds as well.
    await shop.run((telco) => telco.buySim(purchase("pur-12")).pipe(Effect.ignore))
    shop.fake.troubles.set("POST /orders", [trouble])
    expect(await shop.fails((telco) => telco.buySim(purchase("pur-1")))).toMatchObject({ _tag: "Telco.Unavailable" })
    await shop.restart()
    const sim = await buy("pur-1")
    const order = shop.fake.orders.find(({ description }) => description === "pur-1")
    expect(sim.iccid).toBe(order?.sims[0]?.iccid)
    expect(shop.fake.orders).toHaveLength(2)
  })

  it("is made again only when it can come no more", async () => {
    shop.fake.troubles.set("POST /orders", ["request lost"])
    await shop.fails((telco) => telco.buySim(purchase("pur-1")))
    const failure = await shop.fails((telco) => telco.buySim(purchase("pur-1")))
    expect(failure).toMatchObject({ _tag: "Telco.Unavailable", retryAfterSeconds: expect.any(Number) })
    expect(shop.fake.orders).toEqual([])
    shop.step(LATE)
    await buy("pur-1")
    expect(shop.fake.orders).toHaveLength(1)
  })

  it("is found although it comes late, and although lists lag", async () => {
    await shop.close()
    shop = await Shop.open({ listLag: () => 4 })
    shop.fake.troubles.set("POST /orders", ["late"])
    await shop.fails((telco) => telco.buySim(purchase("pur-1")))
    shop.fake.arrive()
    let tries = 0
    while (shop.fake.orders.length < 2 && tries < 10) {
      tries += 1
      const result = await shop.run((telco) => Effect.result(telco.buySim(purchase("pur-1"))))
      if (result._tag === "Success") break
    }
    expect(tries).toBeGreaterThan(1)
    expect(shop.fake.orders).toHaveLength(1)
  })

  it.each([
    [{ status: 429, body: { message: "Too Many Attempts." } }, 60],
    [{ status: 422, body: { code: 13, reason: "maintenance" } }, 300]
  ])("was not made by %o, and is made at once the next time", async (trouble, retryAfterSeconds) => {
    shop.fake.troubles.set("POST /orders", [trouble])
    expect(await shop.fails((telco) => telco.buySim(purchase("pur-1")))).toMatchObject({ retryAfterSeconds })
    await buy("pur-1")
    expect(shop.fake.orders).toHaveLength(1)
  })

  it("that has failed at Airalo refuses its purchase", async () => {
    shop.fake.troubles.set("POST /orders", ["answer lost"])
    await shop.fails((telco) => telco.buySim(purchase("pur-1")))
    for (const order of shop.fake.orders) order.status = "failed"
    expect(await shop.fails((telco) => telco.buySim(purchase("pur-1")))).toMatchObject({ _tag: "Telco.Refused" })
  })
})

describe("A package", () => {
  it("claims the load of its eSIM without a call, and one of another load or after it is a top-up", async () => {
    const { iccid } = await buy()
    const reference = String(shop.fake.orders[0]?.id)
    shop.fake.asked.length = 0
    const first = await shop.run((telco) => telco.createPackage(packageOrder("a:0", iccid, { onlyAttachments: ["a"] })))
    expect(first).toEqual({ telcoPackageId: reference, activationAt: null, expirationAt: null, isLoad: true })
    expect(shop.fake.asked).toEqual([])
    const second = await shop.run((telco) => telco.createPackage(packageOrder("b:0", iccid)))
    expect(second).toEqual({
      telcoPackageId: String(shop.fake.orders[1]?.id),
      activationAt: null,
      expirationAt: null,
      cost: usd(41, 1),
      isLoad: false
    })
    expect(shop.fake.orders[1]).toMatchObject({ kind: "topup", packageId: TOP_UP })
    for (const id of ["a:0", "b:0"]) await shop.run((telco) => telco.createPackage(packageOrder(id, iccid)))
    expect(shop.fake.orders).toHaveLength(2)
    expect(await shop.run((telco) => telco.listPackages({ iccid }))).toEqual(["a:0", "b:0"])
    expect(await shop.run((telco) => telco.listPackages({ iccid, onlyAttachments: ["a"] }))).toEqual(["b:0"])
  })

  const recurrence = { periodicity: "Daily", frequency: 7, occurrences: 2 } as const
  const throttling = [{ percentage: 80, limit: "512" }] as const
  const wrong: ReadonlyArray<readonly [what: string, more: Partial<Telco.PackageOrder>, message: RegExp]> = [
    ["with a time of its own", { window: { start: 0, end: 1 } }, /begins packages at their first use/],
    ["that recurs", { terms: { ...Shop.terms, recurrence } }, /a plan cannot recur there/],
    ["that throttles", { terms: { ...Shop.terms, throttling } }, /limits no speeds by a plan's thresholds/],
    ["of another volume", { terms: { ...Shop.terms, dataMegaBytes: 1_000 } }, /has 1024 MB for 7 days/],
    ["of another time", { terms: { ...Shop.terms, periodDays: 30 } }, /the plan says 1024 MB for 30 days/]
  ]

  it("of a plan that names none of Airalo is refused", async () => {
    const { load: _, ...order } = packageOrder("a:0", (await buy()).iccid)
    expect((await shop.fails((telco) => telco.createPackage(order))).message).toMatch(
      /sells bundles only, and the plan is none of them/
    )
  })

  it.each(wrong)("%s is refused before anything is asked, and claims nothing", async (_, more, message) => {
    const { iccid } = await buy()
    shop.fake.asked.length = 0
    const refusal = await shop.fails((telco) => telco.createPackage(packageOrder("a:0", iccid, more)))
    expect(refusal).toMatchObject({ _tag: "Telco.Refused" })
    expect(refusal.message).toMatch(message)
    expect(shop.fake.asked).toEqual([])
    expect(await shop.run((telco) => telco.listPackages({ iccid }))).toEqual([])
  })

  it("on an eSIM that was not bought here, or that another attachment has, is refused", async () => {
    const iccid = "8944465400009999999"
    expect(await shop.fails((telco) => telco.createPackage(packageOrder("a:0", iccid)))).toMatchObject({
      message: `The SIM ${iccid} was not bought through this service`
    })
    const sim = await buy()
    await shop.run((telco) => telco.createPackage(packageOrder("a:0", sim.iccid)))
    const occupied = packageOrder("b:0", sim.iccid, { onlyAttachments: ["b"] })
    expect(await shop.fails((telco) => telco.createPackage(occupied))).toMatchObject({ occupiedBy: ["a:0"] })
    const other = await buy("pur-2")
    expect(await shop.fails((telco) => telco.createPackage(packageOrder("a:0", other.iccid)))).toMatchObject({
      message: `The package a:0 is on the SIM ${sim.iccid}`
    })
  })

  it("has the top-up that was chosen first, whatever its load becomes", async () => {
    const { iccid } = await buy()
    await shop.run((telco) => telco.createPackage(packageOrder("a:0", iccid)))
    shop.fake.troubles.set("POST /orders/topups", [{ status: 429 }])
    await shop.fails((telco) => telco.createPackage(packageOrder("b:0", iccid)))
    await shop.run((telco) => telco.createPackage(packageOrder("b:0", iccid, { load: "kallur-digital-30days-3gb" })))
    expect(shop.fake.orders.map(({ packageId }) => packageId)).toEqual([LOAD, TOP_UP])
  })
})

describe("A top-up", () => {
  let iccid = ""
  const topUp = packageOrder("b:0", "")
  const create = () => ({ ...topUp, iccid })

  const begin = async (options: Parameters<typeof Shop.open>[0] = {}) => {
    await shop.close()
    shop = await Shop.open(options)
    iccid = (await buy()).iccid
    await shop.run((telco) => telco.createPackage(packageOrder("a:0", iccid)))
  }

  it.each([
    ["its text", true],
    ["what is on the eSIM, if it has another text", false]
  ])("whose answer was lost is found by %s", async (_, keepsTopUpText) => {
    await begin({ keepsTopUpText })
    await shop.run((telco) => telco.createPackage({ ...create(), packageId: "c:0" }))
    shop.fake.troubles.set("POST /orders/topups", ["answer lost"])
    expect(await shop.fails((telco) => telco.createPackage(create()))).toMatchObject({ _tag: "Telco.Unavailable" })
    await shop.restart()
    if (!keepsTopUpText) {
      expect(await shop.fails((telco) => telco.createPackage(create()))).toMatchObject({ _tag: "Telco.Unavailable" })
      shop.step(LATE)
    }
    await shop.run((telco) => telco.createPackage(create()))
    expect(shop.fake.orders).toHaveLength(3)
  })

  it("is counted on its eSIM only when no later one may be missing there", async () => {
    let lag = 0
    await begin({ keepsTopUpText: false, listLag: () => lag })
    shop.fake.troubles.set("POST /orders/topups", ["answer lost"])
    await shop.fails((telco) => telco.createPackage(create()))
    shop.step(LATE)
    lag = 3
    await shop.run((telco) => telco.createPackage({ ...create(), packageId: "c:0" }))
    expect(await shop.fails((telco) => telco.createPackage(create()))).toMatchObject({ _tag: "Telco.Unavailable" })
    await shop.run((telco) => telco.readUsage({ iccid, stopped: [] }))
    shop.step(LATE)
    await shop.run((telco) => telco.createPackage(create()))
    expect(shop.fake.orders).toHaveLength(3)
  })

  it("that never came takes not the package of another one whose answer was lost", async () => {
    await begin()
    shop.fake.troubles.set("POST /orders/topups", ["request lost", "answer lost"])
    const other = { ...create(), packageId: "c:0" }
    await shop.fails((telco) => telco.createPackage(create()))
    await shop.fails((telco) => telco.createPackage(other))
    shop.step(LATE)
    const made = [await shop.run((telco) => telco.createPackage(create()))]
    made.push(await shop.run((telco) => telco.createPackage(other)))
    const [, first, second] = shop.fake.orders
    expect(made.map(({ telcoPackageId }) => telcoPackageId)).toEqual([String(second?.id), String(first?.id)])
  })

  it("that never came is made again when it can come no more", async () => {
    await begin({ keepsTopUpText: false })
    shop.fake.troubles.set("POST /orders/topups", ["request lost"])
    await shop.fails((telco) => telco.createPackage(create()))
    await shop.fails((telco) => telco.createPackage(create()))
    shop.step(LATE)
    await shop.run((telco) => telco.createPackage(create()))
    expect(shop.fake.orders).toHaveLength(2)
  })

  it.each([
    ["on an eSIM that is recycled", "recycled", {}],
    ["of an operator that takes none", "take no top-ups", { isRechargeable: false }],
    ["beyond the balance", "Insufficient", {}]
  ])("%s is refused for good, and has nothing of the eSIM", async (what, message, options) => {
    await begin(options)
    const sim = shop.fake.sims.get(iccid)
    if (sim !== undefined && what.includes("recycled")) sim.isRecycled = true
    if (what.includes("balance")) shop.fake.balance = 0
    for (let again = 0; again < 2; again++) {
      const refusal = await shop.fails((telco) => telco.createPackage(create()))
      expect(refusal).toMatchObject({ _tag: "Telco.Refused" })
      expect(refusal.message).toContain(message)
    }
    expect(await shop.run((telco) => telco.listPackages({ iccid }))).toEqual(["a:0"])
    expect(shop.fake.orders).toHaveLength(1)
  })

  it("cannot be cancelled once it is there, unless an operator gives it up", async () => {
    await begin()
    await shop.run((telco) => telco.createPackage(create()))
    const ref = { iccid, packageId: "b:0" }
    const kept = await shop.fails((telco) => telco.cancelPackage(ref))
    expect(kept).toMatchObject({ topUp: { load: TOP_UP, cost: { units: 41, scale: 1, currency: "USD" } } })
    expect(kept.message).toMatch(/Airalo takes none back/)
    expect((await shop.fails((telco) => telco.suspendPackage(ref))).message).toBe(
      "The telco of the SIM cannot suspend a package"
    )
    await shop.run((telco) => telco.cancelPackage({ ...ref, isConfirmed: true }))
    expect(await shop.run((telco) => telco.listPackages({ iccid }))).toEqual(["a:0"])
    expect(await shop.fails((telco) => telco.createPackage(create()))).toMatchObject({ _tag: "Telco.Refused" })
  })

  it("without an answer is cancelled once it is known not to be there", async () => {
    await begin()
    shop.fake.troubles.set("POST /orders/topups", ["request lost"])
    await shop.fails((telco) => telco.createPackage(create()))
    const ref = { iccid, packageId: "b:0" }
    expect(await shop.fails((telco) => telco.cancelPackage(ref))).toMatchObject({ _tag: "Telco.Unavailable" })
    shop.step(LATE)
    await shop.run((telco) => telco.cancelPackage(ref))
    expect(await shop.fails((telco) => telco.createPackage(create()))).toMatchObject({ _tag: "Telco.Refused" })
    expect(shop.fake.orders).toHaveLength(1)
  })
})

describe("What was used", () => {
  it("is told by package, in bytes of MB of 1,048,576", async () => {
    const { iccid } = await buy()
    for (const id of ["a:0", "b:0", "c:0"]) await shop.run((telco) => telco.createPackage(packageOrder(id, iccid)))
    shop.fake.use(iccid, "sim", 257)
    shop.fake.use(iccid, "topup", 2_000)
    const usage = await shop.run((telco) => telco.readUsage({ iccid, stopped: [] }))
    const activationAt = Date.parse(shop.fake.instances[0]?.activatedAt ?? "")
    expect(usage).toEqual([
      { packageId: "a:0", usedBytes: 257 * 1_048_576, activationAt },
      { packageId: "b:0", usedBytes: 0, activationAt: null },
      { packageId: "c:0", usedBytes: 1_024 * 1_048_576, activationAt }
    ])
    expect(await shop.run((telco) => telco.readUsage({ iccid: "8944465400009999999", stopped: [] }))).toEqual([])
  })

  it("keeps its package; a load of which nothing was used is its eSIM's again", async () => {
    const { iccid } = await buy()
    await shop.run((telco) => telco.createPackage(packageOrder("a:0", iccid)))
    const unused = await shop.run((telco) => telco.cancelPackage({ iccid, packageId: "a:0", isUndone: true }))
    expect(unused).toEqual({ isLoadUsed: false })
    expect(await shop.run((telco) => telco.listPackages({ iccid }))).toEqual([])
    expect(await shop.fails((telco) => telco.createPackage(packageOrder("a:0", iccid)))).toMatchObject({
      message: "The package a:0 was cancelled"
    })
    await shop.run((telco) => telco.createPackage(packageOrder("b:0", iccid)))
    expect(shop.fake.orders).toHaveLength(1)
    shop.fake.use(iccid, "sim", 1)
    const used = await shop.fails((telco) => telco.cancelPackage({ iccid, packageId: "b:0" }))
    expect(used.message).toMatch(/was used, and Airalo takes nothing back/)
    for (let time = 0; time < 2; time++) {
      const cancelled = await shop.run((telco) => telco.cancelPackage({ iccid, packageId: "b:0", isConfirmed: true }))
      expect(cancelled).toEqual({ isLoadUsed: true })
    }
    await shop.run((telco) => telco.createPackage(packageOrder("c:0", iccid)))
    expect(shop.fake.orders).toHaveLength(2)
  })

  it("cannot be known while Airalo does not say it: nothing is cancelled", async () => {
    const { iccid } = await buy()
    await shop.run((telco) => telco.createPackage(packageOrder("a:0", iccid)))
    const ref = { iccid, packageId: "a:0" }
    shop.fake.troubles.set("GET /sims/*/packages", [
      { status: 404, body: { data: [], meta: { message: "messages.resource_not_found" } } },
      { status: 429, headers: { "retry-after": "900" } },
      { status: 200, body: { data: [] } }
    ])
    for (const retryAfterSeconds of [undefined, 900, undefined]) {
      const failure = await shop.fails((telco) => telco.cancelPackage(ref))
      expect(failure).toMatchObject({ _tag: "Telco.Unavailable" })
      expect("retryAfterSeconds" in failure ? failure.retryAfterSeconds : undefined).toBe(retryAfterSeconds)
    }
    await shop.run((telco) => telco.cancelPackage(ref))
    expect(await shop.run((telco) => telco.listPackages({ iccid }))).toEqual([])
  })
})

describe("An eSIM that is given back", () => {
  const back = (purchaseId: string, iccid: string) => shop.run((telco) => telco.returnSim({ purchaseId, iccid }))

  it("is asked for by a request that people decide, once, and carries nothing after", async () => {
    const { iccid } = await buy()
    expect(await back("pur-1", iccid)).toBe("asked")
    expect(await back("pur-1", iccid)).toBe("asked")
    for (const order of shop.fake.orders) order.status = "refunded"
    expect(await back("pur-1", iccid)).toBe("credit")
    expect(shop.fake.refunds).toEqual([[iccid]])
    expect(await shop.fails((telco) => telco.createPackage(packageOrder("a:0", iccid)))).toMatchObject({
      message: `The SIM ${iccid} was given back to its supplier`
    })
  })

  it("is asked for again after an answer that was lost, and not if the money has come", async () => {
    const { iccid } = await buy()
    shop.fake.troubles.set("POST /refund", ["answer lost"])
    await shop.fails((telco) => telco.returnSim({ purchaseId: "pur-1", iccid }))
    for (const order of shop.fake.orders) order.status = "refunded"
    expect(await back("pur-1", iccid)).toBe("credit")
    expect(shop.fake.refunds).toHaveLength(1)
  })

  it("stays while a package has it, once it was used, and if the contract allows no request", async () => {
    const { iccid } = await buy()
    await shop.run((telco) => telco.createPackage(packageOrder("a:0", iccid)))
    const of = { purchaseId: "pur-1", iccid }
    expect((await shop.fails((telco) => telco.returnSim(of))).message).toMatch(/The package a:0 is on the SIM/)
    await shop.run((telco) => telco.cancelPackage({ iccid, packageId: "a:0" }))
    shop.fake.troubles.set("POST /refund", [{ status: 403, body: { data: [], meta: { message: "forbidden" } } }])
    expect((await shop.fails((telco) => telco.returnSim(of))).message).toMatch(/the contract with Airalo/)
    shop.fake.use(iccid, "sim", 1)
    expect((await shop.fails((telco) => telco.returnSim(of))).message).toMatch(/was used/)
    expect(shop.fake.refunds).toEqual([])
  })

  it("and sold to us again is a new purchase: what was claimed of the former one is over", async () => {
    const { iccid } = await buy()
    shop.fake.nextIccids.push(iccid)
    expect((await buy("pur-2")).iccid).toBe(iccid)
    await shop.run((telco) => telco.createPackage(packageOrder("b:0", iccid)))
    expect(shop.asked("POST /orders/topups")).toBe(0)
    expect((await shop.fails((telco) => telco.returnSim({ purchaseId: "pur-1", iccid }))).message).toMatch(/sold again/)
  })
})

it("What Airalo has not is refused in a sentence, and what it need not do succeeds", async () => {
  const { iccid } = await buy()
  const sms = { messageId: "m", iccid, from: "shop", text: "hello" }
  expect(await shop.fails((telco) => telco.sendSms(sms))).toMatchObject({
    message: "The telco of the SIM sends no SMS"
  })
  const plan = { key: "k", iccid }
  expect(await shop.fails((telco) => telco.setMobilePlan({ ...plan, applied: true }))).toMatchObject({
    message: "The telco of the SIM has no mobile plans"
  })
  await shop.run((telco) => telco.setMobilePlan({ ...plan, applied: false }))
  await shop.run((telco) => telco.releaseProfile(plan))
  await shop.run((telco) => telco.cancelPackage({ iccid, packageId: "nobody:0" }))
})

it("The supplier tells what is on sale, with prices in the account's currency, and what is left", async () => {
  const bundles = await shop.account(({ bundles }) => bundles)
  expect(bundles.map(({ code, kind, price }) => [code, kind, price])).toEqual([
    [LOAD, "sim", usd(45, 1)],
    ["kallur-digital-30days-3gb", "sim", usd(1_005)],
    [TOP_UP, "topUp", usd(41, 1)]
  ])
  expect(await shop.account(({ balance }) => balance)).toEqual(usd(1_000, 0))
  shop.asked("GET /packages")
  await shop.account(({ bundles }) => bundles)
  expect(shop.asked("GET /packages")).toBe(0)
})
