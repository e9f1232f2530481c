/**
 * H1 under kill -9: processes that commit or roll back orders, each with a subscription, are killed
 * at random. Afterwards each committed order has exactly one package at the telco, and no other
 * order has any.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import pg from "pg"
import { createSimplan } from "simplan/promise"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as BuiltCopy from "../../cli/BuiltCopy.ts"
import * as World from "../../promise/World.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import { telco } from "./Telco.mjs"

const KILLS = 20
const SIMS = 3_000

let copy: string
let database: Databases.Database
let pool: pg.Pool

beforeAll(async () => {
  copy = join(dirname((await BuiltCopy.shared()).main), "../../..")
  database = await Databases.create()
  pool = new pg.Pool({ connectionString: database.url, max: 4 })
  await pool.query("create table orders (id text primary key, command text)")
  await pool.query("create table telco_package (id text primary key, iccid text, cancelled boolean default false)")
}, 120_000)

afterAll(async () => {
  await pool?.end()
  await database?.drop()
})

const rows = () =>
  Array.from({ length: SIMS }, (_, index) => ({
    iccid: `8999902${String(index).padStart(12, "0")}`,
    label: "Green",
    isEsim: true
  }))

/** A new process, once it has begun with its orders. */
const start = async (organizationId: string, planId: string): Promise<ChildProcess> => {
  const script = fileURLToPath(new URL("Host.mjs", import.meta.url))
  const host = spawn(process.execPath, [script, copy, database.url, organizationId, planId], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  await once(host.stdout, "data")
  return host
}

const kill = async (host: ChildProcess): Promise<void> => {
  host.kill("SIGKILL")
  await once(host, "exit")
}

it(`each committed order has one package, and each other one none, after ${KILLS} kills`, async () => {
  const own = { database: database.url, telco: telco(pool), webhooks: false } as const
  const before = createSimplan({ ...own, worker: false })
  const { organizationId } = await before.organizations.create({ name: "Shop" })
  await before.sims.import({ organizationId, rows: rows() })
  const { planId } = await World.plan(before, organizationId)
  await before.close()

  const hosts = [await start(organizationId, planId), await start(organizationId, planId)]
  for (let killed = 0; killed < KILLS; killed++) {
    await sleep(100 + Math.random() * 400)
    const victim = killed % hosts.length
    const host = hosts[victim]
    if (host !== undefined) await kill(host)
    hosts[victim] = await start(organizationId, planId)
  }
  await Promise.all(hosts.map(kill))

  const after = createSimplan(own)
  const orders = await pool.query<{ readonly id: string; readonly command: string }>("select id, command from orders")
  expect(orders.rows.length).toBeGreaterThan(KILLS)
  const created = await Promise.all(
    orders.rows.map(({ command }) => after.subscriptions.settled(command, { timeout: "5 minutes" }))
  )
  await after.drain()
  expect(created.map(({ metadata }) => metadata)).toEqual(orders.rows.map(({ id }) => id))
  const packages = await pool.query<{ readonly id: string }>("select id from telco_package where not cancelled")
  const expected = created.map(({ attachmentId }) => `${attachmentId}:0`)
  expect(packages.rows.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
  await after.close()
}, 600_000)
