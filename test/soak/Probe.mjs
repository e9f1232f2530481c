// Loaded into a server before its own modules: tells, on a port of its own, what the process holds after a collection.
import { createServer } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")

const count = (names) => {
  const counts = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

if (process.env.SOAK_PROBE_PORT !== undefined) {
  createServer((_, response) => {
    collect()
    collect()
    const { heapUsed } = process.memoryUsage()
    const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
    const body = { heapUsed, listeners, resources: count(process.getActiveResourcesInfo()) }
    response.setHeader("connection", "close").end(JSON.stringify(body))
  })
    .listen(Number(process.env.SOAK_PROBE_PORT), "127.0.0.1")
    .unref()
}
