// Each client makes an order with its eSIM while it reads values of every type in a way of its own. DATABASE_URL names the
// PostgreSQL.
import assert from "node:assert/strict"
import { createRequire } from "node:module"
import { after, before, test } from "node:test"
import pg from "pg"
import postgres from "postgres"
import { createSimplan, fromPostgresJs } from "simplan/promise"
import * as Drizzle from "./clients/drizzle.js"
import * as Knex from "./clients/knex.js"
import * as Kysely from "./clients/kysely.js"
import * as MikroOrm from "./clients/mikro-orm.js"
import * as Pg from "./clients/pg.js"
import * as Prisma from "./clients/prisma.js"
import * as Sequelize from "./clients/sequelize.js"
import * as TypeOrm from "./clients/typeorm.js"
import * as Database from "./Database.js"

const clients = {
  pg: Pg,
  Drizzle,
  Prisma,
  Knex,
  Kysely,
  TypeORM: TypeOrm,
  Sequelize,
  MikroORM: MikroOrm
}

const require = createRequire(import.meta.url)
// MikroORM may have a `pg` of its own.
const drivers = new Set([pg, createRequire(require.resolve("@mikro-orm/postgresql"))("pg")])

// Knex looks for the server's release as it connects, in a text.
const inOwnWay = (text) => (text.startsWith("PostgreSQL") ? text : `read as ${text}`)

const types = { text: { to: 25, from: [25, 114, 3802], serialize: String, parse: inOwnWay } }

let database
let simplan
let esim

before(async () => {
  database = await Database.create()
  const pool = new pg.Pool({ connectionString: database.url })
  await pool.query("create table orders (esim text primary key)")
  const { rows } = await pool.query("select oid::int from pg_type where oid < 16384 and typname <> 'void'")
  await pool.end()
  simplan = createSimplan({ database: database.url, telco: "simulator", webhooks: false })
  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  const sims = Array.from({ length: 9 }, (_, index) => ({
    iccid: `8933010000000000${100 + index}`,
    label: "Green",
    isEsim: true
  }))
  await simplan.sims.import({ organizationId, rows: sims })
  const [france] = await simplan.coverage.list({ organizationId, label: "Green", regionCode: "FR" }).toArray()
  const terms = { name: "France", coverageId: france.coverageId, dataMegaBytes: 1024, periodDays: 30 }
  const { planId } = await simplan.plans.create({ organizationId, ...terms })
  esim = { organizationId, planId, metadata: "an order" }
  for (const driver of drivers) for (const { oid } of rows) driver.types.setTypeParser(oid, inOwnWay)
})

after(async () => {
  await simplan?.close()
  await database?.drop()
})

const isMade = async (id) => {
  const { metadata } = await simplan.subscriptions.settled(id, { timeout: "20 seconds" })
  assert.equal(metadata, "an order")
}

for (const [name, { connect }] of Object.entries(clients)) {
  test(`${name}: an order is made whatever parsers of types are set`, async () => {
    const client = connect(database.url)
    try {
      await isMade(await client.order(simplan, esim, async () => undefined))
    } finally {
      await client.close()
    }
  })
}

test("postgres.js: an order is made whatever parsers of types are set", async () => {
  const sql = postgres(database.url, { types, transform: { column: (name) => `${name}_` } })
  try {
    await isMade(
      await sql.begin(async (own) => (await simplan.within(fromPostgresJs(own)).subscriptions.create(esim)).id)
    )
  } finally {
    await sql.end()
  }
})
