// `npm start`: the shop on port 3000, with its data in memory, or in PostgreSQL where DATABASE_URL is set.
import { createApp, createService } from "./app.js"

const simplan = createService(process.env.DATABASE_URL ?? "memory")
const server = createApp(simplan).listen(Number(process.env.PORT ?? 3000))

process.once("SIGTERM", () => {
  server.close()
  void simplan.close()
})
