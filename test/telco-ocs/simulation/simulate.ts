/** One worker of `npm run test:ocs` (see simulate.mjs): every `step`th seed from `seed` to `until`. */
import { parentPort, workerData } from "node:worker_threads"
import { Schema } from "effect"
import * as Runs from "./Runs.ts"

const Task = Schema.Struct({ seed: Schema.Int, step: Schema.Int, until: Schema.Int })

const { seed, step, until } = Schema.decodeUnknownSync(Task)(workerData)

parentPort?.postMessage(await Runs.of(seed, until, step))
