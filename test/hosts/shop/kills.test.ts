/**
 * The shop under kill -9 (rules H1, I15 and E2): two processes that are killed at random, and a
 * supplier that loses answers and refuses orders. In the end each order is active or refunded, the
 * wallets are exact, and nobody has got or paid anything twice.
 */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { createSimplan } from "simplan/promise"
import { afterAll, beforeAll, expect, it } from "vitest"
import type * as SupplierServer from "../../telco-esim-go/SupplierServer.ts"
import * as Shop from "./Shop.ts"

const KILLS = 30
const CUSTOMERS = 6
const PAID = "100.00"
const LOST = 0.05
const REFUSED = 0.1

const counts = { lost: 0, refused: 0 }
let isFaulty = false

const isOrder = (body: unknown): boolean =>
  typeof body === "object" && body !== null && Reflect.get(body, "type") === "transaction"

const befalls = (_operation: string, body: unknown): SupplierServer.Fault | undefined => {
  if (!isFaulty) return undefined
  if (isOrder(body) && Math.random() < REFUSED) {
    counts.refused++
    return { fault: "status", status: 400, body: '{"message":"the order is refused"}' }
  }
  if (Math.random() >= LOST) return undefined
  counts.lost++
  return { fault: "answer lost" }
}

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.open({ befalls })
}, 300_000)
afterAll(() => shop?.close())

it(`is exact after ${KILLS} kills`, async () => {
  isFaulty = true
  const instances = [await shop.start(), await shop.start()]
  const urls = () => instances[Math.random() < 0.5 ? 0 : 1]?.url ?? ""
  let isOpen = true
  const paid: Array<string> = []

  /** Signs up, is paid for twice by one id, and orders, each time by two clicks, until the end. */
  const customer = async (at: number): Promise<void> => {
    const form = new URLSearchParams({ email: `customer-${at}@example.com` })
    const signedUp = await Shop.ask(urls, "/customers", { method: "POST", body: form })
    const cookie = signedUp.headers.get("set-cookie")?.split(";")[0] ?? ""
    const id = /^shop=([^.]+)/.exec(cookie)?.[1] ?? ""
    const payment = { id: `payment of ${id}`, customer: id, amount: PAID }
    await Promise.all([Shop.pay(urls, payment), Shop.pay(urls, payment)])
    paid.push(id)
    const home = await (await Shop.ask(urls, "/", { headers: { cookie } })).text()
    const plans = [...home.matchAll(/name="plan" value="([^"]+)"/g)].map(([, plan = ""]) => plan)
    expect(plans).toHaveLength(5)
    const order = async () => {
      const plan = plans[Math.floor(Math.random() * plans.length)] ?? ""
      const body = new URLSearchParams({ id: randomUUID(), plan })
      const send = () => Shop.ask(urls, "/orders", { method: "POST", body, headers: { cookie } })
      const answers = await Promise.all([send(), send()])
      for (const { status } of answers) expect([303, 402]).toContain(status)
    }
    while (isOpen) {
      await Promise.all([order(), order()])
      await sleep(4_000 + Math.random() * 4_000)
    }
  }

  const customers = Promise.all(Array.from({ length: CUSTOMERS }, (_, at) => customer(at)))
  for (let killed = 0; killed < KILLS; killed++) {
    await sleep(100 + Math.random() * 900)
    const victim = killed % instances.length
    await instances[victim]?.kill()
    instances[victim] = await shop.start()
  }
  isOpen = false
  await customers

  // An operator would have what waits tried again, too.
  const simplan = createSimplan({ database: shop.databaseUrl, telco: "simulator", worker: false, logger: false })
  const { organizationId, pool } = shop
  let retriedAt = 0
  const states = async () => {
    if (Date.now() > retriedAt + 15_000) {
      await simplan.waitingJobs.retryAll()
      retriedAt = Date.now()
    }
    const { rows } = await pool.query<{ state: string; count: number }>(
      "select state, count(*)::int from orders group by state order by state"
    )
    return rows
  }
  const begun = Date.now()
  await expect
    .poll(states, { timeout: 800_000, interval: 1_000 })
    .not.toContainEqual(expect.objectContaining({ state: "reserved" }))
  console.log(JSON.stringify({ states: await states(), ...counts, seconds: (Date.now() - begun) / 1000 }))

  const read = async <A extends object>(text: string) => (await pool.query<A>(text)).rows
  // Wallets: what was paid in, less what was debited, to the last unit; nothing is set aside.
  // Whoever signed up without an answer did so again, and is paid for once.
  expect(await read("select id from customers where reserved <> 0 or balance < 0")).toEqual([])
  const wrong = `select c.id from customers c
    where c.balance <> (select coalesce(sum(amount), 0) from entries e where e.customer_id = c.id)
      or c.balance + (select coalesce(sum(price), 0) from orders o where o.customer_id = c.id and o.state = 'active')
        <> case when c.id::text = any(array[${paid.map((id) => `'${id}'`).join()}]) then ${PAID} else 0 end`
  expect(await read(wrong)).toEqual([])

  // eSIMs: one of each active order; all others that were bought are in stock.
  const orders = await read<{ id: string; state: string; subscription_id: string | null }>("select * from orders")
  const active = orders.filter(({ state }) => state === "active")
  expect(active.length).toBeGreaterThan(20)
  expect(Math.min(counts.lost, counts.refused)).toBeGreaterThan(0)
  const iccids: Array<string> = []
  for (const { id, subscription_id: subscriptionId } of active) {
    const { metadata, sim } = await simplan.subscriptions.get({ organizationId, subscriptionId: subscriptionId ?? "" })
    expect(metadata).toBe(id)
    iccids.push(sim.iccid)
  }
  expect(new Set(iccids).size).toBe(active.length)
  const subscriptions = await simplan.subscriptions.list({ organizationId }).toArray()
  expect(subscriptions.map(({ sim }) => sim.iccid).toSorted()).toEqual(iccids.toSorted())
  const stock = (await simplan.sims.list({ organizationId }).toArray()).filter(({ used }) => !used)
  const bought = shop.server.supplier.orders.map(({ iccid }) => iccid)
  expect(bought.toSorted()).toEqual([...iccids, ...stock.map(({ iccid }) => iccid)].toSorted())

  // Mails: one of each active order.
  await expect.poll(() => shop.mails.size, { timeout: 120_000 }).toBe(active.length)
  const mailed = [...shop.mails.values()].map(({ text }) => text.replace("https://shop.example/orders/", ""))
  expect(mailed.toSorted()).toEqual(active.map(({ id }) => id).toSorted())
  await simplan.close()
})
