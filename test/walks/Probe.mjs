// Loaded into a server before its own modules: counts, on a port of its own, the calls of its
// functions since it was asked for the last time, by file. Modules are not counted again once they
// are loaded.
import { Session } from "node:inspector/promises"
import { createServer } from "node:http"

const port = process.env.WALKS_PROBE_PORT

if (port !== undefined) {
  const session = new Session()
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })

  createServer(async (_, response) => {
    const { result } = await session.post("Profiler.takePreciseCoverage")
    const files = result.flatMap(({ functions, url }) => {
      const [, file] = /\/dist\/((?:src|adapters)\/.+)\.js$/.exec(url) ?? []
      const run = functions.filter(({ ranges }) => ranges[0].count > 0).length
      return file === undefined || run === 0 ? [] : [{ file, functions: run }]
    })
    response.setHeader("connection", "close").end(JSON.stringify(files))
  })
    .listen(Number(port), "127.0.0.1")
    .unref()
}
