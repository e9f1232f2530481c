// A server under mixed load, which must hold no more with each request that it answers:
//
//     npm run test:soak -- --minutes 10 --storage pglite
//
// Measures the heap after a collection and the resident memory, files, handles, timers, listeners, prepared statements,
// and series and lines of metrics; the exit code is 1 where any of them grows with the number of requests. Options:
// --minutes (10), --storage pglite, postgres or memory (each in turn), --hostile (the attacks of `npm run test:hostile`
// beside the load, which pause for 20 s before each sample, and a line for each. Linux).
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

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
if (values.storage !== undefined && !STORAGES.includes(values.storage)) {
  console.error(`--storage must be one of ${STORAGES.join(", ")}, not ${values.storage}`)
  process.exit(2)
}

const root = fileURLToPath(new URL("../..", import.meta.url))
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))
for (const storage of values.storage === undefined ? STORAGES : [values.storage]) {
  const { status } = spawnSync(
    process.execPath,
    [vitest, "run", "--config", "test/soak/vitest.config.ts", "--disable-console-intercept"],
    {
      cwd: root,
      stdio: "inherit",
      env: {
        ...process.env,
        SOAK_MINUTES: values.minutes,
        SOAK_STORAGE: storage,
        SOAK_HOSTILE: String(values.hostile)
      }
    }
  )
  if (status !== 0) process.exitCode = 1
}
