// A server under mixed load, which must hold no more with each request that it answers:
//
//     npm run test:soak -- --minutes 10 --storage pglite
//
// Measures the heap after a collection and the resident memory, files, handles, timers, listeners,
// prepared statements, and series and lines of metrics; the exit code is 1 where any of them grows
// with the number of requests. Options: --minutes (10), --storage pglite, postgres or memory (each
// in turn), --hostile (the attacks of `npm run test:hostile` beside the load, which pause for 20 s
// before each sample, and a line for each. Linux).
import { parseArgs } from "node:util"
import * as Long from "../setup/long.mjs"

const STORAGES = ["pglite", "postgres", "memory"]

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    storage: { type: "string" },
    hostile: { type: "boolean", default: false }
  }
})

if (!(Number(values.minutes) > 0)) {
  console.error(`--minutes must be a number above 0, not ${values.minutes}`)
  process.exit(2)
}
if (values.storage !== undefined) Long.oneOf("storage", values.storage, STORAGES)

for (const storage of values.storage === undefined ? STORAGES : [values.storage])
  await Long.run("soak", {
    SOAK_MINUTES: values.minutes,
    SOAK_STORAGE: storage,
    SOAK_HOSTILE: String(values.hostile)
  })
