// An order with its eSIM, and a letter about an event, each in a transaction of Drizzle, which is on pg here.
import { drizzle } from "drizzle-orm/node-postgres"
import { pgTable, text } from "drizzle-orm/pg-core"
import pg from "pg"
import { fromDrizzle } from "simplan/promise"

const orders = pgTable("orders", { esim: text("esim").primaryKey() })
const letters = pgTable("letters", { esim: text("esim") })

export const connect = (url) => {
  const pool = new pg.Pool({ connectionString: url })
  const db = drizzle(pool)
  return {
    order: (simplan, esim, check) =>
      db.transaction(async (tx) => {
        const { id } = await simplan.within(fromDrizzle(tx)).subscriptions.create(esim)
        await tx.insert(orders).values({ esim: id })
        await check()
        return id
      }),
    letters: (simplan, options, check) =>
      simplan.on(
        "command.done",
        { ...options, transaction: (work) => db.transaction((tx) => work(fromDrizzle(tx), tx)) },
        async ({ data }, { client }) => {
          await client.insert(letters).values({ esim: data.id })
          await check()
        }
      ),
    close: () => pool.end()
  }
}
