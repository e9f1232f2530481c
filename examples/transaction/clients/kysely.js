// An order with its eSIM, and a letter about an event, each in a transaction of Kysely.
import { Kysely, PostgresDialect } from "kysely"
import pg from "pg"
import { fromKysely } from "simplan/promise"

export const connect = (url) => {
  const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) })
  return {
    order: (simplan, esim, check) =>
      db.transaction().execute(async (trx) => {
        const { id } = await simplan.within(fromKysely(trx)).subscriptions.create(esim)
        await trx.insertInto("orders").values({ esim: id }).execute()
        await check()
        return id
      }),
    letters: (simplan, options, check) =>
      simplan.on(
        "command.done",
        { ...options, transaction: (work) => db.transaction().execute((trx) => work(fromKysely(trx), trx)) },
        async ({ data }, { client }) => {
          await client.insertInto("letters").values({ esim: data.id }).execute()
          await check()
        }
      ),
    close: () => db.destroy()
  }
}
