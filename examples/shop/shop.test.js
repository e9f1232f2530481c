// The shop's own test, without a server: PGlite has all tables, and a simulator is the supplier.
import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { fileURLToPath } from "node:url"
import { PGlite } from "@electric-sql/pglite"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/pglite"
import { createSimplan } from "simplan/promise"
import * as Mail from "./Mail.js"
import * as Orders from "./Orders.js"
import { create, customers, orders } from "./schema.js"
import * as Wallet from "./Wallet.js"

const telco = { file: fileURLToPath(new URL("telcos.sandbox.json", import.meta.url)) }
const sent = []
let pglite
let shop
let planId

before(async () => {
  pglite = await PGlite.create()
  const db = drizzle(pglite)
  await create(db)
  const simplan = createSimplan({ database: pglite, telco, clock: { start: "2026-01-31T12:00:00Z" } })
  const { organizationId } = await simplan.organizations.create({ name: "Shop" })
  const [bundle] = await simplan.telcos.bundles({ telco: "sandbox" }).toArray()
  const made = { organizationId, telco: "sandbox", bundle: bundle.code, label: "Green" }
  planId = (await simplan.plans.createFromBundle(made)).planId
  await simplan.plans.setPrice({ organizationId, planId, price: "4.50", currency: "USD" })
  shop = { address: "https://shop.example", db, organizationId, send: async (mail) => sent.push(mail), simplan }
  await Orders.register(shop)
  await Mail.register(shop)
  await db.insert(customers).values({ id: "ada", email: "ada@example.com" })
  const payment = { id: "1", customerId: "ada", amount: "10" }
  await Promise.all([Wallet.payIn(db, payment), Wallet.payIn(db, payment)])
})

after(async () => {
  await shop?.simplan.close()
  await pglite?.close()
})

const order = (id) => Orders.place(shop, { customerId: "ada", id, planId })

const state = async (id) => (await shop.db.select().from(orders).where(eq(orders.id, id)))[0]?.state

const wallet = async () => {
  const [{ balance, reserved }] = await shop.db.select().from(customers)
  return [Number(balance), Number(reserved)]
}

test("an order that is sent twice is one eSIM, one debit and one mail", async () => {
  await Promise.all([order("1"), order("1")])
  await shop.simplan.drain()
  assert.equal(await state("1"), "active")
  assert.deepEqual(await wallet(), [5.5, 0])
  const mail = { to: "ada@example.com", subject: "Your eSIM is ready", text: "https://shop.example/orders/1" }
  assert.deepEqual(sent, [mail])
})

test("an order that is refused gives its price back", async () => {
  const { organizationId, simplan } = shop
  await order("2")
  const [{ id }] = await simplan.commands.list({ organizationId, state: "pending" }).toArray()
  assert.deepEqual(await wallet(), [5.5, 4.5])
  await simplan.commands.cancel(id)
  await simplan.drain()
  assert.equal(await state("2"), "refunded")
  assert.deepEqual(await wallet(), [5.5, 0])
})

test("an order that the wallet does not pay for leaves nothing", async () => {
  await order("3")
  await assert.rejects(order("4"), Wallet.NotEnough)
  assert.equal(await state("4"), undefined)
  await shop.simplan.drain()
  assert.deepEqual(await wallet(), [1, 0])
})
