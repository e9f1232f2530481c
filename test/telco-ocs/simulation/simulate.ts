/**
 * One worker of `npm run test:ocs` (see simulate.mjs): every `step`th seed from `seed` to `until`.
 */
import { parentPort, workerData } from "node:worker_threads"
import { Schema } from "effect"
import * as Runs from "./Runs.ts"

const Task = Schema.Struct({
  seed: Schema.Int,
  step: Schema.Int,
  until: Schema.Int,
  /** Where the worker writes the seed of the run under way. */
  underWay: Schema.instanceOf(Float64Array)
})

const { seed, step, underWay, until } = Schema.decodeUnknownSync(Task)(workerData)

parentPort?.postMessage(
  await Runs.of(seed, until, step, (next) => {
    underWay[0] = next
  })
)
