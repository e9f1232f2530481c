// An order with its eSIM in one transaction of Drizzle, which is on postgres.js here.
import { pgTable, text } from "drizzle-orm/pg-core"
import { drizzle } from "drizzle-orm/postgres-js"
import postgres from "postgres"
import { fromDrizzle } from "simplan/promise"

const orders = pgTable("orders", { esim: text("esim").primaryKey() })

export const connect = (url) => {
  const sql = postgres(url)
  const db = drizzle(sql)
  return {
    order: (simplan, esim, check) =>
      db.transaction(async (tx) => {
        const { id } = await simplan.within(fromDrizzle(tx)).subscriptions.create(esim)
        await tx.insert(orders).values({ esim: id })
        await check()
        return id
      }),
    close: () => sql.end()
  }
}
