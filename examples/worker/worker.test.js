import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { after, before, test } from "node:test"
import { fileURLToPath } from "node:url"
import { tick } from "./cron.js"
import * as Database from "./Database.js"
import { createShop } from "./web.js"

let database
let shop
let esim

before(async () => {
  database = await Database.create()
  shop = createShop(database.url)
  const { simplan } = shop
  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  const rows = [1, 2].map((last) => ({ iccid: `893301000000000001${last}`, label: "Green", isEsim: true }))
  await simplan.sims.import({ organizationId, rows })
  const [france] = await simplan.coverage.list({ organizationId, label: "Green", regionCode: "FR" }).toArray()
  const terms = { name: "France", coverageId: france.coverageId, dataMegaBytes: 1024, periodDays: 30 }
  const { planId } = await simplan.plans.create({ organizationId, ...terms })
  esim = { organizationId, planId }
})

after(async () => {
  await shop?.close()
  await database?.drop()
})

test("what a web process stores waits, and a cron job does it", async () => {
  const id = await shop.order(esim)
  const soon = shop.simplan.subscriptions.settled(id, { timeout: "1 second" })
  await assert.rejects(soon, { name: "TimeoutError" })
  assert.equal((await tick(shop.simplan)).finished, true)
  assert.equal((await shop.simplan.subscriptions.settled(id)).organizationId, esim.organizationId)
})

test("what a web process stores is done by a worker's process, which ends when it is told to", async () => {
  const id = await shop.order(esim)
  const env = { ...process.env, DATABASE_URL: database.url }
  const worker = spawn(process.execPath, [fileURLToPath(new URL("worker.js", import.meta.url))], {
    env,
    stdio: "inherit"
  })
  const ended = once(worker, "exit")
  try {
    const { sim } = await shop.simplan.subscriptions.settled(id, { timeout: "60 seconds" })
    assert.equal(sim.isEsim, true)
  } finally {
    worker.kill("SIGTERM")
  }
  assert.deepEqual(await ended, [0, null])
})
