// An order with its eSIM, and a letter about an event, each in a transaction of pg (node-postgres).
import pg from "pg"
import { fromPg } from "simplan/promise"

export const connect = (url) => {
  const pool = new pg.Pool({ connectionString: url })
  const transaction = async (work) => {
    const client = await pool.connect()
    try {
      await client.query("begin")
      const done = await work(client)
      await client.query("commit")
      return done
    } catch (error) {
      await client.query("rollback")
      throw error
    } finally {
      client.release()
    }
  }
  return {
    order: (simplan, esim, check) =>
      transaction(async (client) => {
        const { id } = await simplan.within(fromPg(client)).subscriptions.create(esim)
        await client.query("insert into orders (esim) values ($1)", [id])
        await check()
        return id
      }),
    letters: (simplan, options, check) =>
      simplan.on(
        "command.done",
        { ...options, transaction: (work) => transaction((client) => work(fromPg(client), client)) },
        async ({ data }, { client }) => {
          await client.query("insert into letters (esim) values ($1)", [data.id])
          await check()
        }
      ),
    close: () => pool.end()
  }
}
