// `npm start`: the shop on port 3000, with its data in memory, or in PostgreSQL where DATABASE_URL is set.
import { serve } from "@hono/node-server"
import { createApp, createService } from "./app.js"

const simplan = createService(process.env.DATABASE_URL ?? "memory")
const server = serve({ fetch: createApp(simplan).fetch, port: Number(process.env.PORT ?? 3000) })

process.once("SIGTERM", () => {
  server.close()
  void simplan.close()
})
