// What many SIMs cost, on a PostgreSQL of its own (that of the benchmarks):
//
//     npm run test:scale -- --purge 10000000                # what a day of so many report ids holds up when it goes
//     npm run test:scale -- --sizes 10000,100000,1000000    # disk, memory and cores with so many SIMs in service
//     npm run test:scale -- --console 1000000               # what operators wait for with so many SIMs
//     npm run test:scale -- --indexes 1000000               # what migrations that make an index hold up with so many SIMs
//     npm run test:scale -- --reads 2000000                 # what another organization waits for beside heavy reads of so many rows
//
// The first fills a day in bulk, and has servers purge it as they do at their start, while others
// report and read over HTTP; beside it, the same with nothing to purge. The exit code is 1 where
// something was held up for more than 100 ms longer. The second loads a server with reports, reads
// and creations, and holds a model of the first sizes against the last one. The third asks what the
// console does, and counts what an open first page asks of the database. The fourth runs those
// migrations while SIMs and jobs are written; the exit code is 1 where a write took more than a
// second. The fifth fails if the p99 of another organization's reads is more than ten times what it
// is alone. Options: --seconds of each load (12), --rounds of the first (3). Linux. A day of
// 10,000,000 takes 3 GB, 1,000,000 SIMs take 8 GB.
import { availableParallelism, loadavg } from "node:os"
import { parseArgs } from "node:util"
import { ensureBuilt } from "../../adapters/cli/build/build.mjs"
import * as Postgres from "../bench/Postgres.mjs"
import * as Long from "../setup/long.mjs"

const { values } = parseArgs({
  options: {
    console: { type: "string" },
    indexes: { type: "string" },
    purge: { type: "string" },
    reads: { type: "string" },
    sizes: { type: "string" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "12" }
  }
})
Long.wholeNumber("seconds", values.seconds, 2)
Long.wholeNumber("rounds", values.rounds, 1)
if (values.purge !== undefined) Long.wholeNumber("purge", values.purge, 1)
const sizes = values.sizes?.split(",") ?? []
for (const size of sizes) Long.wholeNumber("sizes", size, 1_000)
if (values.console !== undefined) Long.wholeNumber("console", values.console, 40_000)
if (values.indexes !== undefined) Long.wholeNumber("indexes", values.indexes, 1_000)
if (values.reads !== undefined) Long.wholeNumber("reads", values.reads, 1_000)
if (
  [values.purge, values.console, values.indexes, values.reads].every((value) => value === undefined) &&
  sizes.length === 0
) {
  console.error("--purge, --sizes, --console, --indexes or --reads is needed")
  process.exit(2)
}

await ensureBuilt()
const Processes = await import("../bench/Processes.mjs")
const { purge } = await import("./Purge.mjs")
const { measureAll } = await import("./Sizes.mjs")
const { measureConsole } = await import("./Console.mjs")
const { measureIndexes } = await import("./Indexes.mjs")
const { measureReads } = await import("./Reads.mjs")

const postgres = await Postgres.start()
Processes.stopWith(postgres)

const load = () => loadavg()[0].toFixed(1)

try {
  console.log(`${availableParallelism()} cores; load before: ${load()}`)
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
  if (values.purge !== undefined) {
    const isHeldUp = !(await purge(postgres, { ids: Number(values.purge), rounds, seconds }))
    if (isHeldUp) process.exitCode = 1
  }
  if (sizes.length > 0) await measureAll(postgres, { sizes: sizes.map(Number), seconds })
  if (values.console !== undefined) await measureConsole(postgres, { sims: Number(values.console), seconds })
  if (values.indexes !== undefined) {
    if (!(await measureIndexes(postgres, { sims: Number(values.indexes), seconds }))) process.exitCode = 1
  }
  if (values.reads !== undefined && !(await measureReads(postgres, { sums: Number(values.reads), seconds }))) {
    process.exitCode = 1
  }
  console.log(`Load afterwards: ${load()}`)
} finally {
  Processes.stopAll()
  await postgres.stop()
}
