// Purchases of eSIMs from suppliers that lose, delay and refuse, by processes that die at any call,
// from new seeds:
//
//     npm run test:sellers -- --runs 10000
//
// Prints how much was run of each kind and which faults there were, and the seed of each run that
// buys something twice, loses an eSIM, or takes another cost for the one that was charged; the exit
// code is then 1. Options: --runs (1000 of each kind), --seed (the first one; by the time of day),
// --kind (esim-go, esim-access, airalo, Keyed, Referenced, Anonymous, wholesale: the example of a
// seller, or books: the ledger of a service beside what the three suppliers have charged; the three
// adapters unless given), --workers (one for each core).
import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { bundle } from "../../setup/bundle.mjs"
import * as Long from "../../setup/long.mjs"
import { work } from "../../setup/work.mjs"

const suppliers = ["esim-go", "esim-access", "airalo"]
const others = ["Keyed", "Referenced", "Anonymous", "wholesale", "books"]

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    seed: { type: "string", default: Long.seedOfNow() },
    kind: { type: "string" },
    workers: { type: "string", default: String(availableParallelism()) }
  }
})

const runs = Long.wholeNumber("runs", values.runs, 1)
const seed = Long.wholeNumber("seed", values.seed)
const workers = Math.min(Long.wholeNumber("workers", values.workers, 1), runs)
if (values.kind !== undefined) Long.oneOf("kind", values.kind, [...suppliers, ...others])

const folder = mkdtempSync(join(tmpdir(), "simplan-sellers-"))
try {
  const script = await bundle("test/telco-calls/selling/runs.ts", folder)
  for (const kind of values.kind === undefined ? suppliers : [values.kind]) {
    const began = Date.now()
    const found = await Promise.all(
      Array.from({ length: workers }, (_, index) =>
        work(script, { kinds: [kind], seed: seed + index, step: workers, until: seed + runs })
      )
    )
    const results = found.flat()
    const faults = new Map()
    for (const [what, times] of results.flatMap((one) => one.faults)) faults.set(what, (faults.get(what) ?? 0) + times)
    const sorted = [...faults].sort(([, left], [, right]) => right - left)
    const count = results.reduce((total, one) => total + one.runs, 0)
    const took = (Date.now() - began) / 1_000
    console.log(`${kind}: ${count} runs from seed ${seed} on in ${took.toFixed(1)} s`)
    console.log(`  Faults: ${sorted.map(([what, times]) => `${what} ${times}`).join(", ")}`)
    for (const { problems, seed: failed } of results.flatMap((one) => one.failures)) {
      console.error(`\nSeed ${failed} fails (npm run test:sellers -- --kind ${kind} --runs 1 --seed ${failed}):`)
      for (const problem of problems) console.error(`  ${problem}`)
      process.exitCode = 1
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
