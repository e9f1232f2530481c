// Scripts that share their work among threads.
import { Worker } from "node:worker_threads"

/** Runs a script in a thread with this data; gives the one message that it sends. */
export const work = (script, workerData) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(script, { workerData })
    worker.once("message", resolve)
    worker.once("error", reject)
    worker.once("exit", (code) => reject(new Error(`a worker ended with code ${code} and said nothing`)))
  })
