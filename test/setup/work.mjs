// Scripts that share their work among threads.
import { Worker } from "node:worker_threads"

/**
 * Runs a script in a thread with this data; gives the one message that it sends. The thread writes
 * the seed of the run under way into `underWay`, so that the run can be repeated during which the
 * thread ends without a message: a run that never ends leaves its thread nothing to do.
 */
export const work = (script, workerData) =>
  new Promise((resolve, reject) => {
    const underWay = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)).fill(Number.NaN)
    const worker = new Worker(script, { workerData: { ...workerData, underWay } })
    const during = () => (Number.isNaN(underWay[0]) ? "before its first run" : `during the run of seed ${underWay[0]}`)
    worker.once("message", resolve)
    worker.once("error", (cause) => reject(new Error(`a worker failed ${during()}`, { cause })))
    worker.once("exit", (code) => reject(new Error(`a worker ended with code ${code} and said nothing ${during()}`)))
  })
