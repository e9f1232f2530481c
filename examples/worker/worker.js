// `npm start`: the process that does what is due: commands, packages, retries. Any number of them share the work.
import { createSimplan } from "simplan/promise"

const simplan = createSimplan({ database: process.env.DATABASE_URL, telco: "simulator", webhooks: false })
await simplan.ready()

process.once("SIGTERM", () => void simplan.close())
