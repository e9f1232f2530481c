// Random runs of a simulated service for a given time, on all cores:
//
//     npm run test:deep -- --seconds 60
//
// Each run is one of a single service; every eighth is also one of several processes under a seeded
// scheduler and faults. Prints how much was run, and of a run that breaks an invariant the seed and
// the shortest commands that do; its exit code is then 1. Options: --seconds (60), --runs (as many
// as there is time for), --seed (by the time of day), --workers (one for each core), --plant N
// (puts fault N of Planted.ts around each service, to see it found).
import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { bundle } from "../setup/bundle.mjs"
import * as Long from "../setup/long.mjs"
import { work } from "../setup/work.mjs"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    runs: { type: "string" },
    seed: { type: "string" },
    workers: { type: "string", default: String(availableParallelism()) },
    plant: { type: "string" }
  }
})

const seconds = Long.wholeNumber("seconds", values.seconds, 1)
const runs = values.runs === undefined ? Number.MAX_SAFE_INTEGER : Long.wholeNumber("runs", values.runs, 1)
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Long.wholeNumber("seed", values.seed, 0)
const workers = Math.min(Long.wholeNumber("workers", values.workers, 1), runs)
const plant = values.plant === undefined ? null : Long.wholeNumber("plant", values.plant, 0)

const folder = mkdtempSync(join(tmpdir(), "simplan-deep-"))
try {
  const script = await bundle("test/histories/deep.ts", folder)
  const began = Date.now()
  const until = began + seconds * 1_000
  const results = await Promise.all(
    Array.from({ length: workers }, (_, index) => {
      const mine = Math.floor(runs / workers) + (index < runs % workers ? 1 : 0)
      return work(script, { seed: seed + index, step: workers, runs: mine, until, plant })
    })
  )
  const sum = (part) => results.reduce((total, one) => total + one[part], 0)
  const took = (Date.now() - began) / 1_000
  console.log(
    `${sum("runs")} runs from seed ${seed} on, ${sum("commands")} commands, ${sum("years").toFixed(1)} simulated years ` +
      `in ${took.toFixed(1)} s: ${(sum("runs") / took).toFixed(0)} runs and ${(sum("years") / took).toFixed(1)} years a second`
  )
  const struck = {}
  for (const one of results) {
    for (const [what, times] of Object.entries(one.struck)) struck[what] = (struck[what] ?? 0) + times
  }
  console.log(
    `${sum("clusters")} runs of several processes, ${sum("processes")} of them in all, ${sum("requests")} requests, ` +
      `${sum("choices")} choices of who goes next`
  )
  const faults = Object.entries(struck).sort(([, left], [, right]) => right - left)
  if (faults.length > 0) console.log(`Faults: ${faults.map(([what, times]) => `${what} ${times}`).join(", ")}`)
  const clusterFailures = results.flatMap(({ clusterFailure }) => (clusterFailure === null ? [] : [clusterFailure]))
  for (const { complaints, plan, seed: failed } of clusterFailures) {
    console.error(`\nSeed ${failed} fails with several processes. The shortest plan found that does:`)
    console.error(`  ${JSON.stringify({ ...plan, steps: undefined })}`)
    for (const step of plan.steps) console.error(`  ${JSON.stringify(step)}`)
    for (const complaint of complaints) console.error(complaint)
  }
  const failures = results.flatMap(({ failure }) => (failure === null ? [] : [failure]))
  for (const { commands, seed: failed, violations } of failures) {
    console.error(`\nSeed ${failed} fails. The shortest commands found that do, ${commands.length} of them:`)
    for (const command of commands) console.error(`  ${JSON.stringify(command)}`)
    for (const { invariant, message, step } of violations) console.error(`After step ${step}: ${invariant}: ${message}`)
  }
  if (failures.length + clusterFailures.length > 0) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
