// Mail that an eSIM is ready. It names no activation code: the page shows it to its customer alone.
import { eq } from "drizzle-orm"
import { customers, orders } from "./schema.js"

/** Sends by a mail service that takes idempotency keys: one that it has seen sends nothing again. */
export const sender = (url) => async (mail, key, signal) => {
  const headers = { "content-type": "application/json", "idempotency-key": key }
  const { ok, status } = await fetch(url, { method: "POST", headers, body: JSON.stringify(mail), signal })
  if (!ok) throw new Error(`The mail service answers ${status}`)
}

/** A code is there after the order, and after a replacement. What throws is called again later. */
export const register = ({ address, db, organizationId, send, simplan }) =>
  simplan.on("esim.ready", { name: "mail", organizationId }, async ({ data, eventId }, { signal }) => {
    const id = data.metadata
    const ofOrder = eq(orders.customerId, customers.id)
    const [to] = await db.select().from(orders).innerJoin(customers, ofOrder).where(eq(orders.id, id))
    if (to === undefined) return
    const subject = data.replacedEsim === null ? "Your eSIM is ready" : "Your new eSIM is ready"
    await send({ to: to.customers.email, subject, text: `${address}/orders/${id}` }, eventId, signal)
  })
