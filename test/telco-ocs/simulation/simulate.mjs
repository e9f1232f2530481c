// Orders of packages from a charging system under faults, its book of usage beside simplan's, and
// moves of subscriptions to other SIMs, and restores of an older state of the database, from new
// seeds:
//
//     npm run test:ocs -- --runs 10000
//
// Prints how much was run and which faults there were, and the seed of each run that leaves a
// package too many or too few, or two books that are not equal to the byte; the exit code is
// then 1. Options: --runs (1000), --seed (the first one; by the time of day), --workers (one for
// each core).
import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { bundle } from "../../setup/bundle.mjs"
import * as Long from "../../setup/long.mjs"
import { work } from "../../setup/work.mjs"

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    seed: { type: "string", default: Long.seedOfNow() },
    workers: { type: "string", default: String(availableParallelism()) }
  }
})

const runs = Long.wholeNumber("runs", values.runs, 1)
const seed = Long.wholeNumber("seed", values.seed)
const workers = Math.min(Long.wholeNumber("workers", values.workers, 1), runs)

const folder = mkdtempSync(join(tmpdir(), "simplan-ocs-"))
try {
  const script = await bundle("test/telco-ocs/simulation/simulate.ts", folder)
  const began = Date.now()
  const results = await Promise.all(
    Array.from({ length: workers }, (_, index) =>
      work(script, { seed: seed + index, step: workers, until: seed + runs })
    )
  )
  const took = (Date.now() - began) / 1_000
  const sum = (part) => results.reduce((total, one) => total + one[part], 0)
  const traces = new Set(results.flatMap((one) => one.traces))
  console.log(
    `${runs} runs from seed ${seed} on in ${took.toFixed(1)} s: ${traces.size} different interleavings, ` +
      `${sum("switches")} switches between processes, ${sum("calls")} calls of the system, ${sum("comparisons")} comparisons of usage`
  )
  const faults = new Map()
  for (const one of results) {
    for (const [what, times] of one.faults) faults.set(what, (faults.get(what) ?? 0) + times)
  }
  const sorted = [...faults].sort(([, left], [, right]) => right - left)
  console.log(`Faults: ${sorted.map(([what, times]) => `${what} ${times}`).join(", ")}`)
  for (const { problems, seed: failed } of results.flatMap((one) => one.failures)) {
    console.error(`\nSeed ${failed} fails (npm run test:ocs -- --runs 1 --seed ${failed}):`)
    for (const problem of problems) console.error(`  ${problem}`)
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
