// Opens the PGlite adapter on the directory in argv, says so on standard output, and holds it until
// its input ends.
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { createServer } from "vite"

// It stays open, since the adapter loads PGlite only once it opens one.
const server = await createServer({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  configFile: false,
  logLevel: "error",
  appType: "custom",
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
  ssr: { noExternal: [/^simplan/], resolve: { conditions: ["simplan-source"] } }
})
const module = await server.ssrLoadModule("/test/conformance/pglite/holdPglite.ts")

const input = createInterface({ input: process.stdin })
await module.hold(
  process.argv[2],
  (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
  new Promise((resolve) => input.once("close", resolve))
)
input.close()
await server.close()
