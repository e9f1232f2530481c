/**
 * What a dump of the database shows of secrets, with a key set (rule W6).
 */
import { randomBytes } from "node:crypto"
import { Effect, Redacted } from "effect"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Postgres from "simplan/postgres"
import { expect, it } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

/** All rows of all tables as text. */
const dump = (url: string): Promise<string> =>
  PgClient.PgClient.use((sql) =>
    Effect.gen(function* () {
      const tables = yield* sql<{ readonly name: string }>`
        select format('%I.%I', table_schema, table_name) as name from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema')`
      expect(tables.length).toBeGreaterThan(15)
      const rows = yield* Effect.forEach(tables, ({ name }) =>
        sql.unsafe(`select to_json(t)::text as row from ${name} t`)
      )
      return JSON.stringify(rows)
    })
  ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.runPromise)

it("a dump of the database has no signing key, no URL of a webhook and no activation code", async () => {
  const database = await Databases.create()
  const secretKeys = Redacted.make(randomBytes(32).toString("hex"))
  const world = await World.start({
    storage: Postgres.layer({ url: Redacted.make(database.url), maxConnections: 4, secretKeys })
  })
  try {
    const { planId, tenant } = await Inventory.stock(world, 1, 3)
    const endpoints = `/organizations/${tenant.organizationId}/webhook-endpoints`
    const made = await world.admin("POST", endpoints, { url: "https://example.com/hook?token=T0ken" })
    const rotated = await world.admin("POST", `${endpoints}/${made.body.data.webhook_endpoint_id}/rotate-key`)
    const keys: ReadonlyArray<string> = [made, rotated].map(({ body }) => body.data.signing_key)
    const body = { plan_id: planId, metadata: "seen" }
    const first = await tenant.post("/v3/subscription", body, { "idempotency-key": "once" })
    const again = await tenant.post("/v3/subscription", body, { "idempotency-key": "once" })
    expect([first.status, again.text]).toEqual([201, first.text])
    const listed = await tenant.get("/v3/sims")
    for (const number of [1, 2, 3]) expect(listed.text).toContain(`LPA:1$smdp.example$M-${number}`)

    const text = await dump(database.url)
    expect(text).toContain("seen")
    expect(text).toContain(World.iccid(1))
    for (const secret of [
      ...keys,
      ...keys.map((key) => key.slice("whsec_".length)),
      // A matching id alone is too short: what is encrypted may have its three characters by
      // chance.
      "LPA:1$",
      "smdp.example",
      tenant.key,
      "T0ken"
    ]) {
      expect(text).not.toContain(secret)
    }
  } finally {
    await world.close()
    await database.drop()
  }
})
