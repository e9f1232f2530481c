// A day of report ids that goes by the service's own purge, while others report and read: what it
// holds up.
import { randomUUID } from "node:crypto"
import { loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import * as Processes from "../bench/Processes.mjs"
import * as Seed from "../bench/Seed.mjs"

const SIMS = 10_000

/** How much longer an innocent may be held up while ids go than while none do, in ms. */
const HELD_UP = 100

const nameOf = (day) => `taken_report_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "_")}`

/** A day that is past its time, with so many ids in no order, as it would have been left. */
const fill = (postgres, database, day, ids) => {
  const name = `simplan.${nameOf(day)}`
  return postgres.query(
    database,
    `create table ${name} (like simplan.taken_report)`,
    `insert into ${name}
      select '${Seed.SERVED}', gen_random_uuid()::text, ${day} + i % ${Seed.DAY} from generate_series(1, ${ids}) i`,
    "set maintenance_work_mem = '1GB'",
    `alter table ${name} add primary key (organization_id, report_id, received_at)`,
    `alter table simplan.taken_report attach partition ${name} for values from (${day}) to (${day + Seed.DAY})`,
    `vacuum ${name}`,
    "checkpoint"
  )
}

const report = (number) => ({
  method: "POST",
  headers: { "content-type": "application/json", authorization: `Bearer ${Processes.TELCO_TOKEN}` },
  body: JSON.stringify({
    events: [
      {
        id: randomUUID(),
        type: "usage",
        iccid: Seed.iccid(Seed.SERVED, number),
        occurred_at: new Date().toISOString(),
        total_bytes: number
      }
    ]
  })
})

/**
 * The longest that several who ask again and again wait for a report and for a read, while `act`
 * goes on.
 */
const innocents = async (server, act) => {
  const latencies = { report: [], read: [] }
  let ends = false
  let asked = 0
  const ask = async (kind, path, options) => {
    const began = performance.now()
    const answer = await fetch(server.url + path, options)
    const { accepted } = await answer.json()
    latencies[kind].push(performance.now() - began)
    if (answer.status !== 200 || (kind === "report" && accepted !== 1)) throw new Error(`${path}: ${answer.status}`)
    await sleep(5)
  }
  const loop = async (one) => {
    while (!ends) await one(1 + (asked++ % SIMS))
  }
  const key = Seed.keys[Seed.SERVED]
  const read = (number) => ask("read", `/v3/subscriptions/${Seed.iccid(Seed.SERVED, number)}?key=${key}`, {})
  const all = Promise.all([
    ...[0, 1, 2].map(() => loop((number) => ask("report", "/telco/v1/events", report(number)))),
    loop(read)
  ])
  try {
    await act()
  } finally {
    ends = true
  }
  await all
  return Object.fromEntries(
    Object.entries(latencies).map(([kind, found]) => {
      found.sort((left, right) => left - right)
      return [kind, { count: found.length, p99: found[Math.floor(found.length * 0.99)], max: found.at(-1) }]
    })
  )
}

/**
 * The longest that a statement waits for the lock on a table, in ms, as seen 200 times a second
 * until the end.
 */
const watchLocks = async (url) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  let longest = 0
  let ends = false
  const text = `select coalesce(max(extract(epoch from clock_timestamp() - waitstart)), 0)::float8 * 1000 as millis
    from pg_locks where not granted and locktype = 'relation'`
  const watching = (async () => {
    while (!ends) {
      const [{ millis }] = (await client.query({ name: "locks", text })).rows
      longest = Math.max(longest, millis)
      await sleep(5)
    }
  })()
  return async () => {
    ends = true
    await watching
    await client.end()
    return longest
  }
}

const pause = (seconds) => sleep(seconds * 1_000)

export const purge = async (postgres, { ids, rounds, seconds }) => {
  const database = await postgres.create("purged")
  const url = postgres.urlOf(database)
  await Processes.migrate(url)
  await postgres.query(database, ...Seed.inventory(SIMS, Date.now()), ...Seed.settled)
  const today = Date.now() - (Date.now() % Seed.DAY)
  const day = today - 40 * Seed.DAY
  const isThere = async () => {
    const [{ found }] = await postgres.query(
      database,
      `select to_regclass('simplan.${nameOf(day)}') is not null as found`
    )
    return found
  }
  const server = await Processes.serve(url)
  /** Another server, which purges at its start. */
  const another = async () => {
    const other = await Processes.serve(url)
    await pause(seconds)
    await other.stop()
  }
  const worst = { report: [], read: [] }
  const show = (what, found) => {
    const each = Object.entries(found).map(
      ([kind, { count, max, p99 }]) => `${kind} p99 ${p99.toFixed(1)}, longest ${max.toFixed(1)} ms of ${count}`
    )
    console.log(`${what}: ${each.join("; ")} (load ${loadavg()[0].toFixed(1)})`)
  }
  try {
    await innocents(server, () => pause(4))
    show("nothing else", await innocents(server, () => pause(seconds)))
    for (let round = 0; round < rounds; round++) {
      const without = await innocents(server, another)
      show("another server starts, nothing is old", without)
      await fill(postgres, database, day, ids)
      if (!(await isThere())) throw new Error("The day is not there")
      const locks = await watchLocks(url)
      const within = await innocents(server, another)
      console.log(`the longest wait for a table's lock meanwhile: ${(await locks()).toFixed(0)} ms`)
      if (await isThere()) throw new Error("The day has not gone")
      show(`another server starts, and ${ids.toLocaleString("en")} ids go`, within)
      for (const kind of Object.keys(worst)) worst[kind].push(within[kind].max - without[kind].max)
    }
  } finally {
    await server.stop()
    await postgres.drop(database)
  }
  // What else the machine does befalls single rounds.
  const middles = Object.entries(worst).map(([kind, found]) => [
    kind,
    found.sort((a, b) => a - b)[Math.floor(rounds / 2)]
  ])
  for (const [kind, more] of middles) {
    console.log(
      `held up for longer by ids that go, in the middle one of ${rounds} rounds: a ${kind} ${more.toFixed(0)} ms`
    )
  }
  return middles.every(([, more]) => more <= HELD_UP)
}
