// Orders. Each step is one transaction: of the shop's tables and of simplan's.
import { and, eq } from "drizzle-orm"
import { fromDrizzle } from "simplan/promise"
import { orders } from "./schema.js"
import * as Wallet from "./Wallet.js"

/**
 * Stores an order, sets its price aside and asks simplan for the eSIM: all of it, or nothing. The id
 * is the form's, so an order that is sent twice is one order.
 */
export const place = ({ db, organizationId, simplan }, { customerId, id, planId }) =>
  db.transaction(async (tx) => {
    const within = simplan.within(fromDrizzle(tx))
    const { name, price } = await within.plans.get({ organizationId, planId })
    if (price === null) throw new Error(`The plan ${name} has no price`)
    const values = { id, customerId, planName: name, price }
    const [order] = await tx.insert(orders).values(values).onConflictDoNothing().returning()
    if (order === undefined) return
    await Wallet.reserve(tx, order)
    await within.subscriptions.create({ organizationId, planId, metadata: id }, { idempotencyKey: `order ${id}` })
  })

/** What becomes of an order is settled once: in the transaction that takes the event. */
export const register = ({ db, organizationId, simplan }) => {
  const transaction = (work) => db.transaction((tx) => work(fromDrizzle(tx), tx))
  const settle = async (tx, id, outcome, pay) => {
    const isOpen = and(eq(orders.id, id), eq(orders.state, "reserved"))
    const [order] = await tx.update(orders).set(outcome).where(isOpen).returning()
    if (order !== undefined) await pay(tx, order)
  }
  return simplan.on(
    ["command.done", "command.refused"],
    { name: "orders", organizationId, transaction },
    async ({ data, type }, { client: tx }) => {
      if (data.method !== "subscriptions.create") return
      if (type === "command.refused") return settle(tx, data.metadata, { state: "refunded" }, Wallet.release)
      const { attachmentId, subscriptionId } = data
      await settle(tx, data.metadata, { state: "active", attachmentId, subscriptionId }, Wallet.debit)
    }
  )
}
