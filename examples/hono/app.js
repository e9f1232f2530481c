// A shop in Hono, with the eSIM API below /esim, and the console for its staff.
import { Hono } from "hono"
import { createSimplan } from "simplan/promise"
import * as Staff from "./staff.js"

/** The service. A function of web requests is told nothing of prefixes, so that the service has to know its own. */
export const createService = (database, http) =>
  createSimplan({ database, telco: "simulator", http: { prefix: "/esim", ...http } })

/** The application. */
export const createApp = (simplan) => {
  const app = new Hono()
  app.use("/esim/admin/*", async (context, next) => {
    if (Staff.nameOf(context.req.header("authorization"))) return next()
    return context.body(null, 401, { "www-authenticate": Staff.CHALLENGE })
  })
  app.all("/esim/*", (context) => simplan.handler(context.req.raw))
  app.get("/", (context) => context.text("A shop"))
  return app
}
