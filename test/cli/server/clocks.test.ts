/**
 * Processes on one PostgreSQL whose machines' clocks are four hours apart, in different zones. They
 * use the clock of the database.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { expect, it, vi } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import * as ServerProcess from "./ServerProcess.ts"

vi.setConfig({ testTimeout: 120_000 })

const LONG = { timeout: 40_000, interval: 50 }
const HOUR = 3_600_000
const MINUTE = 60_000

const processes = ServerProcess.forEachTest()
const { closing } = processes

const database = Databases.forEachTest()

const up = async (shift: number, zone: string) => {
  const shifted = new URL("../ShiftedDate.mjs", import.meta.url)
  const server = processes.start({
    env: {
      SIMPLAN_DATABASE_URL: database(),
      SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true",
      SIMPLAN_RATE_LIMIT: "off",
      NODE_OPTIONS: `--import ${shifted.href}`,
      SHIFT_MILLIS: String(shift),
      TZ: zone
    }
  })
  const url = await server.listening
  const ask = async (method: string, path: string, body?: unknown, token?: string) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${server.fact(`${token} token`)}` })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  return {
    ask,
    admin: async (method: string, path: string, body?: unknown) =>
      (await ask(method, `/admin/v1${path}`, body, "admin")).body.data
  }
}

/**
 * A receiver of webhooks. `apart`: the difference of each signature's time from now, in
 * milliseconds.
 */
const receiver = async () => {
  const apart: Array<number> = []
  const server = createServer((request, response) => {
    const header = String(request.headers["x-service-signature"])
    apart.push(Math.abs(Number(/t=(\d+)/.exec(header)?.[1]) * 1_000 - Date.now()))
    request.resume()
    response.writeHead(204).end()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  closing.push(() => server.close())
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`, apart }
}

it("processes with wrong clocks report the same time, do jobs when they are due, and sign with the right time", async () => {
  const fast = await up(2 * HOUR, "Europe/Berlin")
  const slow = await up(-2 * HOUR, "America/New_York")
  const webhooks = await receiver()
  const iccid = "8933010000000000018"
  const { organization_id: id } = await fast.admin("POST", "/organizations", { name: "Traveller Ltd" })
  const { api_key_id: keyId, key } = await fast.admin("POST", `/organizations/${id}/api-keys`, { name: "key" })
  const sims = [{ iccid, label: "Green", is_esim: true, lpa: "LPA:1$smdp.example$ONE" }]
  await slow.admin("POST", `/organizations/${id}/sims`, { sims })
  await slow.admin("POST", `/organizations/${id}/webhook-endpoints`, { url: webhooks.url })
  const [profile] = (await fast.ask("GET", `/v3/coverage-profiles?region_code=FR&label=Green&key=${key}`)).body.data
  const plan = await slow.ask("POST", `/v3/plans?key=${key}`, {
    coverage_id: profile.coverage_id,
    data_MBs: 100,
    name: "France",
    period_days: 1,
    recurring: true,
    nb_occurrence: 3,
    recurring_periodicity_type: "0",
    recurring_periodicity_frequency: 1,
    throttling: false
  })

  // The first package is due in a few seconds. On the fast clock it is overdue, on the slow one it
  // is two hours away.
  const due = Date.now() + 5_000
  const start = new Date(due + 12 * HOUR).toISOString()
  const created = await slow.ask("POST", `/v3/subscription?key=${key}`, {
    plan_id: plan.body.plan_id,
    metadata: "trip",
    iccid,
    active_period: { start }
  })
  expect(created.status).toBe(201)
  expect(Math.abs(Date.parse(created.body.created_at) - Date.now())).toBeLessThan(MINUTE)
  const attachments = (process: typeof fast) =>
    process.ask("GET", `/v3/subscriptions/${iccid}/plan-attachments?key=${key}`)
  const packages = async () => {
    const [attachment] = (await attachments(fast)).body.data
    return { count: attachment.packages.length, at: Date.now() }
  }
  await expect.poll(async () => (await packages()).count, LONG).toBe(1)
  expect((await packages()).at).toBeGreaterThanOrEqual(due)
  expect((await attachments(slow)).body).toEqual((await attachments(fast)).body)

  const report = { id: "report-1", type: "smdp_state", iccid, occurred_at: new Date().toISOString(), state: "Enable" }
  const taken = await fast.ask("POST", "/telco/v1/events", { events: [report] }, "telco")
  expect(taken.body).toMatchObject({ accepted: 1 })
  await expect.poll(() => webhooks.apart.length, LONG).toBe(1)
  expect(webhooks.apart[0]).toBeLessThan(MINUTE)

  const use = async () => (await slow.ask("GET", `/v3/sims?key=${key}`)).status
  expect(await use()).toBe(200)
  await fast.admin("DELETE", `/organizations/${id}/api-keys/${keyId}`)
  await expect.poll(use, LONG).toBe(401)
})
