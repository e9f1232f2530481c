// graphile-worker's rate of jobs that do nothing, for comparison. Says in JSON how many it did in
// how many seconds.
import { Logger, makeWorkerUtils, run } from "graphile-worker"

const { count, databaseUrl, worker } = JSON.parse(process.argv[2])

const quiet = { connectionString: databaseUrl, noHandleSignals: true, logger: new Logger(() => () => {}) }
const utils = await makeWorkerUtils(quiet)
await utils.migrate()
await utils.withPgClient((client) =>
  client.query(
    "select graphile_worker.add_job('nothing', json_build_object('i', i)) from generate_series(1, $1::int) i",
    [count]
  )
)
await utils.withPgClient((client) => client.query("vacuum (analyze)"))

let done = 0
let resolve
const all = new Promise((fulfil) => {
  resolve = fulfil
})
const began = performance.now()
const runner = await run({
  ...quiet,
  preset: { worker },
  taskList: {
    nothing: () => {
      done += 1
      if (done === count) resolve()
    }
  }
})
await all
const seconds = (performance.now() - began) / 1000
await runner.stop()
await utils.release()
process.stdout.write(`${JSON.stringify({ count, seconds })}\n`)
process.exit(0)
