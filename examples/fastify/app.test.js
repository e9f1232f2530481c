import assert from "node:assert/strict"
import { test } from "node:test"
import fastify from "fastify"
import { createSimplan, toNodeHandler } from "simplan/promise"
import { createApp } from "./app.js"
import * as Staff from "./staff.js"

process.env.STAFF_PASSWORD = "for the staff"

/** The API as a plugin of its own, under the prefix of the plugin. */
const createPlugin = (simplan) => {
  const app = fastify()
  app.addContentTypeParser("text/csv", (_request, _payload, done) => done(null))
  app.register(async (scope) => scope.all("/*", toNodeHandler(simplan)), { prefix: "/esim" })
  return app
}

for (const [name, create] of Object.entries({ Fastify: createApp, "A plugin of Fastify": createPlugin })) {
  test(`${name} serves the API and the console below /esim`, async (context) => {
    const simplan = createSimplan({ database: "memory", telco: "simulator", http: Staff.http })
    const app = create(simplan)
    context.after(async () => {
      await app.close()
      await simplan.close()
    })
    const api = `${await app.listen({ port: 0 })}/esim`

    const { organizationId } = await simplan.organizations.create({ name: "Acme" })
    const { key } = await simplan.apiKeys.create({ organizationId, name: "shop" })
    await simplan.sims.import({
      organizationId,
      rows: [{ iccid: "8933010000000000018", label: "Green", isEsim: true }]
    })
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
    const headers = { ...staff.headers, "content-type": "text/csv" }
    const rows = "iccid,label,is_esim\n8933010000000000026,Green,true\n"
    const sims = `${api}/admin/v1/organizations/${organizationId}/sims`
    assert.equal((await fetch(sims, { method: "POST", headers, body: rows })).status, 200)
  })
}
