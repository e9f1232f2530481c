// A host that the test of commands kills: it commits or rolls back transactions with an order row
// and a subscription, and does the work that they leave. Arguments: the built copy's folder, the
// database's URL, the organization and the plan.
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import pg from "pg"
import { telco } from "./Telco.mjs"

const [copy = "", url = "", organizationId = "", planId = ""] = process.argv.slice(2)
const { createSimplan, fromPg } = await import(pathToFileURL(join(copy, "dist/adapters/promise/index.js")).href)

const pool = new pg.Pool({ connectionString: url, max: 4 })
const simplan = createSimplan({ database: url, telco: telco(pool), webhooks: false })

const order = async () => {
  const client = await pool.connect()
  try {
    const order = randomUUID()
    await client.query("begin")
    await client.query("insert into orders (id) values ($1)", [order])
    const { id } = await simplan
      .within(fromPg(client))
      .subscriptions.create({ organizationId, planId, metadata: order })
    await client.query("update orders set command = $2 where id = $1", [order, id])
    await client.query(Math.random() < 0.5 ? "commit" : "rollback")
  } finally {
    client.release()
  }
}

const orders = async () => {
  while (true) {
    await order()
    await sleep(Math.random() * 40)
  }
}

await simplan.ready()
console.log("ready")
await Promise.all([orders(), orders(), orders()])
