// Everything fails together, around three servers behind a pooler, on a primary with a synchronous
// standby:
//
//     npm run test:chaos                                    # an hour, with a million rows imported
//     npm run test:chaos -- --seconds 60 --rows 20000       # a short one
//
// Two of four endpoints answer 500, a process is killed each minute, and in each sixth of the time
// the database ends as in a crash (in the fourth it ends for good, and its standby is promoted),
// the pooler is killed and started, and the telco is away for a quarter of it. One organization
// imports its rows in ten parts, another lists its SIMs in loops. Judged: the 99th percentile of a
// third organization's requests while the database is there, in runs of 6 minutes or more; that all
// that is due is done 2 minutes after the end; and by its clients' records, the telco's books, the
// endpoints and the database, that each thing was done once. Options: --seconds (3600), --seed (by
// the time of day), --rows (1000000). The pooler is the newest one of PGBOUNCER_BUILDS (JSON: a
// list of `{version, command}`), or the machine's.
//
//     npm run test:chaos -- --compare
//
// gives five faults to simplan, graphile-worker and pg-boss, and prints who lost, doubled or
// delayed what. Options: --units (2000), --wait (what is left after so many seconds in which
// nothing was done is made to expire: 60), --only (one of the libraries). It needs the registry:
// pg-boss is installed into a folder of its own, and needs Node 22, so that `npx` fetches Node 24
// where this one is older.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { runs } from "../setup/debian.mjs"
import * as Long from "../setup/long.mjs"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3600" },
    seed: { type: "string", default: Long.seedOfNow() },
    rows: { type: "string", default: "1000000" },
    compare: { type: "boolean", default: false },
    units: { type: "string", default: "2000" },
    wait: { type: "string", default: "60" },
    only: { type: "string", default: "" }
  }
})
const { compare, only, rows, seconds, seed, units, wait } = values
Long.wholeNumber("seconds", seconds, 30)
Long.wholeNumbers({ seed, rows })

/** The machine's own PgBouncer, as PGBOUNCER_BUILDS has them. */
const installed = () => {
  for (const command of ["pgbouncer", "/usr/sbin/pgbouncer"]) {
    const { stdout } = runs(command, "--version")
    const [, version] = /PgBouncer (\d+\.\d+)/.exec(stdout ?? "") ?? []
    if (version !== undefined) return [{ version, command: [command] }]
  }
  console.log("There is no pgbouncer on this machine: the servers are connected directly.")
  return []
}

if (compare) {
  if (only !== "") Long.oneOf("only", only, ["simplan", "graphile-worker", "pg-boss"])
  const task = { count: Long.wholeNumber("units", units, 10), waitSeconds: Long.wholeNumber("wait", wait, 1), only }
  const script = fileURLToPath(new URL("compare/compare.mjs", import.meta.url))
  const args = [script, JSON.stringify(task)]
  const isNew = Number(process.versions.node.split(".")[0]) >= 22
  const [command, ...before] = isNew ? [process.execPath] : ["npx", "--yes", "--package", "node@24", "--", "node"]
  const child = spawn(command, [...before, ...args], { stdio: "inherit" })
  process.exitCode = await new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)))
} else {
  await Long.run("chaos", {
    CHAOS_SECONDS: seconds,
    CHAOS_SEED: seed,
    CHAOS_ROWS: rows,
    PGBOUNCER_BUILDS: process.env.PGBOUNCER_BUILDS ?? JSON.stringify(installed())
  })
}
