/** A pooler that stands still: requests end in 503 in time, and all goes on when it does. */
import { describe, expect, it } from "vitest"
import * as ServerProcess from "../cli/server/ServerProcess.ts"
import { text } from "../faults/Asking.ts"
import * as Tenant from "../faults/Tenant.ts"
import * as Databases from "../setup/databases/Databases.ts"
import * as PgBouncer from "./PgBouncer.ts"

describe("A pooler that stands still", () => {
  const url = Databases.forEachTest()
  const processes = ServerProcess.forEachTest()

  it("has requests end in 503, whether they read or write, and serves them again when it goes on", async () => {
    const bouncer = await PgBouncer.start(url(), ["pool_mode = transaction"])
    try {
      const server = processes.start({
        env: {
          SIMPLAN_DATABASE_URL: bouncer.url,
          SIMPLAN_DATABASE_DIRECT_URL: url(),
          SIMPLAN_ADMIN_TOKEN: Tenant.ADMIN
        }
      })
      const base = await server.listening
      const post = (path: string, body: unknown) =>
        Tenant.must(`${base}/admin/v1${path}`, 201, { method: "POST", headers: Tenant.admin, body })
      const organizationId = text(await post("/organizations", { name: "Acme" }), "data", "organization_id")
      const key = text(await post(`/organizations/${organizationId}/api-keys`, { name: "Acme" }), "data", "key")
      const headers = { "x-api-key": key, "content-type": "application/json" }
      const reads = (signal?: AbortSignal) => fetch(`${base}/v3/sims`, { headers, signal: signal ?? null })
      const writes = (signal?: AbortSignal) =>
        fetch(`${base}/v3/sims/stock/levels`, {
          method: "PUT",
          headers,
          body: JSON.stringify({ levels: [{ label: "Green", level: 5 }] }),
          signal: signal ?? null
        })
      expect((await reads()).status).toBe(200)
      bouncer.freeze()
      // A server waits for the database for 30 s by default, and PgBouncer for 120 s.
      const signal = AbortSignal.timeout(60_000)
      const statuses = await Promise.all(
        Array.from({ length: 24 }, async (_, n) => (await (n % 2 === 0 ? reads(signal) : writes(signal))).status)
      )
      bouncer.thaw()
      expect(new Set(statuses)).toEqual(new Set([503]))
      await expect.poll(async () => (await writes()).status).toBe(200)
      expect((await reads()).status).toBe(200)
    } finally {
      await bouncer.stop()
    }
  }, 300_000)
})
