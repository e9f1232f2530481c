// Loaded into a server before its own modules: on a port of its own, the longest delay of its event
// loop since it was asked for the last time, the longest turn in processor time, and what it holds,
// after a collection where the path is /collected.
import { openSync, readSync } from "node:fs"
import { createServer } from "node:http"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const port = process.env.HOSTILE_PROBE_PORT

if (port !== undefined) {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc")
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()

  const stat = openSync(`/proc/self/task/${process.pid}/schedstat`)
  const bytes = Buffer.alloc(64)
  /**
   * What this thread has had of a processor, in ms. On a busy machine it waits for one too, which
   * is nobody's turn.
   */
  const used = () => Number(bytes.toString("latin1", 0, readSync(stat, bytes, 0, bytes.length, 0)).split(" ")[0]) / 1e6
  let [before, turn] = [used(), 0]
  const measure = () => {
    const now = used()
    turn = Math.max(turn, now - before)
    before = now
  }
  setInterval(measure, 10).unref()

  createServer(({ url }, response) => {
    if (url === "/collected") {
      collect()
      collect()
    } else measure()
    const body = { delay: delays.max / 1e6, turn, heap: process.memoryUsage().heapUsed / 1_048_576 }
    delays.reset()
    turn = 0
    before = used()
    response.setHeader("connection", "close").end(JSON.stringify(body))
  })
    .listen(Number(port), "127.0.0.1")
    .unref()
}
