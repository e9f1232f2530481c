// A worker of graphile-worker with its defaults, but that it searches for locks of 4 hours each few
// seconds, and not each few minutes; or the process that adds its jobs.
import { makeWorkerUtils, Logger, run } from "graphile-worker"
import * as Effects from "./Effects.mjs"

const { count, databaseUrl, effectsUrl } = JSON.parse(process.argv[2])

const options = { connectionString: databaseUrl, noHandleSignals: true, logger: new Logger(() => () => {}) }
if (count === undefined) {
  const runner = await run({
    ...options,
    preset: { worker: { concurrentJobs: 10, minResetLockedInterval: 2_000, maxResetLockedInterval: 3_000 } },
    taskList: { unit: ({ id }) => Effects.perform(effectsUrl, id) }
  })
  console.log(JSON.stringify({ running: true }))
  await runner.promise
} else {
  const utils = await makeWorkerUtils(options)
  await utils.migrate()
  for (let id = 0; id < count; id++) await utils.addJob("unit", { id: String(id) })
  await utils.release()
  console.log(JSON.stringify({ added: count }))
}
