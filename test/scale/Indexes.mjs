// Migrations that make an index on a large table, while a server is used: what they hold up.
import { setTimeout as sleep } from "node:timers/promises"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import pg from "pg"
import * as DatabaseSchema from "../../dist/adapters/postgres/database/DatabaseSchema.js"
import * as Migrations from "../../dist/adapters/postgres/migrations/Migrations.js"
import * as Step from "../../dist/adapters/postgres/migrations/Step.js"
import * as Processes from "../bench/Processes.mjs"
import * as Seed from "../bench/Seed.mjs"

/** How long a write may wait for a migration, in ms. */
const HELD_UP = 1_000

/** Later migrations, which make an index each. */
const PLANTED = [
  { name: "paused", table: "sim", definition: "(organization_id, iccid) where paused_at is not null" },
  { name: "jobs", table: "job", definition: "(organization_id, (work->>'iccid')) where waiting is not null" }
].map(({ definition, name, table }) => ({
  name,
  steps: [Step.Step.Index({ name: `planted_${name}`, table, definition })]
}))

const schema = DatabaseSchema.make(DatabaseSchema.DEFAULT)

/** Runs the first of them. */
const migrate = (url, count) =>
  Effect.runPromise(
    PgClient.PgClient.use((sql) => Migrations.run(sql, schema, [...Migrations.all, ...PLANTED.slice(0, count)])).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(url) }))
    )
  )

/** The longest that writes of both tables take while `act` goes on, in ms. */
const longest = async (url, sims, act) => {
  let ends = false
  const slowest = { sim: 0, job: 0 }
  const write = async (table, text) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      for (let number = 1; !ends; number = (number % sims) + 1) {
        const began = performance.now()
        await client.query(text, [number])
        slowest[table] = Math.max(slowest[table], performance.now() - began)
        await sleep(5)
      }
    } finally {
      await client.end()
    }
  }
  const writing = [
    write("sim", "update simplan.sim set version = version + 1 where import_sequence = $1::bigint and label = 'Green'"),
    write("job", "update simplan.job set attempts = attempts + 1 where due_at = $1::bigint")
  ]
  const began = performance.now()
  await act()
  const seconds = (performance.now() - began) / 1_000
  ends = true
  await Promise.all(writing)
  return { ...slowest, seconds }
}

/**
 * Runs each of these migrations on so many SIMs in service and as many jobs; whether none held up a
 * write for long.
 */
export const measureIndexes = async (postgres, { seconds, sims }) => {
  const database = await postgres.create(`indexes_${sims}`)
  const url = postgres.urlOf(database)
  await Processes.migrate(url)
  await postgres.query(database, ...Seed.inventory(sims, Date.now()), ...Seed.futureJobs(sims, Date.now()))
  await postgres.query(
    database,
    "create index on simplan.sim (import_sequence)",
    "create index on simplan.job (due_at)",
    "update simplan.job set due_at = due_at - (select min(due_at) - 1 from simplan.job)",
    ...Seed.settled
  )
  const show = (what, { job, seconds, sim }) =>
    console.log(
      `${sims.toLocaleString("en")} SIMs and jobs, ${what}: ${seconds.toFixed(1)} s; the longest write of a SIM ${sim.toFixed(0)} ms, of a job ${job.toFixed(0)} ms`
    )
  show("no migration", await longest(url, sims, () => sleep(seconds * 1_000)))
  let isHeldUp = false
  for (const [index, { name }] of PLANTED.entries()) {
    const found = await longest(url, sims, () => migrate(url, index + 1))
    show(`the migration ${name}`, found)
    if (Math.max(found.sim, found.job) > HELD_UP) isHeldUp = true
  }
  await postgres.drop(database)
  return !isHeldUp
}
