// Requests at random, built from the service's document, for a given time:
//
//     npm run test:fuzz -- --seconds 60
//
// Half of the time on memory and half of it on PostgreSQL. An answer that the document does not describe is printed with
// the fewest requests that lead to it, and so is what does not hold afterwards; the exit code is then 1. Options:
// --seconds (60), --seed (by the time of day).
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) }
  }
})

for (const name of ["seconds", "seed"]) {
  if (Number.isSafeInteger(Number(values[name])) && Number(values[name]) >= 0) continue
  console.error(`--${name} must be a whole number, not ${values[name]}`)
  process.exit(2)
}

const root = fileURLToPath(new URL("../..", import.meta.url))
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))
const child = spawn(
  process.execPath,
  [vitest, "run", "--config", "test/fuzz/vitest.config.ts", "--disable-console-intercept"],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, FUZZ_MILLIS: String((Number(values.seconds) * 1_000) / 2), FUZZ_SEED: values.seed }
  }
)
child.once("exit", (code) => {
  process.exitCode = code ?? 1
})
