// A shop in Fastify, with the eSIM API below /esim.
import fastify from "fastify"
import { toNodeHandler } from "simplan/promise"

/** The application. Its parsers and hooks stay as they are. */
export const createApp = (simplan) => {
  const app = fastify()
  const esim = toNodeHandler(simplan)
  app.all("/esim/*", esim)
  app.get("/", async () => "A shop")
  return app
}
