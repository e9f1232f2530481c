// A child of Hunter.mjs: asked for a file with a fault, it runs hunt.ts with that text instead of
// the file's, and reports each run before it begins, and the first complaint. What was not changed
// is not read anew.
import { join } from "node:path"
import { createServer, createServerModuleRunner } from "vite"

/**
 * No run takes nearly as long, in microseconds of the processor: whatever does has been made to run
 * for ever.
 */
const ENDLESS = 10_000_000

const root = process.cwd()
const conditions = ["simplan-source", "node", "import", "module", "default"]
let fault = { path: "", text: "" }

const server = await createServer({
  configFile: false,
  root,
  appType: "custom",
  logLevel: "error",
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true, include: [] },
  plugins: [{ name: "fault", enforce: "pre", load: (id) => (id === fault.path ? fault.text : null) }],
  resolve: { conditions },
  ssr: { noExternal: [/^simplan/], resolve: { conditions } }
})
const { ssr } = server.environments
const runner = createServerModuleRunner(ssr, { hmr: false, sourcemapInterceptor: false })

const forget = (path) => {
  for (const module of ssr.moduleGraph.getModulesByFile(path) ?? []) module.transformResult = null
}

const send = (message) => new Promise((resolve) => process.send(message, resolve))

let began = process.cpuUsage()
setInterval(() => {
  if (process.cpuUsage(began).user > ENDLESS) void send({ complaint: "it never ends", isEndless: true })
}, 500)

process.on("message", async ({ file, hint, seed, text }) => {
  const before = fault.path
  fault = { path: join(root, file), text }
  forget(before)
  forget(fault.path)
  runner.clearCache()
  try {
    began = process.cpuUsage()
    const { runsOf } = await runner.import("/test/mutants/hunt.ts")
    for (const { complaint, name } of runsOf(seed, hint)) {
      began = process.cpuUsage()
      await send({ run: name })
      const found = await complaint()
      if (found === null) continue
      await send({ complaint: found })
      return
    }
    await send({ isOver: true })
  } catch (cause) {
    await send({ complaint: `it breaks: ${cause}` })
  } finally {
    began = process.cpuUsage()
  }
})
process.on("disconnect", () => process.exit(0))
