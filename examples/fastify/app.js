// A shop in Fastify, with the eSIM API below /esim, and the console for its staff.
import fastify from "fastify"
import { toNodeHandler } from "simplan/promise"
import * as Staff from "./staff.js"

/** The application. Its parsers and hooks stay as they are. */
export const createApp = (simplan) => {
  const app = fastify()
  const esim = toNodeHandler(simplan)
  app.addHook("onRequest", async (request, reply) => {
    if (!request.url.startsWith("/esim/admin") || Staff.nameOf(request.headers.authorization)) return
    return reply.code(401).header("www-authenticate", Staff.CHALLENGE).send()
  })
  app.all("/esim/*", esim)
  app.get("/", async () => "A shop")
  return app
}
