/**
 * Polls of eSIMs of Airalo over HTTP to the fake (rules T3, R1 and R4): "Get eSIM package history",
 * its statuses, and what it has of a former customer of an ICCID.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Polled from "../telco-calls/Polled.ts"
import * as Shop from "./Shop.ts"

const { LOAD, packageOrder, purchase } = Shop
const { end, firstUse, gone, total } = Polled

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MEGA = 1_048_576

let shop: Shop.Shop
let core: Polled.Core

beforeEach(async () => {
  shop = await Shop.open()
  core = Polled.make()
})
afterEach(() => shop.close())

const sell = async (purchaseId: string, packageId: string) => {
  const { iccid } = await shop.run((telco) => telco.buySim(purchase(purchaseId)))
  await shop.run((telco) => telco.createPackage(packageOrder(packageId, iccid)))
  return iccid
}

const later = (millis: number) => {
  shop.step(millis)
  return shop.polls((polls) => core.poll(polls))
}

const last = () => {
  const found = shop.fake.instances.at(-1)
  if (found === undefined) throw new Error("nothing was sold")
  return found
}

describe("Polls of an eSIM of Airalo", () => {
  it("find its first use, its usage, and its end", async () => {
    const iccid = await sell("pur-1", "a:0")
    expect(await later(HOUR)).toEqual([])
    shop.fake.use(iccid, "sim", 24)
    expect(await later(HOUR)).toEqual([firstUse("a:0"), total("a:0", 24 * MEGA)])
    shop.fake.use(iccid, "sim", 1_000)
    last().status = "FINISHED"
    expect(await later(6 * HOUR)).toEqual([total("a:0", 1_024 * MEGA), end("a:0", "depleted")])
    expect(await later(30 * DAY)).toEqual([])
  })

  it("find what has expired by its time, and what has lapsed without any use", async () => {
    const iccid = await sell("pur-1", "a:0")
    shop.fake.use(iccid, "sim", 1)
    last().status = "EXPIRED"
    await later(8 * DAY)
    const expired = core.taken.find(({ fact }) => fact._tag === "End")
    expect(expired).toMatchObject({ fact: end("a:0", "expired"), occurredAt: Date.parse(last().expiredAt ?? "") })
    await sell("pur-2", "b:0")
    last().status = "EXPIRED"
    expect(await later(2 * DAY)).toEqual([end("b:0", "lapsed")])
  })

  it("find that it is gone, once it was missing for a day while its order is there", async () => {
    const iccid = await sell("pur-1", "a:0")
    const orders = shop.fake.orders.splice(0)
    shop.fake.sims.delete(iccid)
    for (let times = 0; times < 8; times++) expect(await later(6 * HOUR)).toEqual([])
    shop.fake.orders.push(...orders)
    for (let times = 0; times < 4; times++) await later(7 * HOUR)
    expect(core.taken).toEqual([])
    expect(await later(7 * HOUR)).toEqual([gone])
  })

  it("find one in stock that was recycled", async () => {
    const { iccid } = await shop.run((telco) => telco.buySim(purchase("pur-1")))
    expect(await later(25 * HOUR)).toEqual([])
    const sim = shop.fake.sims.get(iccid)
    if (sim !== undefined) sim.isRecycled = true
    expect(await later(25 * HOUR)).toEqual([gone])
  })

  it("find nothing of a former customer of an ICCID, also while the list lacks the new package", async () => {
    const iccid = await sell("pur-1", "a:0")
    shop.fake.use(iccid, "sim", 500)
    last().status = "FINISHED"
    shop.step(60 * DAY)
    shop.fake.nextIccids.push(iccid)
    expect(await sell("pur-2", "b:0")).toBe(iccid)
    const sold = shop.fake.instances.splice(-1)
    expect(await later(HOUR)).toEqual([])
    shop.fake.instances.push(...sold)
    expect(await later(7 * HOUR)).toEqual([])
    shop.fake.use(iccid, "sim", 3)
    expect(await later(7 * HOUR)).toEqual([firstUse("b:0"), total("b:0", 3 * MEGA)])
    expect(sold[0]?.offer.id).toBe(LOAD)
  })
})
