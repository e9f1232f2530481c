// The storage on PostgreSQL that Citus distributes over several servers:
//
//     npm run test:citus -- --url postgres://me@coordinator/database
//
// The database must have the extension, and servers for rows (`citus_add_node`). Its tables are
// made in a schema of their own, placed as `simplan migrate --distribute` does it, and dropped
// afterwards. Options: --runs (how many random runs are compared with the storage in memory, for
// each of four seeds: 2), --seed (by the time of day), --only (of the files here: `suite`,
// `statements`, `migrations`, `moves`, `rates` or `worker`); for `worker`, --stop and --start:
// commands that end one server for rows as a crash does, and bring it back. `moves` needs
// `wal_level = logical`, and two servers for rows.
import { parseArgs } from "node:util"
import * as Long from "../setup/long.mjs"

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "" },
    runs: { type: "string", default: "2" },
    seed: { type: "string", default: Long.seedOfNow() },
    only: { type: "string", default: "" },
    stop: { type: "string", default: "" },
    start: { type: "string", default: "" }
  }
})
const { only, runs, seed, start, stop, url } = values
Long.wholeNumbers({ runs, seed })
if (!URL.canParse(url)) {
  console.error("--url must be the address of a database that has Citus, as in postgres://me@coordinator/database")
  process.exit(2)
}
await Long.run("citus", { CITUS: JSON.stringify({ url, runs: Number(runs), seed: Number(seed), stop, start }) }, only)
