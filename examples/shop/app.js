// The shop's routes.
import { createHash, randomUUID, timingSafeEqual } from "node:crypto"
import { fileURLToPath } from "node:url"
import { and, desc, eq } from "drizzle-orm"
import express from "express"
import { toNodeHandler } from "simplan/promise"
import * as Orders from "./Orders.js"
import * as Pages from "./Pages.js"
import { customers, orders } from "./schema.js"
import * as Session from "./Session.js"
import * as Wallet from "./Wallet.js"

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'"

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const hash = (text) => createHash("sha256").update(text).digest()

const isSame = (given, expected) => timingSafeEqual(hash(given), hash(expected))

export const createApp = ({ paymentsToken, secret, ...shop }) => {
  const { db, organizationId, simplan } = shop
  const app = express()
  app.use((_request, response, next) => {
    response.set("content-security-policy", POLICY)
    response.set("referrer-policy", "no-referrer")
    response.set("cache-control", "no-store")
    next()
  })
  for (const file of ["shop.css", "waiting.js"]) {
    app.get(`/${file}`, (_request, response) => response.sendFile(fileURLToPath(new URL(file, import.meta.url))))
  }
  // What the supplier calls when an eSIM was used.
  app.use("/esim", toNodeHandler(simplan))

  // What the payment provider calls. It calls again until it has an answer, with the same id.
  app.post("/payments", express.json(), async (request, response) => {
    if (!isSame(request.get("authorization") ?? "", `Bearer ${paymentsToken}`)) return response.sendStatus(401)
    const { amount, customer: customerId, id } = request.body
    await db.transaction((tx) => Wallet.payIn(tx, { id, customerId, amount }))
    response.sendStatus(204)
  })

  app.use(express.urlencoded())
  app.post("/customers", async ({ body }, response) => {
    const id = randomUUID()
    await db.insert(customers).values({ id, email: body.email })
    response.append("set-cookie", Session.cookieOf(id, secret)).redirect(303, "/")
  })

  app.use((request, response, next) => {
    request.customerId = Session.customerOf(request.get("cookie"), secret)
    if (request.customerId === undefined) return response.send(Pages.signUp())
    next()
  })
  app.get("/", async ({ customerId }, response) => {
    const [customer] = await db.select().from(customers).where(eq(customers.id, customerId))
    const own = await db.select().from(orders).where(eq(orders.customerId, customerId)).orderBy(desc(orders.createdAt))
    const plans = await simplan.plans.list({ organizationId, archived: false }).toArray()
    response.send(Pages.home({ customer, newId: randomUUID, orders: own, plans }))
  })
  app.post("/orders", async ({ body, customerId }, response) => {
    if (!UUID.test(body.id)) return response.status(400).send(Pages.notFound())
    try {
      await Orders.place(shop, { customerId, id: body.id, planId: body.plan })
    } catch (error) {
      if (!(error instanceof Wallet.NotEnough)) throw error
      return response.status(402).send(Pages.notEnough())
    }
    response.redirect(303, `/orders/${body.id}`)
  })
  app.get("/orders/:id", async ({ customerId, params }, response) => {
    const isOwn = and(eq(orders.id, params.id), eq(orders.customerId, customerId))
    const [order] = await db.select().from(orders).where(isOwn)
    if (order === undefined) return response.status(404).send(Pages.notFound())
    if (order.state === "reserved") return response.send(Pages.reserved(order))
    if (order.state === "refunded") return response.send(Pages.refunded(order))
    // The eSIM is asked for each time: it may have been replaced.
    const { attachmentId, subscriptionId } = order
    const { sim } = await simplan.subscriptions.get({ organizationId, subscriptionId })
    const of = { organizationId, iccid: sim.iccid }
    const installation = await simplan.sims.installation(of)
    const attachment = await simplan.attachments.get({ ...of, id: attachmentId })
    response.send(Pages.active({ attachment, installation, order }))
  })
  return app
}
