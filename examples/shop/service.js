// The database that the shop and simplan share, and simplan over the suppliers of telcos.json.
import { drizzle } from "drizzle-orm/node-postgres"
import pg from "pg"
import { createSimplan } from "simplan/promise"

const { DATABASE_URL, TELCOS = "telcos.json" } = process.env

export const open = (options) => {
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20 })
  const simplan = createSimplan({ database: pool, telco: { file: TELCOS }, ...options })
  const close = async () => {
    await simplan.close()
    await pool.end()
  }
  return { db: drizzle(pool), simplan, close }
}
