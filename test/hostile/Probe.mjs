// Loaded into a server before its own modules: on a port of its own, the longest delay of its event loop since it was asked
// for the last time, and what it holds, after a collection where the path is /collected.
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

  createServer(({ url }, response) => {
    if (url === "/collected") {
      collect()
      collect()
    }
    const body = { delay: delays.max / 1e6, heap: process.memoryUsage().heapUsed / 1_048_576 }
    delays.reset()
    response.setHeader("connection", "close").end(JSON.stringify(body))
  })
    .listen(Number(port), "127.0.0.1")
    .unref()
}
