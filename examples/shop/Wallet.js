// A prepaid wallet. Each function is one or two statements inside a transaction of the caller.
import { and, eq, sql } from "drizzle-orm"
import { customers, entries } from "./schema.js"

/** The wallet does not have what the order costs. */
export class NotEnough extends Error {}

/** Sets aside what an order costs. Of several at once each sees what the ones before have left. */
export const reserve = async (tx, { customerId, price }) => {
  const isEnough = sql`${customers.balance} - ${customers.reserved} >= ${price}::numeric`
  const [wallet] = await tx
    .update(customers)
    .set({ reserved: sql`${customers.reserved} + ${price}::numeric` })
    .where(and(eq(customers.id, customerId), isEnough))
    .returning()
  if (wallet === undefined) throw new NotEnough(`The wallet does not have ${price}`)
}

/** Gives back what was set aside. */
export const release = (tx, { customerId, price }) =>
  tx
    .update(customers)
    .set({ reserved: sql`${customers.reserved} - ${price}::numeric` })
    .where(eq(customers.id, customerId))

/** Takes what was set aside. */
export const debit = async (tx, { customerId, id, price }) => {
  await tx.insert(entries).values({ id: `order ${id}`, customerId, amount: sql`- ${price}::numeric` })
  await tx
    .update(customers)
    .set({
      reserved: sql`${customers.reserved} - ${price}::numeric`,
      balance: sql`${customers.balance} - ${price}::numeric`
    })
    .where(eq(customers.id, customerId))
}

/** Takes a payment in, once for each id of the payment provider. */
export const payIn = async (tx, { amount, customerId, id }) => {
  const values = { id: `payment ${id}`, customerId, amount }
  const [entry] = await tx.insert(entries).values(values).onConflictDoNothing().returning()
  if (entry === undefined) return
  await tx
    .update(customers)
    .set({ balance: sql`${customers.balance} + ${amount}::numeric` })
    .where(eq(customers.id, customerId))
}
