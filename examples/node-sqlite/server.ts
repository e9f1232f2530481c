// `npm start`: a server whose data are in a file. It goes on where it was after a restart, and after a crash.
import { createServer } from "node:http"
import { createSimplan, toNodeHandler } from "simplan/promise"
import { layer } from "./Storage.ts"

const { ADMIN_TOKEN = "", FILE = "./simplan.db", PORT = "3000" } = process.env

const simplan = createSimplan({
  database: { storage: layer({ file: FILE }) },
  // No other process has the file, so work that a killed one was at is taken up at once.
  alone: true,
  telco: "simulator",
  http: ADMIN_TOKEN === "" ? {} : { groups: ["v3", "docs", "admin"], adminToken: ADMIN_TOKEN }
})
await simplan.ready()
const server = createServer(toNodeHandler(simplan)).listen(Number(PORT), () => {
  console.log(JSON.stringify(server.address()))
})

// In this order: the server would reset kept connections whose requests it has not read yet.
process.once("SIGTERM", async () => {
  await simplan.close()
  server.close()
})
