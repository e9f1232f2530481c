// Disk, memory and cores by the number of SIMs: measured with some numbers, and a model of all but
// the last held against that one.
import { readdirSync } from "node:fs"
import { loadavg } from "node:os"
import * as Processes from "../bench/Processes.mjs"
import * as Seed from "../bench/Seed.mjs"

/** How many reports one request has. */
const BATCH = 100

/** The milliseconds of a core that PostgreSQL has used with all its processes. */
const databaseCpu = (postmaster) =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), ...Processes.statOf(name) }))
    .reduce(
      (sum, { ended, own, parent, pid }) => sum + (pid === postmaster ? own + ended : parent === postmaster ? own : 0),
      0
    )

/**
 * Bytes of the tables with their indexes, and of the indexes alone, for each SIM in service and for
 * each in stock.
 */
const disk = async (postgres, database, sims) => {
  const found = await postgres.query(
    database,
    `select relname as name, pg_total_relation_size(oid)::float8 as bytes, pg_indexes_size(oid)::float8 as indexes
      from pg_class where relnamespace = 'simplan'::regnamespace and relkind = 'r'`
  )
  const sum = (names, column) =>
    found.filter(({ name }) => names.includes(name)).reduce((total, row) => total + row[column], 0)
  // Half of the SIMs are in stock.
  const stock = (column) => sum(["sim", "iccid"], column) / (2 * sims)
  const served = (column) => stock(column) + sum(["subscription", "attachment", "package"], column) / sims
  return { stock: stock("bytes"), served: served("bytes"), indexes: served("indexes") }
}

/** The loads: what each sends, and how many things that are. */
const loads = (sims, seconds) => {
  const prefix = Seed.iccid(Seed.SERVED, 0).slice(0, 7)
  const reports = (run) => ({
    connections: 4,
    amount: 40 * seconds,
    reports: { of: 40 * seconds, size: BATCH, run, sims, prefix, token: Processes.TELCO_TOKEN }
  })
  const path = `/v3/subscriptions/{iccid}?key=${Seed.keys[Seed.SERVED]}`
  const creation = {
    method: "POST",
    path: `/v3/subscription?key=${Seed.keys[Seed.FREE]}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ plan_id: Seed.PLAN, metadata: "scale" })
  }
  return {
    report: { each: BATCH, task: reports },
    read: {
      each: 1,
      task: () => ({ connections: 8, seconds, paths: { path, prefix, from: 1, to: sims, count: 20_000 } })
    },
    creation: {
      each: 1,
      task: () => ({ connections: 8, amount: Math.min(Math.floor(sims / 4), 150 * seconds), requests: [creation] })
    }
  }
}

const measure = async (postgres, sims, seconds) => {
  const database = await postgres.create(`sims_${sims}`)
  const url = postgres.urlOf(database)
  await Processes.migrate(url)
  const began = performance.now()
  await postgres.query(database, ...Seed.inventory(sims, Date.now()), ...Seed.settled)
  const filled = (performance.now() - began) / 1_000
  const bytes = await disk(postgres, database, sims)
  const server = await Processes.serve(url, { SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true" })
  const [{ backend }] = await postgres.query(
    database,
    `select pid as backend from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid() limit 1`
  )
  const { parent: postmaster } = Processes.statOf(backend)
  const cost = {}
  let connections = 0
  try {
    for (const [kind, { each, task }] of Object.entries(loads(sims, seconds))) {
      // The first load has its code compiled and its plans made.
      await Processes.load(server, task(1))
      const before = databaseCpu(postmaster)
      const found = await Processes.load(server, task(2))
      const things = found.requests * each
      cost[kind] = {
        server: (found.cpuMicros * found.requests) / things,
        database: ((databaseCpu(postmaster) - before) * 1_000) / things,
        perSecond: (found.perSecond * things) / found.requests,
        p99: found.p99
      }
      const [{ count }] = await postgres.query(
        database,
        `select count(*)::int as count from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid()`
      )
      connections = Math.max(connections, count)
      console.log(`${sims.toLocaleString("en")} SIMs, ${kind}: ${costOf(kind, cost[kind])}`)
    }
    const resident = Processes.residentBytes(server.pid)
    return { sims, filled, bytes, cost, connections, resident, ready: server.readyMillis, load: loadavg()[0] }
  } finally {
    await server.stop()
    await postgres.drop(database)
  }
}

const costOf = (kind, { database, p99, perSecond, server }) =>
  `${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms; µs of a core for a ${kind}: server ${server.toFixed(0)}, PostgreSQL ${database.toFixed(0)}`

/** The values of a measurement by name, which the model is made of. */
const valuesOf = ({ bytes, cost, resident }) => ({
  "bytes of a SIM in service": bytes.served,
  "bytes of its indexes": bytes.indexes,
  "bytes of a SIM in stock": bytes.stock,
  "MB of the server": resident / 1e6,
  ...Object.fromEntries(
    Object.entries(cost).flatMap(([kind, { database, server }]) => [
      [`µs of the server for a ${kind}`, server],
      [`µs of PostgreSQL for a ${kind}`, database]
    ])
  )
})

const show = ({ connections, cost, filled, load, ready, sims, ...found }) => {
  console.log(
    `${sims.toLocaleString("en")} SIMs: filled in ${filled.toFixed(0)} s, ready in ${ready.toFixed(0)} ms, ${connections} connections (load ${load.toFixed(1)})`
  )
  for (const [name, value] of Object.entries(valuesOf({ cost, ...found })))
    console.log(`  ${name}: ${value.toFixed(0)}`)
}

/**
 * What two measurements say of another size: each value grows by as much for each time that there
 * are ten times as many SIMs.
 */
const modelOf = (first, second) => {
  const [before, after] = [valuesOf(first), valuesOf(second)]
  const step = Math.log10(second.sims / first.sims)
  return (sims) => {
    const steps = Math.log10(sims / second.sims) / step
    return Object.fromEntries(
      Object.entries(after).map(([name, value]) => [name, value + (value - before[name]) * steps])
    )
  }
}

export const measureAll = async (postgres, { seconds, sizes }) => {
  const measured = []
  for (const sims of sizes) {
    measured.push(await measure(postgres, sims, seconds))
    show(measured.at(-1))
  }
  const last = measured.at(-1)
  const [first, second] = measured.slice(-3)
  if (measured.length < 3) return
  const model = modelOf(first, second)(last.sims)
  for (const [name, value] of Object.entries(valuesOf(last))) {
    const off = (model[name] / value - 1) * 100
    console.log(
      `model of ${last.sims.toLocaleString("en")} SIMs, ${name}: ${model[name].toFixed(0)}, ${off.toFixed(0)} % off`
    )
  }
}
