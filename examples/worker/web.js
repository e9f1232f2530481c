// A process that answers requests and does no due work: an order is stored, and a worker carries it out.
import pg from "pg"
import { createSimplan, fromPg } from "simplan/promise"

export const createShop = (url) => {
  const pool = new pg.Pool({ connectionString: url })
  const simplan = createSimplan({ database: pool, telco: "simulator", webhooks: false, worker: false })
  return {
    simplan,
    /** Orders an eSIM; gives the id that `subscriptions.settled` takes. */
    order: async (esim) => {
      const client = await pool.connect()
      try {
        await client.query("begin")
        const { id } = await simplan.within(fromPg(client)).subscriptions.create(esim)
        await client.query("commit")
        return id
      } catch (error) {
        await client.query("rollback")
        throw error
      } finally {
        client.release()
      }
    },
    close: async () => {
      await simplan.close()
      await pool.end()
    }
  }
}
