// `npm start`: the shop on port 3000, with its data in memory, or in PostgreSQL where DATABASE_URL is set. With
// STAFF_PASSWORD its staff have the console, at /esim/admin/console.
import { createApp, createService } from "./app.js"
import * as Staff from "./staff.js"

const simplan = createService(process.env.DATABASE_URL ?? "memory", Staff.http)
const server = createApp(simplan).listen(Number(process.env.PORT ?? 3000))

// In this order: the server would reset kept connections whose requests it has not read yet.
process.once("SIGTERM", async () => {
  await simplan.close()
  server.close()
})
