import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { createInterface } from "node:readline"
import { after, before, test } from "node:test"
import { fileURLToPath } from "node:url"
import pg from "pg"
import { createSimplan, fromPg } from "simplan/promise"
import * as Database from "./Database.js"

const next = createRequire(import.meta.url).resolve("next/dist/bin/next")

let database
let pool
let simplan
let server
let shop

/** Starts what `next build` has built, at a port that is free; gives its URL. */
const start = async () => {
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    SESSION_SECRET: "for sessions",
    CRON_SECRET: "for cron jobs",
    STAFF_PASSWORD: "for the staff"
  }
  server = spawn(process.execPath, [next, "start", "--hostname", "127.0.0.1", "--port", "0"], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    env,
    stdio: ["ignore", "pipe", "inherit"]
  })
  for await (const line of createInterface({ input: server.stdout })) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error("next start has ended")
}

const call = async (method, path, { body, headers = {} } = {}) => {
  const type = body === undefined ? {} : { "content-type": "application/json" }
  const sent = { method, headers: { ...type, ...headers }, body: body && JSON.stringify(body) }
  const response = await fetch(`${shop}${path}`, sent)
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
}

const drain = (secret) => call("GET", "/cron/drain", { headers: { authorization: `Bearer ${secret}` } })

/** A customer of the shop, with an eSIM in stock. */
const signUp = async ({ name, iccid }) => {
  const { status, headers, body } = await call("POST", "/sign-up", { body: { name } })
  assert.equal(status, 201, JSON.stringify(body))
  const { organizationId } = body
  await simplan.sims.import({ organizationId, rows: [{ iccid, label: "Green", isEsim: true }] })
  const [france] = await simplan.coverage.list({ organizationId, label: "Green", regionCode: "FR" }).toArray()
  const [cookie] = headers.get("set-cookie").split(";")
  const asked = (method, path, body, headers) => call(method, path, { body, headers: { cookie, ...headers } })
  return { organizationId, cookie, coverageId: france.coverageId, asked }
}

before(async () => {
  database = await Database.create()
  // Another process of the shop, which does no due work either.
  pool = new pg.Pool({ connectionString: database.url })
  simplan = createSimplan({ database: pool, telco: "simulator", webhooks: false, worker: false })
  await simplan.ready()
  shop = await start()
})

after(async () => {
  if (server?.exitCode === null) {
    const ended = once(server, "exit")
    server.kill("SIGTERM")
    await ended
  }
  await simplan?.close()
  await pool?.end()
  await database?.drop()
})

test("Next.js serves the API below /esim to those whom the shop knows", async () => {
  const { asked, cookie, coverageId } = await signUp({ name: "Acme", iccid: "8933010000000000018" })
  const terms = { data_MBs: 1024, period_days: 30, recurring: false, throttling: false }
  const plan = await asked("POST", "/esim/v3/plans", { name: "France", coverage_id: coverageId, ...terms })
  assert.equal(plan.status, 201, JSON.stringify(plan.body))
  const subscribed = await asked("POST", "/esim/v3/subscription", { plan_id: plan.body.plan_id, metadata: "order 1" })
  assert.equal(subscribed.status, 201, JSON.stringify(subscribed.body))
  assert.equal((await asked("GET", "/esim/v3/plans/none")).status, 404)
  assert.equal((await asked("GET", "/esim/nothing")).status, 404)
  assert.equal((await asked("GET", "/esim/openapi.json")).body.servers[0].url, "/esim")

  assert.equal((await call("GET", "/esim/v3/plans")).status, 401)
  const forged = `${cookie.slice(0, -1)}${cookie.endsWith("0") ? "1" : "0"}`
  assert.equal((await call("GET", "/esim/v3/plans", { headers: { cookie: forged } })).status, 401)
  assert.equal((await call("POST", "/sign-up", { body: { name: "" } })).body.field, "name")
})

test("Next.js serves the console below /esim", async () => {
  const staff = { headers: { authorization: `Basic ${btoa("ada:for the staff")}` } }
  const console = await fetch(`${shop}/esim/admin/console`, staff)
  const [, file] = /src="\.\/(console\/assets\/[^"]+)"/.exec(await console.text()) ?? []
  const script = await fetch(`${shop}/esim/admin/${file}`, staff)
  assert.deepEqual([console.status, script.status], [200, 200])
  const who = await fetch(`${shop}/esim/admin/v1/whoami`, staff)
  assert.equal((await who.json()).data.name, "ada")
  assert.equal((await fetch(`${shop}/esim/admin/v1/whoami`)).status, 401)
  // Browsers send the password along whichever page asks, and the page's origin.
  const create = (origin) =>
    call("POST", "/esim/admin/v1/organizations", { body: { name: "By ada" }, headers: { ...staff.headers, origin } })
  assert.equal((await create(new URL(shop).origin)).status, 201)
  assert.equal((await create("https://evil.example")).status, 403)
})

test("what an order has stored is done by a cron job", async () => {
  const { organizationId, coverageId } = await signUp({ name: "Umbrella", iccid: "8933010000000000026" })
  const terms = { name: "France", coverageId, dataMegaBytes: 1024, periodDays: 30 }
  const { planId } = await simplan.plans.create({ organizationId, ...terms })
  const client = await pool.connect()
  await client.query("begin")
  const { id } = await simplan.within(fromPg(client)).subscriptions.create({ organizationId, planId })
  await client.query("commit")
  client.release()

  const soon = simplan.subscriptions.settled(id, { timeout: "1 second" })
  await assert.rejects(soon, { name: "TimeoutError" })
  assert.equal((await drain("a guess")).status, 401)
  const drained = await drain("for cron jobs")
  assert.deepEqual([drained.status, drained.body.finished], [200, true])
  assert.equal((await simplan.subscriptions.settled(id)).organizationId, organizationId)
})
