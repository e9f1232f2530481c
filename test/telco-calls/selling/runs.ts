/**
 * One worker of `npm run test:sellers` (see runs.mjs): every `step`th seed from `seed` to `until`
 * of each kind.
 */
import { parentPort, workerData } from "node:worker_threads"
import { Schema } from "effect"
import * as Kinds from "./Kinds.ts"

const Task = Schema.Struct({
  kinds: Schema.Array(Kinds.Kind),
  seed: Schema.Int,
  step: Schema.Int,
  until: Schema.Int,
  /** Where the worker writes the seed of the run under way. */
  underWay: Schema.instanceOf(Float64Array)
})

const { kinds, seed, step, underWay, until } = Schema.decodeUnknownSync(Task)(workerData)

const results = []
for (const kind of kinds) {
  results.push(
    await Kinds.runs(kind, { seed, step, until }, (next) => {
      underWay[0] = next
    })
  )
}
parentPort?.postMessage(results)
