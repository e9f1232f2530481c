// `npm start`: the shop. Any number of processes share the work; each may be killed at any time.
import { createApp } from "./app.js"
import * as Mail from "./Mail.js"
import * as Orders from "./Orders.js"
import { open } from "./service.js"

const {
  ADDRESS,
  MAIL_URL,
  ORGANIZATION_ID: organizationId,
  PAYMENTS_TOKEN,
  PORT = "3000",
  SESSION_SECRET
} = process.env

// Of the API the shop serves only what the supplier calls, whose secret is in the path.
const http = { groups: ["telco"], authenticateOperator: async () => null }
const { close, db, simplan } = open({ http })
const shop = { db, organizationId, simplan }
await Orders.register(shop)
await Mail.register({ ...shop, address: ADDRESS, send: Mail.sender(MAIL_URL) })
const app = createApp({ ...shop, paymentsToken: PAYMENTS_TOKEN, secret: SESSION_SECRET })
const server = app.listen(Number(PORT), () => console.log(`The shop listens on port ${server.address().port}`))

process.once("SIGTERM", async () => {
  await close()
  server.close()
})
