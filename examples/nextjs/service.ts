// The service of this process, made by the first request: `next build` loads the routes too, and has no database.
import { createSimplan, type Simplan } from "simplan/promise"
import * as Session from "./session"
import * as Staff from "./staff"

/** The console, at /esim/admin/console, whose operators are the staff. */
const operators = {
  groups: ["v3", "docs", "console"],
  authenticateOperator: async ({ headers }: Request) => {
    const actor = Staff.nameOf(headers)
    return actor === null ? null : { role: "admin" as const, actor }
  }
} as const

const create = () =>
  createSimplan({
    database: process.env.DATABASE_URL ?? "memory",
    telco: "simulator",
    webhooks: false,
    // A function of a serverless host ends with its answer: a cron job does what is due.
    worker: false,
    http: { prefix: "/esim", authenticate: async ({ headers }) => Session.read(headers), ...operators }
  })

// `next dev` loads this module anew after each change, and must not make a second service.
declare global {
  var simplan: Simplan | undefined
}

export const service = (): Simplan => {
  globalThis.simplan ??= create()
  return globalThis.simplan
}
