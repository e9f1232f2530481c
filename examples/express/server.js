// `npm start`: the shop on port 3000, with its data in memory, or in PostgreSQL where DATABASE_URL is set. With
// STAFF_PASSWORD its staff have the console, at /esim/admin/console.
import { createSimplan } from "simplan/promise"
import { createApp } from "./app.js"
import * as Staff from "./staff.js"

const simplan = createSimplan({ database: process.env.DATABASE_URL ?? "memory", telco: "simulator", http: Staff.http })
const server = createApp(simplan).listen(Number(process.env.PORT ?? 3000))

// In this order: the server would reset kept connections whose requests it has not read yet.
process.once("SIGTERM", async () => {
  await simplan.close()
  server.close()
})
