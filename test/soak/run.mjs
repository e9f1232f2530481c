// A server under mixed load, which must hold no more with each request that it answers:
//
//     npm run test:soak -- --minutes 10 --storage pglite
//
// Looks at the heap after a collection, handles, timers, listeners and metric series; the exit code is 1 where any of
// them grows with the number of requests. Options: --minutes (10), --storage pglite, postgres or memory (each in turn).
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const STORAGES = ["pglite", "postgres", "memory"]

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, storage: { type: "string" } }
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
    { cwd: root, stdio: "inherit", env: { ...process.env, SOAK_MINUTES: values.minutes, SOAK_STORAGE: storage } }
  )
  if (status !== 0) process.exitCode = 1
}
