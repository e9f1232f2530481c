// Each client makes an order with its eSIM: what commits is carried out once, and what rolls back leaves nothing, neither in
// the database nor at the telco. And each writes a letter once for each event, in the transaction that settles its delivery.
// DATABASE_URL names the PostgreSQL.
import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { createSimplan } from "simplan/promise"
import pg from "pg"
import * as Drizzle from "./clients/drizzle.js"
import * as DrizzlePostgresJs from "./clients/drizzle-postgres-js.js"
import * as Knex from "./clients/knex.js"
import * as Kysely from "./clients/kysely.js"
import * as MikroOrm from "./clients/mikro-orm.js"
import * as Pg from "./clients/pg.js"
import * as PostgresJs from "./clients/postgres-js.js"
import * as Prisma from "./clients/prisma.js"
import * as Sequelize from "./clients/sequelize.js"
import * as TypeOrm from "./clients/typeorm.js"
import * as Database from "./Database.js"

const clients = {
  pg: Pg,
  "postgres.js": PostgresJs,
  "Drizzle on pg": Drizzle,
  "Drizzle on postgres.js": DrizzlePostgresJs,
  Prisma,
  Knex,
  Kysely,
  TypeORM: TypeOrm,
  Sequelize,
  MikroORM: MikroOrm
}

const packages = []
const telco = {
  createPackage: async ({ iccid, packageId }) => {
    packages.push(packageId)
    return { telcoPackageId: `${iccid}/${packageId}` }
  },
  suspendPackage: async () => undefined,
  cancelPackage: async () => undefined,
  sendSms: async () => undefined,
  releaseProfile: async () => undefined,
  setMobilePlan: async () => undefined
}

let database
let simplan
let pool
let esim

before(async () => {
  database = await Database.create()
  pool = new pg.Pool({ connectionString: database.url })
  await pool.query("create table orders (esim text primary key)")
  await pool.query("create table letters (id serial primary key, esim text not null)")
  simplan = createSimplan({ database: database.url, telco, webhooks: false })
  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  const rows = Object.keys(clients)
    .flatMap((_, index) => [2 * index, 2 * index + 1])
    .map((index) => ({
      iccid: `8933010000000000${100 + index}`,
      label: "Green",
      isEsim: true
    }))
  await simplan.sims.import({ organizationId, rows })
  const [france] = await simplan.coverage.list({ organizationId, label: "Green", regionCode: "FR" }).toArray()
  const terms = { name: "France", coverageId: france.coverageId, dataMegaBytes: 1024, periodDays: 30 }
  const { planId } = await simplan.plans.create({ organizationId, ...terms })
  esim = { organizationId, planId, metadata: "an order" }
})

after(async () => {
  await simplan?.close()
  await pool?.end()
  await database?.drop()
})

const orders = async () => (await pool.query("select esim from orders")).rows.map(({ esim: id }) => id)

const letters = async () => (await pool.query("select esim from letters")).rows.map(({ esim: id }) => id)

for (const [name, { connect }] of Object.entries(clients)) {
  test(`${name}: an order and its eSIM commit together`, async () => {
    const client = connect(database.url)
    try {
      const id = await client.order(simplan, esim, async () => undefined)
      const { attachmentId } = await simplan.subscriptions.settled(id, { timeout: "20 seconds" })
      assert.ok((await orders()).includes(id))
      assert.equal(packages.filter((packageId) => packageId.startsWith(attachmentId)).length, 1)
    } finally {
      await client.close()
    }
  })

  test(`${name}: an order and its eSIM roll back together`, async () => {
    const client = connect(database.url)
    try {
      const [ordered, created] = [await orders(), packages.length]
      const refuse = async () => {
        throw new Error("The payment is refused")
      }
      await assert.rejects(client.order(simplan, esim, refuse), /The payment is refused/)
      await simplan.drain()
      assert.deepEqual([await orders(), packages.length], [ordered, created])
    } finally {
      await client.close()
    }
  })

  test(`${name}: a letter is written once for an event, though the handler throws`, async () => {
    const client = connect(database.url)
    const handler = name.replaceAll(" ", "-")
    try {
      const written = []
      const check = async () => {
        written.push((await letters()).length)
        if (written.length === 1) throw new Error("The letter is not sent")
      }
      const before = (await letters()).length
      await client.letters(simplan, { name: handler, waits: [1] }, check)
      const id = await client.order(simplan, esim, async () => undefined)
      while ((await letters()).length === before) await simplan.drain()
      await simplan.drain()
      assert.deepEqual(
        (await letters()).filter((letter) => letter === id),
        [id]
      )
      assert.deepEqual(written, [before, before])
    } finally {
      await simplan.handlers.remove(handler)
      await client.close()
    }
  })
}
