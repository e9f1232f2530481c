// A shop in Koa, with the eSIM API below /esim, and the console for its staff.
import Koa from "koa"
import bodyParser from "koa-bodyparser"
import { createSimplan, toNodeHandler } from "simplan/promise"
import * as Staff from "./staff.js"

/** The service. Koa tells a handler nothing of prefixes, so that the service has to know its own. */
export const createService = (database, http) =>
  createSimplan({ database, telco: "simulator", http: { prefix: "/esim", ...http } })

/** The application. The handler may come before or behind the host's body parsers. */
export const createApp = (simplan) => {
  const app = new Koa()
  app.use((context, next) => {
    if (!context.path.startsWith("/esim/admin") || Staff.nameOf(context.get("authorization"))) return next()
    context.status = 401
    context.set("www-authenticate", Staff.CHALLENGE)
  })
  app.use(toNodeHandler(simplan))
  app.use(bodyParser())
  app.use((context) => {
    context.body = "A shop"
  })
  return app
}
