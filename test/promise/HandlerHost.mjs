// A host that a test kills: it has a handler in a transaction of its own client, and stops between
// the settled delivery and the commit. Arguments: the built copy's folder and the database's URL.
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import pg from "pg"

const [copy = "", url = ""] = process.argv.slice(2)
const { createSimplan, fromPg } = await import(pathToFileURL(join(copy, "dist/adapters/promise/index.js")).href)

const pool = new pg.Pool({ connectionString: url })
const simplan = createSimplan({ database: url, telco: "simulator", webhooks: false })

/** The transaction that is never committed. */
const begun = async (work) => {
  const client = await pool.connect()
  await client.query("begin")
  const handled = await work(fromPg(client), client)
  const { rows } = await client.query("select status from simplan.delivery")
  console.log(rows[0].status)
  await new Promise(() => undefined)
  return handled
}

await simplan.on("subscription.created", { name: "mailer", transaction: begun }, async ({ eventId }, { client }) => {
  await client.query("insert into mail (event_id, sender) values ($1, 'killed')", [eventId])
})
console.log("registered")
