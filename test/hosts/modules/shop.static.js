import { createServer } from "node:http"
import { createSimplan, toNodeHandler } from "simplan/promise"

test("an organization is made", async () => {
  const simplan = createSimplan({ database: "memory", telco: "simulator", webhooks: false })
  expect((await simplan.organizations.create({ name: "Acme" })).name).toBe("Acme")
  await simplan.close()
})

test("dates of another realm are taken", async () => {
  const start = structuredClone(new Date("2026-01-31T12:00:00Z"))
  const simplan = createSimplan({ database: "memory", telco: "simulator", webhooks: false, clock: { start } })
  expect((await simplan.clock.read()).now.toISOString()).toBe("2026-01-31T12:00:00.000Z")
  await simplan.close()
})

// The modules of the API are loaded by the first request.
test("a request is answered over HTTP, and by the handler", async () => {
  const token = "token-of-the-operators-and-telcos"
  const groups = ["v3", "admin", "console", "telco", "docs", "metrics", "health"]
  const http = { groups, adminToken: token, telcoToken: token }
  const simplan = createSimplan({ database: "memory", telco: "simulator", webhooks: false, http })
  const server = createServer(toNodeHandler(simplan))
  await new Promise((resolve) => server.listen(0, resolve))
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/v3/plans`)
  expect([answer.status, await answer.json()]).toEqual([401, expect.objectContaining({ code: "key_missing" })])
  for (const path of ["/healthz", "/metrics", "/openapi.json"]) {
    const headers = { authorization: `Bearer ${token}` }
    expect((await simplan.handler(new Request(`http://simplan.example${path}`, { headers }))).status).toBe(200)
  }
  await new Promise((resolve) => server.close(resolve))
  await simplan.close()
}, 60_000)
