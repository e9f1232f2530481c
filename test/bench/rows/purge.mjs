// A day of report ids that goes, as the service does it each hour, while others report and read: what it holds up. Beside it
// the same reports and reads while nothing goes. `BENCH_IDS` says how many ids the day has.
import { randomUUID } from "node:crypto"
import { line } from "../Comparison.mjs"
import * as Processes from "../Processes.mjs"
import * as Seed from "../Seed.mjs"

const IDS = Number(process.env.BENCH_IDS ?? 2_000_000)

/** How long an innocent may be held up, in ms. */
const HELD_UP = 100

/** For how long others ask, in seconds, and how many days go one after the other meanwhile. */
const SECONDS = 12
const DAYS = 3

/** Days that are past their time, each with so many ids in no order, as they would have been left. */
const fill = async (bench, database, day) => {
  const name = `simplan.taken_report_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "_")}`
  await bench.query(
    database,
    `create table ${name} (like simplan.taken_report)`,
    `insert into ${name}
      select '${Seed.SERVED}', gen_random_uuid()::text, ${day} + i % ${Seed.DAY} from generate_series(1, ${IDS}) i`,
    "set maintenance_work_mem = '256MB'",
    `alter table ${name} add primary key (organization_id, report_id, received_at)`,
    `alter table simplan.taken_report attach partition ${name} for values from (${day}) to (${day + Seed.DAY})`,
    `vacuum ${name}`
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

/** Latencies of several who each ask again and again with a pause between, until told to stop. */
const innocents = (server, sims) => {
  const latencies = { report: [], read: [] }
  let ends = false
  let asked = 0
  const ask = async (kind, path, options) => {
    const began = performance.now()
    const answer = await fetch(server.url + path, options)
    const { accepted } = await answer.json()
    latencies[kind].push(performance.now() - began)
    if (answer.status !== 200 || (kind === "report" && accepted !== 1)) throw new Error(`${path}: ${answer.status}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const loop = async (one) => {
    while (!ends) await one(1 + (asked++ % sims))
  }
  const all = Promise.all([
    ...[0, 1, 2].map(() => loop((number) => ask("report", "/telco/v1/events", report(number)))),
    loop((number) =>
      ask("read", `/v3/subscriptions/${Seed.iccid(Seed.SERVED, number)}?key=${Seed.keys[Seed.SERVED]}`, {})
    )
  ])
  return async () => {
    ends = true
    await all
    const sorted = (kind) => latencies[kind].sort((left, right) => left - right)
    return Object.fromEntries(
      ["report", "read"].map((kind) => {
        const found = sorted(kind)
        return [kind, { count: found.length, p99: found[Math.floor(found.length * 0.99)], max: found.at(-1) }]
      })
    )
  }
}

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))

const shown = ({ count, max, p99 }) => `p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms of ${count}`

export const purge = async (bench) => {
  const database = await bench.copy()
  const now = Date.now()
  const today = now - (now % Seed.DAY)
  const server = await Processes.serve(bench.urlOf(database))
  const drops = []
  try {
    // The service purges at its start, and an hour later again.
    await pause(2)
    for (let back = 0; back < DAYS; back++) await fill(bench, database, today - (40 + back) * Seed.DAY)
    await bench.query(database, "checkpoint")
    const settle = innocents(server, bench.sims)
    await pause(4)
    await settle()
    const without = innocents(server, bench.sims)
    await pause(SECONDS)
    const before = await without()
    const during = innocents(server, bench.sims)
    await pause(2)
    for (let step = "more"; step !== "done"; ) {
      const began = performance.now()
      const [found] = await bench.query(
        database,
        `select simplan.keep_partitions('reports', ${today - 35 * Seed.DAY}, ${now}) as step`
      )
      step = found.step
      drops.push({ step, millis: performance.now() - began })
      await pause(SECONDS / (DAYS + 2))
    }
    const after = await during()
    const dropped = drops.filter(({ step }) => step === "more")
    if (dropped.length !== DAYS) throw new Error(`${dropped.length} of ${DAYS} days went`)
    const longest = Math.max(...dropped.map(({ millis }) => millis))
    const note = `${IDS.toLocaleString("en")} ids go in ${longest.toFixed(0)} ms`
    return ["report", "read"].map((kind) =>
      line(`the longest ${kind} while days of report ids go`, {
        value: after[kind].max,
        unit: "ms",
        atMost: HELD_UP,
        baseline: `none goes: ${shown(before[kind])}`,
        note: `${shown(after[kind])}; ${note}`
      })
    )
  } finally {
    await server.stop()
    await bench.drop(database)
  }
}
