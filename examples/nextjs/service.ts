// The service of this process, made by the first request: `next build` loads the routes too, and has no database.
import { createSimplan, type Simplan } from "simplan/promise"
import * as Session from "./session"

/** Operators have the console, at /esim/admin/console, where there is a token to make them with. */
const operators = process.env.ADMIN_TOKEN && {
  groups: ["v3", "docs", "console"] as const,
  adminToken: process.env.ADMIN_TOKEN
}

const create = () =>
  createSimplan({
    database: process.env.DATABASE_URL ?? "memory",
    telco: "simulator",
    webhooks: false,
    // A function of a serverless host ends with its answer: a cron job does what is due.
    worker: false,
    http: { prefix: "/esim", authenticate: async ({ headers }) => Session.read(headers), ...(operators || {}) }
  })

// `next dev` loads this module anew after each change, and must not make a second service.
declare global {
  var simplan: Simplan | undefined
}

export const service = (): Simplan => {
  globalThis.simplan ??= create()
  return globalThis.simplan
}
