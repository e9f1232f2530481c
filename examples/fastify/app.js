// A shop in Fastify, with the eSIM API below /esim, and the console for its staff.
import fastify from "fastify"
import { toNodeHandler } from "simplan/promise"
import * as Staff from "./staff.js"

/** The application. Its other parsers and hooks stay as they are. */
export const createApp = (simplan) => {
  const app = fastify()
  const esim = toNodeHandler(simplan)
  app.addHook("onRequest", async (request, reply) => {
    if (!request.url.startsWith("/esim/admin") || Staff.nameOf(request.headers.authorization)) return
    return reply.code(401).header("www-authenticate", Staff.CHALLENGE).send()
  })
  // The console imports files of CSV, which Fastify has no parser for: they go on as they are.
  app.addContentTypeParser("text/csv", (_request, _payload, done) => done(null))
  app.all("/esim/*", esim)
  app.get("/", async () => "A shop")
  return app
}
