// The service beside hand-written code, on a PostgreSQL of the benchmark's own:
//
//     npm run bench                                   # everything, with 10,000 SIMs
//     npm run bench -- subscription sims              # these rows
//     npm run bench -- --sims 10000,1000000           # with both, and what the growth costs
//     npm run bench -- --seconds 2 --rounds 1         # quicker, and less exact
//
// Each server is a process of its own and so is the load tool. What is compared is measured by
// turns. A ratio is the middle one of the rounds; numbers of µs are what the measured process used
// of a core for one request.
import { availableParallelism, loadavg } from "node:os"
import { parseArgs } from "node:util"
import { ensureBuilt } from "../../adapters/cli/build/build.mjs"
import * as Postgres from "./Postgres.mjs"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    sims: { type: "string", default: "10000" },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" }
  }
})

await ensureBuilt()
const Processes = await import("./Processes.mjs")
const Seed = await import("./Seed.mjs")
const { line } = await import("./Comparison.mjs")
const Reads = await import("./rows/reads.mjs")
const Writes = await import("./rows/writes.mjs")
const Jobs = await import("./rows/jobs.mjs")
const Webhooks = await import("./rows/webhooks.mjs")
const Start = await import("./rows/start.mjs")
const Hosts = await import("./rows/hosts.mjs")

const rows = {
  subscription: Reads.subscription,
  attachments: Reads.attachments,
  sims: Reads.sims,
  create: Writes.create,
  reports: Writes.reports,
  recurring: Jobs.recurring,
  slow: Jobs.slow,
  lateness: Jobs.lateness,
  day: Jobs.day,
  webhooks: Webhooks.webhooks,
  within: Hosts.within,
  stream: Reads.stream,
  idle: Jobs.idle,
  downtime: Jobs.downtime,
  start: Start.start
}

const wanted = positionals.length === 0 ? Object.keys(rows) : positionals
for (const name of wanted) {
  if (rows[name] === undefined) {
    console.error(`There is no row ${name}; there are ${Object.keys(rows).join(", ")}.`)
    process.exit(2)
  }
}

const sizes = values.sims.split(",").map(Number)
const costs = new Map()
const postgres = await Postgres.start()
Processes.stopWith(postgres)

/** What the rows need of a database with so many SIMs. */
const open = async (sims) => {
  const seeded = await postgres.create(`seeded_${sims}`)
  await Processes.migrate(postgres.urlOf(seeded))
  await postgres.query(seeded, ...Seed.inventory(sims, Date.now()), ...Seed.settled)
  let copies = 0
  const text = async ({ url }, path) => (await fetch(url + path)).text()
  return {
    sims,
    seeded,
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    query: postgres.query,
    urlOf: postgres.urlOf,
    drop: postgres.drop,
    create: () => postgres.create(`empty_${sims}_${++copies}`),
    copy: () => postgres.create(`copy_${sims}_${++copies}`, seeded),
    /** Sees that both answer the same, byte for byte. */
    same: async (ours, theirs, path) => {
      const [mine, other] = [await text(ours, path), await text(theirs, path)]
      if (mine !== other) throw new Error(`The baseline answers ${path} with\n${other}\nand not with\n${mine}`)
    },
    /** Keeps what a thing costs, to compare it with what it costs on more data. */
    remember: (what, cost) => costs.set(what, [...(costs.get(what) ?? []), cost])
  }
}

const growth = () =>
  [...costs].flatMap(([what, [few, many]]) =>
    many === undefined
      ? []
      : [line(`${what}: ${sizes[1].toLocaleString("en")} SIMs`, { value: many / few, unit: "× the cost", atMost: 1.5 })]
  )

const table = []
const show = (lines) => {
  table.push(...lines)
  for (const one of lines) console.log(Object.values(one).join(" | "))
}

console.log(
  `PostgreSQL: ${Object.entries(Postgres.settings)
    .map((pair) => pair.join("="))
    .join(", ")}`
)
console.log(
  `${availableParallelism()} cores; load before: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(" ")}`
)
try {
  for (const sims of sizes) {
    const began = performance.now()
    const bench = await open(sims)
    console.log(`${sims.toLocaleString("en")} SIMs stored in ${((performance.now() - began) / 1000).toFixed(0)} s`)
    for (const name of wanted) {
      const at = loadavg()[0].toFixed(1)
      try {
        show(await rows[name](bench))
      } catch (error) {
        process.exitCode = 1
        show([{ what: name, measured: "failed", baseline: "", target: "", met: "NO", note: error.message }])
      }
      if (at > 3) console.log(`  (the load of the machine was ${at} before ${name})`)
    }
    await postgres.drop(bench.seeded)
  }
  show(growth())
  console.log(`\n${["what", "measured", "the baseline", "target", "met", "simplan"].join(" | ")}`)
  for (const one of table) console.log(Object.values(one).join(" | "))
} finally {
  Processes.stopAll()
  await postgres.stop()
}
