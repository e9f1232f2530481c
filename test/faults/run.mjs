// Servers under load while things go wrong, for a given time:
//
//     npm run test:faults -- --seconds 300
//
// Prints the seed of each round, what went wrong in it and how much was asked; a round in which anything was lost, made
// up or done twice is reported in sentences, and the exit code is then 1. A seed says which faults come in which order;
// when they meet the load is up to the machine. Options: --seconds (120), --seed (by the time of day), --each (how long
// things go wrong in a round, 15 s), --only postgres or pglite (in turns), --telco ocs (a fake charging system, which knows no
// idempotency keys, in place of the simulated telco; PostgreSQL only).
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "120" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    each: { type: "string", default: "15" },
    only: { type: "string", default: "" },
    telco: { type: "string", default: "simulator" }
  }
})

for (const name of ["seconds", "seed", "each"]) {
  if (Number.isSafeInteger(Number(values[name])) && Number(values[name]) >= 0) continue
  console.error(`--${name} must be a whole number, not ${values[name]}`)
  process.exit(2)
}

const root = fileURLToPath(new URL("../..", import.meta.url))
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))
const child = spawn(
  process.execPath,
  [vitest, "run", "--config", "test/faults/vitest.config.ts", "--disable-console-intercept", "faults.long"],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      FAULTS_SECONDS: values.seconds,
      FAULTS_SEED: values.seed,
      FAULTS_EACH: values.each,
      FAULTS_ONLY: values.only,
      FAULTS_TELCO: values.telco
    }
  }
)
child.once("exit", (code) => {
  process.exitCode = code ?? 1
})
