// A shop in Express, 5 or 4, with the eSIM API below /esim, and the console for its staff.
import express from "express"
import { toNodeHandler } from "simplan/promise"
import * as Staff from "./staff.js"

/** The application. The handler may come before or behind the host's body parsers. */
export const createApp = (simplan, framework = express) => {
  const app = framework()
  app.use("/esim/admin", Staff.only)
  app.use("/esim", toNodeHandler(simplan))
  app.use(framework.json())
  app.get("/", (_request, response) => response.send("A shop"))
  return app
}
