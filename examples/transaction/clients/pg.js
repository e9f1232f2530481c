// An order with its eSIM in one transaction of pg (node-postgres).
import pg from "pg"
import { fromPg } from "simplan/promise"

export const connect = (url) => {
  const pool = new pg.Pool({ connectionString: url })
  return {
    order: async (simplan, esim, check) => {
      const client = await pool.connect()
      try {
        await client.query("begin")
        const { id } = await simplan.within(fromPg(client)).subscriptions.create(esim)
        await client.query("insert into orders (esim) values ($1)", [id])
        await check()
        await client.query("commit")
        return id
      } catch (error) {
        await client.query("rollback")
        throw error
      } finally {
        client.release()
      }
    },
    close: () => pool.end()
  }
}
