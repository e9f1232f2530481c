// `npm start`: builds dist/ if it is stale, then serves in this process, so that signals reach the server.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { ensureBuilt, root } from "./build.mjs"

const started = performance.now()
const main = join(root, "dist", "adapters", "cli", "main.js")

try {
  if (await ensureBuilt()) console.error(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  if (!existsSync(main)) throw new Error("the build has no adapters/cli/main.js")
} catch (error) {
  console.error(error.message)
  process.exit(1)
}

process.argv = [process.argv[0], main, "serve", ...process.argv.slice(2)]
await import(pathToFileURL(main).href)
