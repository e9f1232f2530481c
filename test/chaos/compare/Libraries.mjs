// The libraries: how each of them has its units of work added and done, and what it knows of those
// that are left.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Processes from "../../bench/Processes.mjs"
import * as Seed from "../../bench/Seed.mjs"

const root = fileURLToPath(new URL("../../../", import.meta.url))

const versionIn = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version

/** It needs a newer Node than this repository, so it is not among its packages. */
const PG_BOSS = "12.38.0"

/** Installs what the repository has not into the folder. */
export const install = (folder) => {
  const { status } = spawnSync("npm", ["install", "--silent", "--no-audit", "--prefix", folder, `pg-boss@${PG_BOSS}`], {
    stdio: "inherit"
  })
  if (status !== 0) throw new Error("pg-boss cannot be installed")
}

/** A script of this folder, as `Processes.script` runs those of the benchmark. */
const script = (name, task) =>
  Processes.script(fileURLToPath(new URL(name, import.meta.url)), task, { stdio: ["pipe", "pipe", "ignore"] })

/** A library of jobs with a script that adds and does them. */
const library = (name, file, folder, statements) => ({
  ...statements,
  name: `${name} ${versionIn(join(folder, "node_modules", name))}`,
  add: async (databaseUrl, count) => {
    const adding = script(file, { databaseUrl, count, folder })
    await adding.next()
    await adding.ended
  },
  work: async (databaseUrl, effectsUrl) => {
    const worker = script(file, { databaseUrl, effectsUrl, folder })
    await worker.next()
    return worker
  }
})

const since = "extract(epoch from now())"

/** All of them; what is installed is in the folder. */
export const all = {
  simplan: () => ({
    name: `simplan ${versionIn(root)}`,
    table: "simplan.job",
    left: `select count(*) as count, max(lease_until) / 1000 - ${since} as seconds,
        case when lease_until is null then 'waiting' else 'leased' end as state
      from simplan.job where work->>'occurrence' = '1' group by state`,
    /** Packages that fall due, one of each subscription. */
    add: async (databaseUrl, count, query) => {
      await Processes.migrate(databaseUrl)
      const now = Date.now()
      await query(...Seed.inventory(count, now), ...Seed.dueOccurrences(count, String(now)))
    },
    work: (databaseUrl, effectsUrl) =>
      Processes.serve(databaseUrl, { SIMPLAN_TELCO_URL: effectsUrl, SIMPLAN_TELCO_KEY: "compared-telco-key" })
  }),
  "graphile-worker": () =>
    library("graphile-worker", "./graphile.mjs", root, {
      table: "graphile_worker._private_jobs",
      left: `select count(*) as count, extract(epoch from max(locked_at + interval '4 hours')) - ${since} as seconds,
          case when locked_at is null then 'waiting' else 'locked' end as state
        from graphile_worker._private_jobs group by state`,
      expire: "update graphile_worker._private_jobs set locked_at = locked_at - interval '4 hours', run_at = now()"
    }),
  "pg-boss": (folder) =>
    library("pg-boss", "./pg-boss.mjs", folder, {
      table: "pgboss.job",
      left: `select count(*) as count, extract(epoch from max(started_on)) + max(expire_seconds) - ${since} as seconds,
          state::text as state
        from pgboss.job where name = 'units' and state <> 'completed' group by state`,
      expire: "update pgboss.job set started_on = started_on - expire_seconds * interval '1 s' where state = 'active'"
    })
}
