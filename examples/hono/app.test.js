import assert from "node:assert/strict"
import { once } from "node:events"
import { test } from "node:test"
import { serve } from "@hono/node-server"
import { createApp, createService } from "./app.js"
import * as Staff from "./staff.js"

process.env.STAFF_PASSWORD = "for the staff"

test("Hono serves the API and the console below /esim", async (context) => {
  const simplan = createService("memory", Staff.http)
  const server = serve({ fetch: createApp(simplan).fetch, port: 0 })
  await once(server, "listening")
  context.after(async () => {
    server.close()
    await simplan.close()
  })
  const api = `http://127.0.0.1:${server.address().port}/esim`

  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  const { key } = await simplan.apiKeys.create({ organizationId, name: "shop" })
  await simplan.sims.import({ organizationId, rows: [{ iccid: "8933010000000000018", label: "Green", isEsim: true }] })
  const [france] = await simplan.coverage.list({ organizationId, label: "Green", regionCode: "FR" }).toArray()
  const call = async (method, path, body) => {
    const headers = { "x-api-key": key, "content-type": "application/json" }
    const response = await fetch(`${api}${path}`, { method, headers, body: body && JSON.stringify(body) })
    return { status: response.status, body: await response.json() }
  }

  const terms = { data_MBs: 1024, period_days: 30, recurring: false, throttling: false }
  const plan = { name: "France", coverage_id: france.coverageId, ...terms }
  const created = await call("POST", "/v3/plans", plan)
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const subscribed = await call("POST", "/v3/subscription", { plan_id: created.body.plan_id, metadata: "order 1" })
  assert.equal(subscribed.status, 201, JSON.stringify(subscribed.body))
  assert.equal((await call("GET", "/v3/plans/none")).status, 404)
  assert.deepEqual((await call("GET", "/openapi.json")).body.servers[0].url, "/esim")
  assert.equal((await fetch(`${api}/v3/plans`)).status, 401)

  const staff = { headers: { authorization: `Basic ${btoa("ada:for the staff")}` } }
  const console = await fetch(`${api}/admin/console`, staff)
  const [, file] = /src="\.\/(console\/assets\/[^"]+)"/.exec(await console.text()) ?? []
  const script = await fetch(`${api}/admin/${file}`, staff)
  assert.deepEqual([console.status, script.status], [200, 200])
  const who = await fetch(`${api}/admin/v1/whoami`, staff)
  assert.deepEqual((await who.json()).data, { name: "ada", role: "admin", organization_id: null, expires_at: null })
  assert.equal((await fetch(`${api}/admin/v1/whoami`)).status, 401)
})
