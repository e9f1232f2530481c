// A host with an order in a table of its own: each order is one transaction, over plain `pg`. As it
// is asked to, the host lets simplan order the eSIM in the same transaction, or writes a row of an
// outbox of its own, whose poller would order it. It works off nothing. On a line of JSON with an
// amount it makes so many transactions, and prints how many it made in a second.
import { createInterface } from "node:readline"
import pg from "pg"
import { createSimplan, fromPg } from "../../../dist/adapters/promise/index.js"

const { connections, databaseUrl, organizationId, plan, way } = JSON.parse(process.argv[2])

const pool = new pg.Pool({ connectionString: databaseUrl, max: connections + 4 })

const insertOrder = {
  name: "order",
  text: "insert into host_order (id, organization_id, plan_id) values ($1, $2, $3)"
}

const insertOutbox = {
  name: "outbox",
  text: "insert into host_outbox (id, organization_id, request) values ($1, $2, $3::jsonb)"
}

const simplan = way === "within" ? createSimplan({ database: pool, telco: "simulator", worker: false }) : null
await simplan?.ready()

const beside = {
  within: (client, id) =>
    simplan
      .within(fromPg(client))
      .subscriptions.create({ organizationId, planId: plan }, { idempotencyKey: `order ${id}` }),
  outbox: (client, id) =>
    client.query({
      ...insertOutbox,
      values: [id, organizationId, JSON.stringify({ planId: plan, key: `order ${id}` })]
    })
}

const order = async (client, id) => {
  await client.query("begin")
  await client.query({ ...insertOrder, values: [id, organizationId, plan] })
  await beside[way](client, id)
  await client.query("commit")
}

const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()))
let number = 0

for await (const line of createInterface({ input: process.stdin })) {
  const { amount } = JSON.parse(line)
  const end = number + amount
  const began = performance.now()
  await Promise.all(
    clients.map(async (client) => {
      while (number < end) await order(client, `${way} ${number++}`)
    })
  )
  const perSecond = amount / ((performance.now() - began) / 1000)
  process.stdout.write(`${JSON.stringify({ perSecond })}\n`)
}
for (const client of clients) client.release()
await simplan?.close()
await pool.end()
